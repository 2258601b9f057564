/** Creates a list of tasks. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

export function NewTodo() {
  const app = useApp();
  const title = useSignal("");
  const tasks = useSignal("");
  return (
    <Dialog title={t.todo}>
      <Form
        submit={() => {
          const list = `/todo ${title.value.trim()}\n${tasks.value.trim()}`;
          if (app.compose.sendText(list)) app.ui.closeDialog();
        }}
      >
        <label>
          {t.todoTitle}
          <input
            dir="auto"
            placeholder={t.todo}
            value={title}
            onInput={(event) => (title.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {t.todoTasks}
          <textarea
            required
            rows={4}
            dir="auto"
            value={tasks}
            onInput={(event) => (tasks.value = event.currentTarget.value)}
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
