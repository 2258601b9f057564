/** Further API keys of the person: for single programs, which may do less and end alone. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { ago, fullTime } from "../views/parts/dates.ts";
import { Action, emptySent, entries, Rows, Section, textsIn } from "./fields.tsx";
import { s } from "./texts.ts";

interface KeyRecord {
  id: number;
  name: string;
  scope: keyof typeof s.keyScopes;
  date_created: number;
  last_used: number | null;
  expires_at: number | null;
}

export function FurtherKeys() {
  const app = useApp();
  const { answer, again } = useAnswer<{ api_keys: KeyRecord[] }>("/users/me/api_keys");
  const made = useSignal("");
  const make = async (form: HTMLFormElement) => {
    const sent = textsIn(form);
    const { days, ...params } = sent;
    const reply = await app.actions.try<{ api_key: string }>("POST", "/users/me/api_keys", {
      ...params,
      ...(days && { expires_in_days: Number(days) }),
    });
    if (!reply) return;
    made.value = reply.api_key;
    emptySent(form, sent);
    again();
  };
  return (
    <Section title={s.furtherKeys} hint={s.furtherKeysHint}>
      {answer && (
        <Rows
          items={answer.api_keys}
          row={(key) => (
            <FurtherKey of={key} end={() => app.actions.try("DELETE", `/users/me/api_keys/${key.id}`).then(again)} />
          )}
        />
      )}
      {made.value !== "" && (
        <p>
          <code>{made.value}</code>
        </p>
      )}
      <form
        class="add-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make(event.currentTarget);
        }}
      >
        <input name="name" aria-label={s.keyName} placeholder={s.keyName} maxLength={60} required />
        <Select name="scope" label={s.keyScope} choices={s.keyScopes} />
        <Select name="days" label={s.keyEnd} choices={s.keyEnds} />
        <button type="submit" class="button small">
          {s.makeKey}
        </button>
      </form>
    </Section>
  );
}

function FurtherKey({ of: key, end }: { of: KeyRecord; end(): Promise<unknown> }) {
  return (
    <>
      <span>
        <bdi>{key.name}</bdi> <span class="tag">{s.keyScopes[key.scope]}</span>
        <br />
        <span class="soft">
          {key.last_used === null ? s.keyUnused : s.keyUsed(ago(key.last_used))}
          {key.expires_at !== null && `, ${s.until(fullTime(key.expires_at))}`}
        </span>
      </span>
      <Action isDangerous label={s.endKey} run={end} />
    </>
  );
}

function Select({ name, label, choices }: { name: string; label: string; choices: Record<string, string> }) {
  return (
    <select name={name} aria-label={label}>
      {entries(choices).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
