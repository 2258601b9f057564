/** Edits a message in place, or shows the source of somebody else's. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import type { Message } from "../../wire/types.ts";

export function MessageEditor({ message }: { message: Message }) {
  const app = useApp();
  const source = useSignal<string | undefined>(undefined);
  const box = useRef<HTMLTextAreaElement>(null);
  const mayEdit = app.permissions.edits(message);
  const close = () => {
    app.ui.editing.value = undefined;
    document.querySelector<HTMLElement>(".virtual-list")?.focus({ preventScroll: true });
  };
  useEffect(() => {
    void app.actions
      .try<{ raw_content: string }>("GET", `/messages/${message.id}`, { apply_markdown: false })
      .then((answer) => {
        if (answer) source.value = answer.raw_content;
        else close();
      });
  }, [message.id]);
  const isLoaded = source.value !== undefined;
  useEffect(() => {
    if (!isLoaded || !box.current) return;
    box.current.focus();
    box.current.setSelectionRange(box.current.value.length, box.current.value.length);
  }, [isLoaded]);
  if (!isLoaded) return <p class="soft">{t.loading}</p>;
  const save = async () => {
    const done = await app.actions.edit(message.id, box.current!.value);
    if (done) close();
  };
  return (
    <form
      class="message-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
        } else if (mayEdit && event.key === "Enter" && (event.ctrlKey || event.metaKey || !event.shiftKey)) {
          event.preventDefault();
          void save();
        }
      }}
    >
      <textarea
        ref={box}
        dir="auto"
        rows={4}
        aria-label={mayEdit ? t.editMessage : t.viewSource}
        readOnly={!mayEdit}
        defaultValue={source.value}
      />
      <div class="editor-actions">
        {mayEdit && (
          <button type="submit" class="button small">
            {t.save}
          </button>
        )}
        <button type="button" class="button quiet small" onClick={close}>
          {mayEdit ? t.cancel : t.close}
        </button>
      </div>
    </form>
  );
}
