/** Reports a message to the moderators. */
import { useSignal } from "@preact/signals";
import type { Message } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

export function ReportDialog({ message }: { message: Message }) {
  const app = useApp();
  const kinds = app.store.state.server_report_message_types ?? [];
  const kind = useSignal(kinds[0]?.key ?? "other");
  const text = useSignal("");
  const submit = async () => {
    const params = { report_type: kind.value, description: text.value };
    if (!(await app.actions.try("POST", `/messages/${message.id}/report`, params))) return;
    app.ui.closeDialog();
    app.ui.note(t.reported);
  };
  return (
    <Dialog title={t.reportMessage}>
      <Form submit={submit}>
        <label>
          {t.reportReason}
          <select value={kind.value} onChange={(event) => (kind.value = event.currentTarget.value)}>
            {kinds.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.reportDetails}
          <textarea
            rows={3}
            maxLength={1000}
            required={kind.value === "other"}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        <footer>
          <button type="submit" class="button">
            {t.report}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
