/** Sets the person's status. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import type { Emoji } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Form } from "../parts/form.tsx";

export function StatusDialog() {
  const app = useApp();
  const all = app.store.state.user_status;
  const text = useSignal(all?.[app.me]?.status_text ?? "");
  const emoji = useSignal<Emoji | undefined>(undefined);
  const set = async (status: string, chosen: Emoji | undefined) => {
    const params = {
      status_text: status,
      emoji_name: chosen?.name ?? "",
      emoji_code: chosen?.code,
      reaction_type: chosen?.type,
    };
    if (await app.actions.try("POST", "/users/me/status", params)) app.ui.closeDialog();
  };
  return (
    <Dialog title={t.setStatus}>
      <Form submit={() => set(text.value, emoji.value)}>
        <div class="row">
          <button
            type="button"
            class="button quiet"
            aria-label={t.emoji}
            onClick={(event) => openEmojiPicker(app, event.currentTarget, (one) => (emoji.value = one))}
          >
            {emoji.value?.text ?? "🙂"}
          </button>
          <input
            aria-label={t.status}
            maxLength={60}
            dir="auto"
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </div>
        <footer>
          <button type="button" class="button quiet" onClick={() => void set("", undefined)}>
            {t.clearStatus}
          </button>
          <button type="submit" class="button">
            {t.save}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
