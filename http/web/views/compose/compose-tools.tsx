/** The buttons below the text that is being written. */
import { useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { isToned } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { LazyPickTime, LazyPoll } from "../frame/lazy.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { formats, type Insertion } from "./insertion.ts";

interface Props {
  isPreviewed: boolean;
  insert(insertion: Insertion): void;
  send(): void;
  togglePreview(): void;
}

export function ComposeTools({ isPreviewed, insert, send, togglePreview }: Props) {
  const app = useApp();
  return (
    <div class="compose-tools">
      <Attach />
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
      <span class="format-tools">
        {formats.map(([icon, label, insertion]) => (
          <Tool key={label} icon={icon} label={label} run={() => insert(insertion)} />
        ))}
      </span>
      <Tool icon="poll" label={t.makePoll} run={() => app.ui.openDialog(() => <LazyPoll />)} />
      <span class="space" />
      <button type="button" class="link quiet" aria-pressed={isPreviewed} onClick={togglePreview}>
        {isPreviewed ? t.write : t.preview}
      </button>
      <Tool icon="clock" label={t.sendLater} run={() => app.ui.openDialog(() => <LazyPickTime />)} />
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
    </div>
  );
}

function Attach() {
  const { compose } = useApp();
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
          compose.attach(event.currentTarget.files ?? []);
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
