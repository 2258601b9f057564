/** The buttons below the text that is being written. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { isToned } from "../../model/emoji.ts";
import { canRecord } from "../../model/files/recording.ts";
import type { Writing } from "../../model/writing/writing.ts";
import { t } from "../../texts.ts";
import type { Conversation } from "../../wire/narrow.ts";
import { LazyPickTime, LazyPoll, LazyTodo } from "../frame/lazy.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { lazy } from "../parts/lazy.tsx";
import { linkToCall, offersCalls, offersVoiceCalls } from "./call.ts";
import { gifProvider } from "./gifs.ts";
import { formats, type Insert } from "./insertion.ts";

const LazyGifs = lazy(() => import("../dialogs/gif-picker.tsx").then((module) => module.GifPicker));
const LazyRecorder = lazy(() => import("./voice-recorder.tsx").then((module) => module.VoiceRecorder));
const LazyTime = lazy(() => import("./time-picker.tsx").then((module) => module.TimePicker));
const LazySnippets = lazy(() => import("./snippets.tsx").then((module) => module.Snippets));

interface Props {
  writing: Writing;
  isPreviewed: boolean;
  insert: Insert;
  togglePreview(): void;
  endTools: ComponentChildren;
}

export function ComposeTools({ writing, isPreviewed, insert, togglePreview, endTools }: Props) {
  const app = useApp();
  const recordedFor = useSignal<Conversation | undefined>(undefined);
  const endRecording = () => {
    recordedFor.value = undefined;
    app.compose.focus();
  };
  if (recordedFor.value)
    return (
      <div class="compose-tools">
        <LazyRecorder to={recordedFor.value} end={endRecording} />
      </div>
    );
  return (
    <div class="compose-tools">
      <Attach to={writing} />
      <button
        type="button"
        class="icon-button small"
        aria-label={t.emoji}
        title={t.emoji}
        onClick={(event) =>
          openEmojiPicker(
            app,
            event.currentTarget,
            (emoji) => insert({ before: isToned(emoji) ? `${emoji.text} ` : `:${emoji.name}: `, after: "" }),
            true,
          )
        }
      >
        <Icon name="smile" size={17} />
      </button>
      <GifTool insert={insert} />
      <span class="format-tools">
        {formats().map(([icon, label, insertion]) => (
          <Tool key={label} icon={icon} label={label} run={() => insert(insertion)} />
        ))}
      </span>
      <Picker icon="calendar" label={t.addTime} insert={insert} content={(choose) => <LazyTime choose={choose} />} />
      <Picker
        icon="bookmark"
        label={t.snippets}
        insert={insert}
        content={(choose) => <LazySnippets writing={writing} choose={choose} />}
      />
      <CallTools insert={insert} />
      {writing === app.compose && <MessageTools record={(to) => (recordedFor.value = to)} />}
      <span class="space" />
      {writing === app.compose && <Expand />}
      <span class="end-tools">
        <button type="button" class="link quiet" aria-pressed={isPreviewed} onClick={togglePreview}>
          {isPreviewed ? t.write : t.preview}
        </button>
        {endTools}
      </span>
    </div>
  );
}

function CallTools({ insert }: { insert: Insert }) {
  const app = useApp();
  return (
    <>
      {offersCalls(app) && <Tool icon="video" label={t.startCall} run={() => void addCall(app, "video", insert)} />}
      {offersVoiceCalls(app) && (
        <Tool icon="phone" label={t.startVoiceCall} run={() => void addCall(app, "voice", insert)} />
      )}
    </>
  );
}

/** Gives the box the whole height, or takes that back. */
function Expand() {
  const { compose } = useApp();
  const { isExpanded } = compose;
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={t.wholeHeight}
      title={t.wholeHeight}
      aria-pressed={isExpanded.value}
      onClick={() => {
        isExpanded.value = !isExpanded.peek();
        compose.focus();
      }}
    >
      <Icon name={isExpanded.value ? "shrink" : "expand"} size={17} />
    </button>
  );
}

/** What a message may be besides a text. */
function MessageTools({ record }: { record(to: Conversation | undefined): void }) {
  const app = useApp();
  const begin = () => {
    const problem = app.compose.problem();
    if (problem) app.ui.note(problem, "problem");
    else record(app.compose.conversation.peek());
  };
  return (
    <>
      {canRecord() && <Tool icon="microphone" label={t.recordVoice} run={begin} />}
      <Tool icon="poll" label={t.makePoll} run={() => app.ui.openDialog(() => <LazyPoll />)} />
      <Tool icon="check" label={t.todo} run={() => app.ui.openDialog(() => <LazyTodo />)} />
    </>
  );
}

interface PickerProps extends Pick<Props, "insert"> {
  icon: IconName;
  label: string;
  content(choose: (text: string) => void): ComponentChildren;
}

/** A button that opens a choice of texts. What is chosen is put into the text. */
function Picker({ icon, label, insert, content }: PickerProps) {
  const { ui } = useApp();
  const choose = (text: string) => {
    ui.closeMenu(false);
    insert({ before: text, after: "" });
  };
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={label}
      title={label}
      onClick={(event) => ui.openMenu(event.currentTarget, label, () => content(choose))}
    >
      <Icon name={icon} size={17} />
    </button>
  );
}

/** Finds a GIF, where the organization has a provider of them. */
function GifTool({ insert }: Pick<Props, "insert">) {
  const provider = gifProvider(useApp());
  if (provider === undefined) return null;
  const content: PickerProps["content"] = (choose) => <LazyGifs provider={provider} choose={choose} />;
  return <Picker icon="gif" label={t.addGif} insert={insert} content={content} />;
}

async function addCall(app: App, kind: "video" | "voice", insert: Props["insert"]): Promise<void> {
  const give = app.ui.focus.later();
  const link = await linkToCall(app, kind);
  if (link !== undefined) insert({ before: `${link} `, after: "" }, give);
}

/** Sends what is written, now or later. */
export function SendTools({ send }: { send(): void }) {
  const app = useApp();
  return (
    <>
      <Tool
        icon="clock"
        label={t.sendLater}
        run={() => app.ui.openDialog(() => <LazyPickTime choose={(at) => app.compose.sendLater(at)} />)}
      />
      <button
        type="button"
        class="button send"
        disabled={app.compose.text.value.trim() === ""}
        aria-label={t.send}
        title={t.sendByKeys}
        onClick={send}
      >
        <Icon name="send" size={17} />
      </button>
    </>
  );
}

function Attach({ to }: { to: Writing }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Tool icon="attach" label={t.attach} run={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          to.attach(event.currentTarget.files ?? []);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

function Tool({ icon, label, run }: { icon: IconName; label: string; run(): void }) {
  return (
    <button type="button" class="icon-button small" aria-label={label} title={label} onClick={run}>
      <Icon name={icon} size={17} />
    </button>
  );
}
