/** Fields of settings. Each shows the present value, and saves a change at once. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isAnonymousGroup } from "../../client/state/groups.ts";
import { perLanguage } from "../languages/speaking.ts";
import { useApp } from "../model/app.ts";
import { confirmDialog } from "../views/frame/layers.tsx";
import { s } from "./texts.ts";

export function Section({ title, hint, children }: { title: string; hint?: string; children: ComponentChildren }) {
  return (
    <section class="setting-section">
      <h3>{title}</h3>
      {hint && <p class="soft">{hint}</p>}
      {children}
    </section>
  );
}

interface FieldProps<T> {
  label: string;
  value: T;
  set(value: T): unknown;
  disabled?: boolean;
}

/** What the person chose, until the server has said what holds: an event about something else does not undo it. */
function useChosen<T>({ value, set }: FieldProps<T>): [T, (value: T) => void] {
  const chosen = useSignal<{ value: T } | undefined>(undefined);
  useEffect(() => {
    chosen.value = undefined;
  }, [value]);
  const choose = (next: T) => {
    chosen.value = { value: next };
    void Promise.resolve(set(next)).then((done) => {
      if (done === undefined) chosen.value = undefined;
    });
  };
  return [chosen.value ? chosen.value.value : value, choose];
}

export function Toggle(props: FieldProps<boolean> & { hint?: string | undefined }) {
  const { label, disabled, hint } = props;
  const [value, set] = useChosen(props);
  return (
    <label class="toggle">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="soft"> {hint}</span>}
      </span>
    </label>
  );
}

/** The choices of a table of texts. */
export const entries = (table: Readonly<Record<string, string>>): [string, string][] => Object.entries(table);

export function Choice(props: FieldProps<string> & { choices: readonly (readonly [string, string])[] }) {
  const { label, disabled, choices } = props;
  const [value, set] = useChosen(props);
  // What is chosen may go from the list before the server has answered.
  const shown = choices.some(([key]) => key === value) ? value : props.value;
  return (
    <label class="field">
      <span>{label}</span>
      <select value={shown} disabled={disabled} onChange={(event) => set(event.currentTarget.value)}>
        {choices.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A text, saved by a button or by Enter. */
export function TextField(
  props: FieldProps<string> & {
    type?: "text" | "number" | "email" | "date" | "url";
    isLong?: boolean;
    maxLength?: number;
  },
) {
  const { label, value, set, disabled, type = "text", isLong, maxLength } = props;
  const typed = useSignal<string | undefined>(undefined);
  const now = typed.value ?? value;
  const change = (text: string) => {
    typed.value = text;
  };
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        void Promise.resolve(set(now)).then((done) => {
          // What was typed since then is another text.
          if (done !== undefined && typed.value === now) typed.value = undefined;
        });
      }}
    >
      <label>
        <span>{label}</span>
        {isLong ? (
          <textarea
            rows={3}
            dir="auto"
            value={now}
            disabled={disabled}
            maxLength={maxLength}
            onInput={(event) => change(event.currentTarget.value)}
          />
        ) : (
          <input
            type={type}
            dir="auto"
            value={now}
            disabled={disabled}
            maxLength={maxLength}
            list={undefined}
            onInput={(event) => change(event.currentTarget.value)}
          />
        )}
      </label>
      {typed.value !== undefined && typed.value !== value && (
        <button type="submit" class="button small">
          {s.change}
        </button>
      )}
    </form>
  );
}

/** A picture from the person's machine. */
export function FileField({ label, choose }: { label: string; choose(file: File | undefined): unknown }) {
  const name = useSignal("");
  return (
    <div class="file-field">
      <span aria-hidden="true">{label}</span>
      <label class="button small quiet">
        {s.upload}
        <input
          type="file"
          accept="image/*"
          class="visually-hidden"
          aria-label={label}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            name.value = file?.name ?? "";
            choose(file);
          }}
        />
      </label>
      <bdi class="soft ellipsis">{name}</bdi>
    </div>
  );
}

const units = ["day", "hour", "minute", "second"] as const;
const secsOf = { day: 86_400, hour: 3600, minute: 60, second: 1 } as const;
const wordsOf = (unit: (typeof units)[number]) =>
  perLanguage((locale) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }));
const formats = { day: wordsOf("day"), hour: wordsOf("hour"), minute: wordsOf("minute"), second: wordsOf("second") };

/** A length of time in the largest unit of which it is a whole number. */
export function lengthOf(secs: number): string {
  const unit = units.find((one) => secs % secsOf[one] === 0) ?? "second";
  return formats[unit]().format(secs / secsOf[unit]);
}

/** Lengths that people choose from, in seconds. What another program set stands among them. */
const usualSecs = [120, 600, 3600, 86_400, 604_800];

/** A length of time, or none: null. */
export function LengthChoice({ value, set, ...field }: FieldProps<number | null>) {
  const offered = [...new Set([...usualSecs, ...(value === null ? [] : [value])])].sort((one, other) => one - other);
  return (
    <Choice
      {...field}
      value={String(value ?? "")}
      choices={[...offered.map((secs) => [String(secs), lengthOf(secs)] as const), ["", s.atAnyTime]]}
      set={(text) => set(text === "" ? null : Number(text))}
    />
  );
}

/** Chooses the group of a permission. An anonymous group stays until another one is chosen. */
export function GroupChoice({ label, value, set, disabled }: FieldProps<unknown>) {
  const app = useApp();
  const groups = (app.store.read("groups").realm_user_groups ?? []).filter((group) => !group["deactivated"]);
  const nameOf = (name: string): string => s.systemGroups[name] ?? name;
  const own = isAnonymousGroup(value)
    ? [
        ...value.direct_members.map((id) => app.people.name(id)),
        ...value.direct_subgroups.map((id) => nameOf(groups.find((group) => group.id === id)?.name ?? "")),
      ].join(", ") || s.none
    : undefined;
  const choices: [string, string][] = groups.map(({ id, name }) => [String(id), nameOf(name)]);
  return (
    <Choice
      label={label}
      value={own === undefined ? String(value) : ""}
      choices={own === undefined ? choices : [["", own], ...choices]}
      disabled={disabled ?? false}
      set={(id) => id !== "" && set(Number(id))}
    />
  );
}

/** What is written into the fields of a form, by their names. */
export const textsIn = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

/** Empties the fields of a form that was taken. What was written there since it was sent stays. */
export function emptySent(form: HTMLFormElement, sent: Readonly<Record<string, string>>): void {
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) continue;
    if (field.value === sent[field.name]) field.value = field.defaultValue;
  }
}

/** A form that adds one item to a list, or changes one. */
export function AddForm({
  fields,
  run,
  action = s.add,
  values = {},
}: {
  fields: readonly (readonly [name: string, label: string])[];
  run(values: Record<string, string>): Promise<unknown>;
  action?: string;
  /** What the fields begin with. */
  values?: Readonly<Record<string, string>>;
}) {
  return (
    <form
      class="add-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const sent = textsIn(form);
        void run(sent).then((done) => done !== undefined && emptySent(form, sent));
      }}
    >
      {fields.map(([name, label]) => (
        <input key={name} name={name} aria-label={label} placeholder={label} defaultValue={values[name]} required />
      ))}
      <button type="submit" class="button small">
        {action}
      </button>
    </form>
  );
}

export function Rows<T>({
  items,
  empty = s.nothing,
  row,
}: {
  items: readonly T[];
  empty?: string;
  row(item: T): ComponentChildren;
}) {
  if (items.length === 0) return <p class="soft">{empty}</p>;
  return (
    <ul class="setting-rows">
      {items.map((item, index) => (
        <li key={index}>{row(item)}</li>
      ))}
    </ul>
  );
}

/** Explains why nothing can be changed here. */
export function Refusal({ isShown, text = s.adminsOnly }: { isShown: boolean; text?: string }) {
  return isShown ? <p class="refusal">{text}</p> : null;
}

/** An action that loses something. It asks again, with a button labelled `action`. */
export function DangerousAction(props: { label: string; text: string; action?: string; run(): void }) {
  const { label, text, action = label, run } = props;
  const app = useApp();
  return <Action isDangerous label={label} run={() => confirmDialog(app.ui, { title: label, text, action, run })} />;
}

export function Action({ label, run, isDangerous = false }: { label: string; run(): unknown; isDangerous?: boolean }) {
  return (
    <button type="button" class={`button small quiet${isDangerous ? " danger" : ""}`} onClick={() => void run()}>
      {label}
    </button>
  );
}
