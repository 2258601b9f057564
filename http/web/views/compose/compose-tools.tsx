/** The buttons below the text that is being written. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { isToned } from "../../model/emoji.ts";
import type { Writing } from "../../model/writing/writing.ts";
import { t } from "../../texts.ts";
import { LazyPickTime, LazyPoll } from "../frame/lazy.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { formats, type Insertion } from "./insertion.ts";

interface Props {
  writing: Writing;
  isPreviewed: boolean;
  insert(insertion: Insertion): void;
  togglePreview(): void;
  endTools: ComponentChildren;
}

export function ComposeTools({ writing, isPreviewed, insert, togglePreview, endTools }: Props) {
  const app = useApp();
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
      <span class="format-tools">
        {formats.map(([icon, label, insertion]) => (
          <Tool key={label} icon={icon} label={label} run={() => insert(insertion)} />
        ))}
      </span>
      {writing === app.compose && (
        <Tool icon="poll" label={t.makePoll} run={() => app.ui.openDialog(() => <LazyPoll />)} />
      )}
      <span class="space" />
      <button type="button" class="link quiet" aria-pressed={isPreviewed} onClick={togglePreview}>
        {isPreviewed ? t.write : t.preview}
      </button>
      {endTools}
    </div>
  );
}

/** Sends what is written, now or later. */
export function SendTools({ send }: { send(): void }) {
  const app = useApp();
  return (
    <>
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
