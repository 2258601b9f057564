/** Edits a message in place, with all that helps in writing one, or shows the source of somebody else's. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Message } from "../../../client/types.ts";
import type { Give } from "../../focus.ts";
import { type App, useApp } from "../../model/app.ts";
import { Edit } from "../../model/writing/edit.ts";
import { t } from "../../texts.ts";
import { WritingBox } from "../compose/writing-box.tsx";

function close(app: App, give: Give): void {
  app.ui.editing.value = undefined;
  give(document.querySelector<HTMLElement>(".virtual-list"), { preventScroll: true });
}

export function MessageEditor({ message }: { message: Message }) {
  const app = useApp();
  const source = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void app.actions
      .try<{ raw_content: string }>("GET", `/messages/${message.id}`, { apply_markdown: false })
      .then((answer) => {
        if (answer) source.value = answer.raw_content;
        else close(app, app.ui.takeEditor);
      });
  }, [message.id]);
  if (source.value === undefined) return <p class="soft">{t.loading}</p>;
  return app.permissions.edits(message) ? (
    <Editor message={message} source={source.value} />
  ) : (
    <Source source={source.value} />
  );
}

function Editor({ message, source }: { message: Message; source: string }) {
  const app = useApp();
  const edit = useMemo(() => {
    // What was begun goes on when the message has been out of view.
    const { begun } = app.ui;
    return new Edit(app, app.conversationOf(message), begun?.id === message.id ? begun.text : source);
  }, []);
  const input = useRef<HTMLTextAreaElement>(null);
  // At once: a key that is pressed when the box has shown up is the box's.
  useLayoutEffect(() => {
    app.ui.takeEditor(input.current);
    input.current?.setSelectionRange(edit.text.peek().length, edit.text.peek().length);
    return () => {
      app.ui.begun = app.ui.editing.peek() === message.id ? { id: message.id, text: edit.text.peek() } : undefined;
    };
  }, []);
  const end = () => close(app, app.ui.focus.later());
  const save = async () => {
    const give = app.ui.focus.later();
    if (edit.uploads.running.peek().length > 0) app.ui.note(t.needsUploads, "problem");
    else if (await app.actions.edit(message.id, edit.text.peek())) close(app, give);
  };
  return (
    <div
      class="message-editor compose"
      onDrop={(event) => {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (files.length === 0) return;
        event.preventDefault();
        edit.attach(files);
      }}
    >
      <WritingBox
        writing={edit}
        id="edit-text"
        label={t.editMessage}
        placeholder={t.editMessage}
        input={input}
        submit={() => void save()}
        leave={end}
        endTools={
          <span class="editor-ends">
            <button type="button" class="button quiet small" onClick={end}>
              {t.cancel}
            </button>
            <button type="button" class="button small" title={t.saveByKeys} onClick={() => void save()}>
              {t.save}
            </button>
          </span>
        }
      />
    </div>
  );
}

function Source({ source }: { source: string }) {
  const app = useApp();
  const box = useRef<HTMLTextAreaElement>(null);
  const end = () => close(app, app.ui.focus.later());
  useLayoutEffect(() => void app.ui.takeEditor(box.current), []);
  return (
    <div
      class="message-editor"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        end();
      }}
    >
      <textarea ref={box} dir="auto" rows={4} aria-label={t.viewSource} readOnly value={source} />
      <div class="editor-actions">
        <button type="button" class="button quiet small" onClick={end}>
          {t.close}
        </button>
      </div>
    </div>
  );
}
