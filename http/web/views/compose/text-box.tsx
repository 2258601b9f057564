/** The text of the message that is being written: its box, its keys, and what is pasted. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { complete } from "../../model/writing/completion.ts";
import type { Writing } from "../../model/writing/writing.ts";
import { Completions } from "./completions.tsx";
import { editLast } from "./edit-last.ts";
import { type Insertion, shortcuts } from "./insertion.ts";
import { nearTo } from "./near.ts";
import { paste } from "./paste.ts";

const maxHeightShare = 0.4;
/** Whether the box grows with its text by CSS alone. The style sheet limits how far. */
const growsByItself = CSS.supports("field-sizing", "content");

interface Props {
  writing: Writing;
  id: string;
  label: string;
  placeholder: string;
  input: RefObject<HTMLTextAreaElement | null>;
  insert(insertion: Insertion): void;
  submit(): void;
  togglePreview(): void;
  /** Called at Esc. */
  leave(): void;
}

export function TextBox({ input, writing, id, label, placeholder, ...orders }: Props) {
  const app = useApp();
  const caret = useSignal(0);
  const text = writing.text.value;
  useLayoutEffect(() => {
    const box = input.current;
    if (!box || growsByItself) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, innerHeight * maxHeightShare)}px`;
  }, [text]);
  return (
    <Completions
      id={id}
      input={input}
      text={text}
      caret={caret.value}
      find={(before) =>
        complete(
          {
            ...parts(app),
            channelId: channelOf(writing),
            get near() {
              return nearTo(app, writing.conversation.peek());
            },
            topicsOf: (id) => app.topics.of(id)?.map(({ name }) => name) ?? [],
          },
          before,
        )
      }
    >
      {(aria, completesKey) => (
        <textarea
          {...aria}
          ref={input}
          id={id}
          dir="auto"
          rows={1}
          placeholder={placeholder}
          aria-label={label}
          value={text}
          onInput={(event) => {
            caret.value = event.currentTarget.selectionStart;
            writing.write(event.currentTarget.value);
          }}
          onSelect={(event) => (caret.value = event.currentTarget.selectionStart)}
          onPaste={(event) => {
            if (paste(app, event.clipboardData, event.currentTarget, writing)) event.preventDefault();
          }}
          onKeyDown={(event) => {
            if (completesKey(event) || event.isComposing) return;
            if (obey(app, writing, orders, event)) event.preventDefault();
          }}
        />
      )}
    </Completions>
  );
}

function channelOf({ conversation }: Writing): number | undefined {
  const to = conversation.peek();
  return to?.kind === "topic" ? to.channelId : undefined;
}

type Orders = Pick<Props, "insert" | "submit" | "togglePreview" | "leave">;

/** Does what a key orders. Returns whether it orders anything. */
function obey(app: App, writing: Writing, orders: Orders, event: KeyboardEvent): boolean {
  const { insert, submit, togglePreview, leave } = orders;
  const { key, altKey, shiftKey } = event;
  const isControlled = event.ctrlKey || event.metaKey;
  const sendsByEnter = app.store.state.user_settings?.["enter_sends"] === true;
  const insertion = isControlled ? shortcuts[key] : undefined;
  if (key === "Enter" && (isControlled || (sendsByEnter && !shiftKey))) submit();
  else if (altKey && key === "p") togglePreview();
  // A menu that is still being loaded has not taken the focus, and is what Escape closes.
  else if (key === "Escape" && !app.ui.menu.peek()) leave();
  else if (insertion) insert(insertion);
  else return key === "ArrowUp" && writing === app.compose && writing.text.peek() === "" && editLast(app);
  return true;
}

const parts = ({ people, channels, emoji, store }: App) => ({ people, channels, emoji, store });
