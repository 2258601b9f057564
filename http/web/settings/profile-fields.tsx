/** Fields that the organization adds to profiles: the person's own values, and which fields there are. */
import { useSignal } from "@preact/signals";
import type { ProfileField } from "../../client/types.ts";
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { Action, Choice, emptySent, Refusal, Rows, Section, TextField, textsIn } from "./fields.tsx";
import { MemberList } from "./member-list.tsx";
import { s } from "./texts.ts";

/** https://zulip.com/api/create-custom-profile-field */
const kinds = { short: 1, long: 2, options: 3, date: 4, link: 5, people: 6, account: 7, pronouns: 8 } as const;

function useFields(): readonly ProfileField[] {
  return useApp().store.read("realm", "people").custom_profile_fields ?? [];
}

/** What may be chosen in a field, as it keeps it in JSON. */
function choicesOf(field: ProfileField): Record<string, { text: string; order: string }> {
  try {
    return JSON.parse(field.field_data || "{}");
  } catch {
    return {};
  }
}

/** What one's profile says, field by field; or, for administrators, somebody else's. */
export function FieldsOf({ userId }: { userId: number }) {
  const fields = useFields();
  return (
    <>
      {fields.map((field) => (
        <FieldOf key={field.id} field={field} userId={userId} />
      ))}
    </>
  );
}

function FieldOf({ field, userId }: { field: ProfileField; userId: number }) {
  const app = useApp();
  const isFixed = field.editable_by_user === false && !app.permissions.isAdmin;
  const value = app.people.get(userId)?.profile_data?.[field.id]?.value ?? "";
  const set = (next: string | number[]) => {
    const isEmpty = next.length === 0;
    const data = [{ id: field.id, value: isEmpty ? null : next }];
    if (userId !== app.me) return app.actions.try("PATCH", `/users/${userId}`, { profile_data: data });
    return isEmpty
      ? app.actions.try("DELETE", "/users/me/profile_data", { data: [field.id] })
      : app.actions.try("PATCH", "/users/me/profile_data", { data });
  };
  const shared = { label: field.name, disabled: isFixed };
  if (field.type === kinds.options) {
    const options = Object.entries(choicesOf(field));
    options.sort(([, a], [, b]) => Number(a.order) - Number(b.order));
    const choices = options.map(([key, { text }]) => [key, text] as const);
    return <Choice {...shared} value={value} choices={[["", "—"], ...choices]} set={set} />;
  }
  if (field.type === kinds.people) return <PeopleField field={field} value={value} isFixed={isFixed} set={set} />;
  const type = field.type === kinds.date ? "date" : field.type === kinds.link ? "url" : "text";
  return (
    <>
      <TextField {...shared} type={type} isLong={field.type === kinds.long} value={value} set={set} />
      {field.hint && <p class="soft">{field.hint}</p>}
      <Refusal isShown={isFixed} />
    </>
  );
}

function PeopleField(props: {
  field: ProfileField;
  value: string;
  isFixed: boolean;
  set(ids: number[]): Promise<unknown>;
}) {
  const { field, value, isFixed, set } = props;
  const ids = parseIds(value);
  return (
    <fieldset class="field">
      <legend>{field.name}</legend>
      <MemberList
        userIds={ids}
        mayRemove={!isFixed}
        {...(!isFixed && { add: (id: number) => set([...ids, id]) })}
        remove={(id) => set(ids.filter((one) => one !== id))}
      />
      <Refusal isShown={isFixed} />
    </fieldset>
  );
}

function parseIds(text: string): number[] {
  try {
    const ids: unknown = JSON.parse(text || "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "number") : [];
  } catch {
    return [];
  }
}

/** Which fields there are. */
export function ProfileFields() {
  const app = useApp();
  const fields = useFields();
  const { isAdmin } = app.permissions;
  const types = Object.values(app.store.state.custom_profile_field_types ?? {});
  const nameOf = (id: number): string => kindName(types.find((type) => type.id === id));
  const order = (from: number, to: number) => {
    const ids = fields.map(({ id }) => id);
    ids.splice(to, 0, ...ids.splice(from, 1));
    return app.actions.try("PATCH", "/realm/profile_fields", { order: ids });
  };
  return (
    <Section title={s.fields}>
      <Refusal isShown={!isAdmin} />
      <Rows
        items={fields}
        row={(field) => (
          <FieldRow
            field={field}
            kind={nameOf(field.type)}
            {...(fields.indexOf(field) > 0 && {
              moveUp: () => order(fields.indexOf(field), fields.indexOf(field) - 1),
            })}
          />
        )}
      />
      {isAdmin && <NewField types={types} />}
    </Section>
  );
}

function FieldRow({ field, kind, moveUp }: { field: ProfileField; kind: string; moveUp?(): unknown }) {
  const app = useApp();
  const isEditing = useSignal(false);
  const path = `/realm/profile_fields/${field.id}`;
  if (isEditing.value) return <EditField field={field} close={() => (isEditing.value = false)} />;
  return (
    <>
      <bdi>{field.name}</bdi> <span class="soft">{kind}</span>
      {app.permissions.isAdmin && (
        <span class="own-actions">
          {moveUp && <Action label={t.moveUp} run={moveUp} />}
          <Action label={t.edit} run={() => (isEditing.value = true)} />
          <Action label={s.remove} run={() => app.actions.try("DELETE", path)} />
        </span>
      )}
    </>
  );
}

function EditField({ field, close }: { field: ProfileField; close(): void }) {
  const app = useApp();
  const known = choicesOf(field);
  const hasOptions = field.type === kinds.options;
  const texts = Object.values(known).sort((one, other) => Number(one.order) - Number(other.order));
  const save = async (form: FormData) => {
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    const params = {
      name: text("name"),
      hint: text("hint"),
      ...(hasOptions && { field_data: optionsOf(text("options"), known) }),
    };
    if (await app.actions.try("PATCH", `/realm/profile_fields/${field.id}`, params)) close();
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <label>
        {s.name}
        <input name="name" maxLength={40} required dir="auto" defaultValue={field.name} />
      </label>
      <label>
        {s.hint}
        <input name="hint" maxLength={80} dir="auto" defaultValue={field.hint} />
      </label>
      {hasOptions && (
        <label>
          {s.options}
          <textarea
            name="options"
            rows={4}
            required
            dir="auto"
            defaultValue={texts.map((one) => one.text).join("\n")}
          />
        </label>
      )}
      <footer>
        <button type="submit" class="button">
          {t.save}
        </button>
      </footer>
    </form>
  );
}

interface FieldType {
  id: number;
  name: string;
}

/** In the person's language, as far as the page knows of the kind. */
const kindName = (type: FieldType | undefined): string => (type ? (s.fieldKinds[type.id] ?? type.name) : "");

function NewField({ types }: { types: readonly FieldType[] }) {
  const app = useApp();
  const kind = useSignal("1");
  const type = Number(kind.value);
  const add = async (form: HTMLFormElement) => {
    const sent = textsIn(form);
    const text = (name: string): string => (sent[name] ?? "").trim();
    const field_data =
      type === kinds.options
        ? optionsOf(text("options"))
        : type === kinds.account
          ? accountOf(text("account"), text("pattern"))
          : undefined;
    const params = { name: text("name"), hint: text("hint"), field_type: type, field_data };
    if (await app.actions.try("POST", "/realm/profile_fields", params)) emptySent(form, sent);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void add(event.currentTarget);
      }}
    >
      <Choice
        label={s.fieldType}
        value={kind.value}
        choices={types.map((one) => [String(one.id), kindName(one)] as const)}
        set={(value) => (kind.value = value)}
      />
      <label>
        {s.name}
        <input name="name" maxLength={40} required={type !== kinds.account} dir="auto" />
      </label>
      <label>
        {s.hint}
        <input name="hint" maxLength={80} dir="auto" />
      </label>
      {type === kinds.options && (
        <label>
          {s.options}
          <textarea name="options" rows={4} required dir="auto" />
        </label>
      )}
      {type === kinds.account && <AccountField />}
      <footer>
        <button type="submit" class="button">
          {s.add}
        </button>
      </footer>
    </form>
  );
}

function AccountField() {
  const app = useApp();
  const accounts = app.store.state.realm_default_external_accounts ?? {};
  return (
    <>
      <label>
        {s.site}
        <select name="account">
          {Object.entries(accounts).map(([key, { name }]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
          <option value="custom">{s.otherSite}</option>
        </select>
      </label>
      <label>
        {s.sitePattern}
        <input name="pattern" placeholder="https://example.com/%(username)s" />
      </label>
    </>
  );
}

type Options = Record<string, { text: string; order: string }>;

/** One option a line. An option that was there keeps its key, by which people chose it. Others get the next numbers. */
function optionsOf(lines: string, known: Options = {}): Options {
  const texts = lines.split("\n").map((line) => line.trim());
  const keys = new Map(Object.entries(known).map(([key, { text }]) => [text, key]));
  let next = 1 + Math.max(-1, ...Object.keys(known).map((key) => Number(key) || 0));
  return Object.fromEntries(
    texts
      .filter((text) => text !== "")
      .map((text, index) => [keys.get(text) ?? String(next++), { text, order: String(index + 1) }]),
  );
}

const accountOf = (subtype: string, pattern: string): Record<string, string> =>
  subtype === "custom" ? { subtype, url_pattern: pattern } : { subtype };
