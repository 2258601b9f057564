/** Creates a poll, or a list of tasks: a line that names it, and a line for each answer or task. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

interface Props {
  /** What its message begins with. */
  command: "/poll" | "/todo";
  title: string;
  /** What names it, and what stands there while it has no name. Without the latter a name is needed. */
  name: { label: string; placeholder?: string };
  lines: { label: string; required?: boolean };
}

function NewWidget({ command, title, name, lines }: Props) {
  const app = useApp();
  const named = useSignal("");
  const listed = useSignal("");
  return (
    <Dialog title={title}>
      <Form
        submit={() => {
          const content = `${command} ${named.value.trim()}\n${listed.value.trim()}`;
          if (app.compose.sendText(content)) app.ui.closeDialog();
        }}
      >
        <label>
          {name.label}
          <input
            required={name.placeholder === undefined}
            placeholder={name.placeholder}
            dir="auto"
            value={named}
            onInput={(event) => (named.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {lines.label}
          <textarea
            required={lines.required}
            rows={4}
            dir="auto"
            value={listed}
            onInput={(event) => (listed.value = event.currentTarget.value)}
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

export const NewPoll = () => (
  <NewWidget command="/poll" title={t.makePoll} name={{ label: t.pollQuestion }} lines={{ label: t.pollOptions }} />
);

export const NewTodo = () => (
  <NewWidget
    command="/todo"
    title={t.todo}
    name={{ label: t.todoTitle, placeholder: t.todo }}
    lines={{ label: t.todoTasks, required: true }}
  />
);
