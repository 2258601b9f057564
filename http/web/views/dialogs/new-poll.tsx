/** Creates a poll. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

export function NewPoll() {
  const app = useApp();
  const question = useSignal("");
  const options = useSignal("");
  return (
    <Dialog title={t.makePoll}>
      <Form
        submit={() => {
          const poll = `/poll ${question.value.trim()}\n${options.value.trim()}`;
          if (app.compose.sendText(poll)) app.ui.closeDialog();
        }}
      >
        <label>
          {t.pollQuestion}
          <input
            required
            dir="auto"
            value={question}
            onInput={(event) => (question.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {t.pollOptions}
          <textarea
            rows={4}
            dir="auto"
            value={options}
            onInput={(event) => (options.value = event.currentTarget.value)}
          />
        </label>
        <footer>
          <button type="submit" class="button">
            {t.send}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
