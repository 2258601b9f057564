/** The text of the message that is being written: its box, its keys, and what is pasted. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { complete } from "../../model/completion.ts";
import { t } from "../../texts.ts";
import { Completions } from "./completions.tsx";
import { editLast } from "./edit-last.ts";
import { type Insertion, shortcuts } from "./insertion.ts";

const maxHeightShare = 0.4;
/** Whether the box grows with its text by CSS alone. The style sheet limits how far. */
const growsByItself = CSS.supports("field-sizing", "content");

interface Props {
  input: RefObject<HTMLTextAreaElement | null>;
  insert(insertion: Insertion): void;
  send(): void;
  togglePreview(): void;
}

export function TextBox({ input, ...orders }: Props) {
  const app = useApp();
  const { compose } = app;
  const caret = useSignal(0);
  const text = compose.text.value;
  useLayoutEffect(() => {
    const box = input.current;
    if (!box || growsByItself) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, innerHeight * maxHeightShare)}px`;
  }, [text]);
  return (
    <Completions
      input={input}
      text={text}
      caret={caret.value}
      find={(before) =>
        complete({ ...parts(app), topicsOf: (id) => app.topics.of(id)?.map(({ name }) => name) ?? [] }, before)
      }
    >
      {(aria, completesKey) => (
        <textarea
          {...aria}
          ref={input}
          id="compose-text"
          dir="auto"
          rows={1}
          placeholder={placeholderOf(app)}
          aria-label={t.compose}
          value={text}
          onInput={(event) => {
            caret.value = event.currentTarget.selectionStart;
            compose.write(event.currentTarget.value);
          }}
          onSelect={(event) => (caret.value = event.currentTarget.selectionStart)}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length === 0) return;
            event.preventDefault();
            compose.attach(files);
          }}
          onKeyDown={(event) => {
            if (completesKey(event) || event.isComposing) return;
            if (event.key === "Escape") event.currentTarget.blur();
            else if (obey(app, orders, event)) event.preventDefault();
          }}
        />
      )}
    </Completions>
  );
}

/** Does what a key orders. Returns whether it orders anything. */
function obey(app: App, { insert, send, togglePreview }: Omit<Props, "input">, event: KeyboardEvent): boolean {
  const { key, altKey, shiftKey } = event;
  const isControlled = event.ctrlKey || event.metaKey;
  const sendsByEnter = app.store.state.user_settings?.["enter_sends"] === true;
  const insertion = isControlled ? shortcuts[key] : undefined;
  if (key === "Enter" && (isControlled || (sendsByEnter && !shiftKey))) send();
  else if (altKey && key === "p") togglePreview();
  else if (insertion) insert(insertion);
  else return key === "ArrowUp" && app.compose.text.peek() === "" && editLast(app);
  return true;
}

const parts = ({ people, channels, emoji, store }: App) => ({ people, channels, emoji, store });

function placeholderOf(app: App): string {
  const conversation = app.compose.conversation.value;
  if (!conversation) return t.compose;
  if (conversation.kind === "direct")
    return t.messageTo(
      conversation.userIds
        .filter((id) => id !== app.me)
        .map((id) => app.people.name(id))
        .join(", ") || t.notesToSelf,
    );
  return t.messageTo(`#${app.channels.name(conversation.channelId)} › ${conversation.topic || t.generalChat}`);
}
