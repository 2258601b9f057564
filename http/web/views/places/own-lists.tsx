/** What the lists of drafts, scheduled messages and reminders have in common: an item, and editing it in place. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Give } from "../../focus.ts";
import { useApp } from "../../model/app.ts";
import { Edit } from "../../model/writing/edit.ts";
import { t } from "../../texts.ts";
import type { Conversation } from "../../wire/narrow.ts";
import { WritingBox } from "../compose/writing-box.tsx";
import { focusRow } from "../frame/moving.ts";
import { ConversationBar } from "../messages/conversation-bar.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";

interface ListProps {
  icon: IconName;
  label: string;
  empty: string;
  hint: string;
  children: ComponentChildren[];
}

export function OwnList({ icon, label, empty, hint, children }: ListProps) {
  if (children.length === 0)
    return (
      <div class="empty">
        <Icon name={icon} size={44} />
        <p>{empty}</p>
        <p class="soft">{hint}</p>
      </div>
    );
  return (
    <ul class="own-list" aria-label={label}>
      {children}
    </ul>
  );
}

interface ItemAction {
  label: string;
  run(): void;
  /** Whether the keys that go through the list stop at it. */
  isFirst?: boolean;
  /** Whether Backspace does it. */
  isDeletion?: boolean;
}

interface ItemProps {
  conversation: Conversation | undefined;
  at: ComponentChildren;
  children: ComponentChildren;
  /** The text that is edited where it is shown; none for what cannot be edited. */
  source?: string | undefined;
  /** Stores the edited text. Returns whether it was taken. */
  save?(text: string): Promise<boolean>;
  actions: readonly ItemAction[];
}

export function Item({ conversation, at, children, source, save, actions }: ItemProps) {
  const isEdited = useSignal(false);
  const edit = useRef<HTMLButtonElement>(null);
  const { focus } = useApp().ui;
  const end = (give: Give = focus.later()) => {
    isEdited.value = false;
    requestAnimationFrame(() => give(edit.current));
  };
  return (
    <li
      onKeyDown={(event) => {
        const deletion = actions.find(({ isDeletion }) => isDeletion);
        if (!deletion || event.key !== "Backspace" || !(event.target instanceof HTMLButtonElement)) return;
        event.preventDefault();
        focusRow(1);
        deletion.run();
      }}
    >
      <div class="own-head">
        {conversation && <ConversationBar conversation={conversation} />}
        <time class="soft">{at}</time>
      </div>
      {isEdited.value && source !== undefined && save ? (
        <InPlace conversation={conversation} source={source} save={save} end={end} />
      ) : (
        <>
          {children}
          <div class="own-actions">
            {source !== undefined && (
              <button ref={edit} type="button" class="button quiet small" onClick={() => (isEdited.value = true)}>
                {t.edit}
              </button>
            )}
            {actions.map(({ label, run, isFirst }) => (
              <button
                key={label}
                type="button"
                class="button quiet small"
                onClick={run}
                {...(isFirst && { "data-row": "" })}
              >
                {label}
              </button>
            ))}
          </div>
        </>
      )}
    </li>
  );
}

interface InPlaceProps extends Required<Pick<ItemProps, "conversation" | "save">> {
  source: string;
  /** @param give the wish of what has waited since */
  end(give?: Give): void;
}

function InPlace({ conversation, source, save, end }: InPlaceProps) {
  const app = useApp();
  const input = useRef<HTMLTextAreaElement>(null);
  const edit = useMemo(() => new Edit(app, conversation, source), []);
  useLayoutEffect(() => input.current?.focus(), []);
  const submit = async () => {
    const give = app.ui.focus.later();
    const text = edit.text.peek().trim();
    if (edit.uploads.running.peek().length > 0) app.ui.note(t.needsUploads, "problem");
    else if (text === "") app.ui.note(t.needsText, "problem");
    else if (await save(text)) end(give);
  };
  return (
    <div class="message-editor compose">
      <WritingBox
        writing={edit}
        id="own-text"
        label={t.editMessage}
        placeholder={t.editMessage}
        input={input}
        submit={() => void submit()}
        leave={() => end()}
        endTools={
          <>
            <button type="button" class="button quiet small" onClick={() => end()}>
              {t.cancel}
            </button>
            <button type="button" class="button small" title={t.saveByKeys} onClick={() => void submit()}>
              {t.save}
            </button>
          </>
        }
      />
    </div>
  );
}
