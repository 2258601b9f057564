/** Polls and to-do lists. Applied in order, the submessages of a message give the state of its widget. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Message } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Icon, type IconName } from "../parts/icons.tsx";

interface Start {
  widget_type: "poll" | "todo";
  extra_data: {
    question?: string;
    options?: string[];
    task_list_title?: string;
    tasks?: { task: string; desc: string }[];
  };
}

/** The first submessage of a widget. Undefined when the message has no known widget. */
export function widgetOf(message: Message): Start | undefined {
  const first = message.submessages[0];
  if (!first) return undefined;
  const start = parse<Start>(first.content);
  return start?.widget_type === "poll" || start?.widget_type === "todo" ? start : undefined;
}

function parse<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

type Part = {
  type: string;
  key?: string | number;
  vote?: number;
  option?: string;
  idx?: number;
  question?: string;
  task?: string;
  desc?: string;
  title?: string;
  completed?: boolean;
};

const partsOf = (message: Message): { part: Part; by: number }[] =>
  message.submessages.slice(1).flatMap(({ content, sender_id: by }) => {
    const part = parse<Part>(content);
    return part && typeof part === "object" ? [{ part, by }] : [];
  });

export function Widget({ message, widget }: { message: Message; widget: Start }) {
  return widget.widget_type === "poll" ? (
    <Poll message={message} start={widget} />
  ) : (
    <Todo message={message} start={widget} />
  );
}

interface Option {
  key: string;
  text: string;
  voters: Set<number>;
}

/** https://zulip.readthedocs.io/en/latest/subsystems/widgets.html */
function foldPoll(message: Message, start: Start): { question: string; options: Option[] } {
  const options = (start.extra_data.options ?? []).map(
    (text, index): Option => ({ key: `canned,${index}`, text, voters: new Set() }),
  );
  let question = start.extra_data.question ?? "";
  for (const { part, by } of partsOf(message)) {
    if (part.type === "question" && by === message.sender_id && part.question) question = part.question;
    if (part.type === "new_option" && part.option) {
      const key = `${by},${part.idx}`;
      if (!options.some((option) => option.key === key)) options.push({ key, text: part.option, voters: new Set() });
    }
    const voters = part.type === "vote" ? options.find(({ key }) => key === part.key)?.voters : undefined;
    if (part.vote === 1) voters?.add(by);
    else if (part.vote === -1) voters?.delete(by);
  }
  return { question, options };
}

function Poll({ message, start }: { message: Message; start: Start }) {
  const app = useApp();
  const { question, options } = foldPoll(message, start);
  const most = Math.max(1, ...options.map(({ voters }) => voters.size));
  return (
    <section class="widget" aria-label={t.poll}>
      <Title
        icon="poll"
        title={question || t.poll}
        label={t.editQuestion}
        isMine={message.sender_id === app.me}
        change={(changed) => app.actions.vote(message, { type: "question", question: changed })}
      />
      <ul>
        {options.map(({ key, text, voters }) => {
          const isMine = voters.has(app.me);
          return (
            <li key={key}>
              <button
                type="button"
                class={`vote${isMine ? " mine" : ""}`}
                aria-pressed={isMine}
                aria-label={`${text}: ${t.votes(voters.size)}`}
                onClick={() => void app.actions.vote(message, { type: "vote", key, vote: isMine ? -1 : 1 })}
              >
                {voters.size}
              </button>
              <span class="option" dir="auto">
                {text}
                <span class="bar" style={{ width: `${(voters.size / most) * 100}%` }} />
              </span>
              <span class="soft voters">{[...voters].map((id) => app.people.name(id)).join(", ")}</span>
            </li>
          );
        })}
      </ul>
      <AddLine
        label={t.addOption}
        add={(option) => {
          const mine = partsOf(message).filter(({ part, by }) => part.type === "new_option" && by === app.me);
          return app.actions.vote(message, { type: "new_option", idx: mine.length + 1, option });
        }}
      />
    </section>
  );
}

function Todo({ message, start }: { message: Message; start: Start }) {
  const app = useApp();
  const tasks = (start.extra_data.tasks ?? []).map(({ task, desc }, index) => ({
    key: `${index},canned`,
    task,
    desc,
    isDone: false,
  }));
  let title = start.extra_data.task_list_title || t.todo;
  for (const { part, by } of partsOf(message)) {
    if (part.type === "new_task_list_title" && by === message.sender_id && part.title) title = part.title;
    if (part.type === "new_task" && part.task)
      tasks.push({ key: `${part.key},${by}`, task: part.task, desc: part.desc ?? "", isDone: part.completed ?? false });
    const struck = part.type === "strike" ? tasks.find(({ key }) => key === part.key) : undefined;
    if (struck) struck.isDone = !struck.isDone;
  }
  return (
    <section class="widget" aria-label={t.todo}>
      <Title
        icon="check"
        title={title}
        label={t.editTitle}
        isMine={message.sender_id === app.me}
        change={(changed) => app.actions.vote(message, { type: "new_task_list_title", title: changed })}
      />
      <ul>
        {tasks.map(({ key, task, desc, isDone }) => (
          <li key={key}>
            <label class={isDone ? "done" : ""}>
              <input
                type="checkbox"
                checked={isDone}
                onChange={() => void app.actions.vote(message, { type: "strike", key })}
              />
              <span dir="auto">
                {task}
                {desc && <span class="soft"> — {desc}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <AddLine
        label={t.addTask}
        add={(task) => {
          const mine = partsOf(message).filter(({ part, by }) => part.type === "new_task" && by === app.me);
          const part = { type: "new_task", key: mine.length + 1, task, desc: "", completed: false };
          return app.actions.vote(message, part);
        }}
      />
    </section>
  );
}

interface TitleProps {
  icon: IconName;
  title: string;
  /** What changing it is called. */
  label: string;
  /** Whether the reader wrote it, and so may change it. */
  isMine: boolean;
  change(title: string): Promise<unknown>;
}

function Title({ icon, title, label, isMine, change }: TitleProps) {
  const { focus } = useApp().ui;
  const isEdited = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const turn = (isOn: boolean) => {
    const give = focus.later();
    isEdited.value = isOn;
    requestAnimationFrame(() => give(place.current?.querySelector<HTMLElement>("input, button")));
  };
  if (isEdited.value)
    return (
      <div
        ref={place}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          turn(false);
        }}
      >
        <AddLine
          label={label}
          action={t.save}
          text={title}
          add={async (changed) => {
            const answer = changed === title || (await change(changed));
            if (answer) turn(false);
            return answer || undefined;
          }}
        />
      </div>
    );
  return (
    <div ref={place} class="widget-title">
      <Icon name={icon} size={16} /> <bdi>{title}</bdi>
      {isMine && (
        <button type="button" class="icon-button small" aria-label={label} title={label} onClick={() => turn(true)}>
          <Icon name="draft" size={15} />
        </button>
      )}
    </div>
  );
}

interface AddLineProps {
  label: string;
  action?: string;
  /** What stands in the field at first. */
  text?: string;
  /** Resolves with undefined when it failed: the text stays. */
  add(text: string): Promise<unknown>;
}

function AddLine({ label, action = t.add, text: first = "", add }: AddLineProps) {
  const text = useSignal(first);
  const isAdding = useSignal(false);
  const submit = async () => {
    if (text.value.trim() === "" || isAdding.value) return;
    isAdding.value = true;
    const sent = text.value;
    const done = await add(sent.trim());
    isAdding.value = false;
    if (done !== undefined && text.value === sent) text.value = "";
  };
  return (
    <form
      class="add-line"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit" class="button small">
        {action}
      </button>
    </form>
  );
}
