/** Records a voice message, in the place of the tools. It goes to the conversation in which it was begun. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { beginRecording, type Recording } from "../../model/files/recording.ts";
import { t } from "../../texts.ts";
import type { Conversation } from "../../wire/narrow.ts";
import { Icon } from "../parts/icons.tsx";
import { lengthWords } from "../parts/lengths.ts";

interface Props {
  to: Conversation;
  /** Called when it was sent or discarded. */
  end(): void;
}

export function VoiceRecorder({ to, end }: Props) {
  const app = useApp();
  const recording = useRecording(end);
  const isSending = useSignal(false);
  const give = useRef(app.ui.focus.later());
  const send = useRef<HTMLButtonElement>(null);
  const now = recording.value;
  useEffect(() => {
    // The button that was pressed is gone.
    if (now) give.current(send.current);
  }, [now]);
  const finish = async () => {
    if (!now) return;
    isSending.value = true;
    const title = `${t.voiceMessage} (${lengthWords(now.secs.peek())})`;
    const isSent = await app.compose.sendSound(to, await now.end(), title);
    isSending.value = false;
    if (isSent) end();
  };
  return (
    <div
      class="voice-recorder"
      role="group"
      aria-label={t.voiceMessage}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        end();
      }}
    >
      <button type="button" class="icon-button small" aria-label={t.discard} title={t.discard} onClick={end}>
        <Icon name="trash" size={17} />
      </button>
      <span class={`recording-mark${now && !now.isOver.value ? " on" : ""}`} aria-hidden="true" />
      <span role="timer" aria-label={t.recordedFor}>
        {lengthWords(now?.secs.value ?? 0)}
      </span>
      <Levels levels={now?.levels.value ?? []} />
      <button
        ref={send}
        type="button"
        class="button send"
        disabled={!now || isSending.value}
        aria-label={t.sendVoice}
        title={t.sendVoice}
        onClick={() => void finish()}
      >
        <Icon name="send" size={17} />
      </button>
    </div>
  );
}

/** Records until its component goes. @param end called where there is no microphone, or none is allowed */
function useRecording(end: () => void): Signal<Recording | undefined> {
  const app = useApp();
  const recording = useSignal<Recording | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    void beginRecording()
      .then((begun) => {
        if (isGone) return begun.end();
        recording.value = begun;
      })
      .catch(() => {
        app.ui.note(t.noMicrophone, "problem");
        end();
      });
    return () => {
      isGone = true;
      void recording.peek()?.end();
    };
  }, []);
  return recording;
}

const barWidth = 4;

function Levels({ levels }: { levels: readonly number[] }) {
  const path = levels.map((level, at) => {
    const half = Math.max(1, Math.round(level * 12));
    return `M${at * barWidth + 1} ${12 - half}v${2 * half}`;
  });
  return (
    <svg class="levels" viewBox="0 0 192 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={path.join("")} />
    </svg>
  );
}
