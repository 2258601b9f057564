/** Settings of the organization. People who may not change them can read them, and see why. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { folded } from "../model/people.ts";
import { roles as roleIds } from "../model/permissions.ts";
import type { UserRecord } from "../state/state.ts";
import { t } from "../texts.ts";
import { Avatar } from "../views/parts/avatar.tsx";
import { FixedList } from "../views/parts/fixed-list.tsx";
import { ApiError, upload } from "../wire/api.ts";
import {
  Action,
  AddForm,
  Choice,
  DangerousAction,
  GroupChoice,
  Refusal,
  Rows,
  Section,
  TextField,
  Toggle,
} from "./fields.tsx";
import { s } from "./texts.ts";

const entries = (table: Readonly<Record<string, string>>): [string, string][] => Object.entries(table);

export function OrganizationProfile() {
  const app = useApp();
  const state = app.store.read("realm", "channels");
  const { isAdmin, isOwner } = app.permissions;
  const set = (name: string, value: unknown) => app.actions.try("PATCH", "/realm", { [name]: value });
  const flag = (name: string, label: string, may = isAdmin) => (
    <Toggle label={label} disabled={!may} value={state[`realm_${name}`] === true} set={(value) => set(name, value)} />
  );
  const choice = (name: string, label: string, choices: Readonly<Record<string, string>>) => (
    <Choice
      label={label}
      disabled={!isAdmin}
      value={String(state[`realm_${name}`])}
      choices={entries(choices)}
      set={(value) => set(name, value)}
    />
  );
  return (
    <>
      <Section title={s.profile}>
        <Refusal isShown={!isAdmin} />
        <TextField
          label={s.name}
          value={String(state["realm_name"])}
          disabled={!isAdmin}
          maxLength={40}
          set={(name) => set("name", name)}
        />
        <TextField
          label={s.description}
          isLong
          value={String(state["realm_description"])}
          disabled={!isAdmin}
          maxLength={1000}
          set={(description) => set("description", description)}
        />
      </Section>
      <Section title={t.messages}>
        {flag("allow_message_editing", s.editing)}
        <TextField
          label={s.editLimit}
          type="number"
          disabled={!isAdmin}
          value={String(state["realm_message_content_edit_limit_seconds"] ?? "")}
          set={(value) => set("message_content_edit_limit_seconds", value === "" ? "unlimited" : Number(value))}
        />
        <TextField
          label={s.deleteLimit}
          type="number"
          disabled={!isAdmin}
          value={String(state["realm_message_content_delete_limit_seconds"] ?? "")}
          set={(value) => set("message_content_delete_limit_seconds", value === "" ? "unlimited" : Number(value))}
        />
        {choice("message_edit_history_visibility_policy", s.history, s.histories)}
        {choice("topics_policy", s.emptyTopics, s.emptyTopicsChoices)}
        {flag("enable_read_receipts", s.receipts)}
        {flag("inline_image_preview", s.previews)}
        <Choice
          label={s.moderation}
          disabled={!isAdmin}
          value={String(state["realm_moderation_request_channel_id"] ?? -1)}
          choices={[
            ["-1", s.none],
            ...app.channels.all.value
              .filter((channel) => channel.invite_only)
              .map(({ stream_id, name }) => [String(stream_id), name] as const),
          ]}
          set={(value) => set("moderation_request_channel_id", Number(value))}
        />
      </Section>
      <Section title={t.people}>
        <Refusal isShown={isAdmin && !isOwner} text={s.ownersOnly} />
        {flag("invite_required", s.inviteOnly, isOwner)}
        {flag("emails_restricted_to_domains", s.domainsOnly, isOwner)}
        {flag("enable_spectator_access", s.spectators)}
      </Section>
      {isOwner && (
        <Section title={s.deactivateRealm} hint={s.deactivateRealmHint}>
          <DangerousAction
            label={s.deactivateRealm}
            action={s.deactivate}
            text={s.deactivateRealmHint}
            run={() => void app.actions.try("POST", "/realm/deactivate")}
          />
        </Section>
      )}
    </>
  );
}

export function Rights() {
  const app = useApp();
  const state = app.store.read("realm");
  return (
    <Section title={s.permissions}>
      <Refusal isShown={!app.permissions.isAdmin} />
      {Object.entries(s.rights).map(([name, label]) => {
        const value = state[`realm_${name}`];
        return (
          <GroupChoice
            key={name}
            label={label}
            value={value}
            disabled={!app.permissions.isAdmin}
            set={(next) => app.actions.try("PATCH", "/realm", { [name]: { new: next, old: value } })}
          />
        );
      })}
    </Section>
  );
}

const rowHeight = 48;

export function Members() {
  const app = useApp();
  const text = useSignal("");
  const showsGone = useSignal(false);
  const { realm_non_active_users: gone = [] } = app.store.read("people");
  const wanted = folded(text.value.trim());
  const listed = showsGone.value ? gone : app.people.sorted.value;
  const found = listed.filter((user) => wanted === "" || app.people.foldedName(user).includes(wanted));
  return (
    <div class="setting-list">
      <Refusal isShown={!app.permissions.isAdmin} />
      <div class="own-actions">
        <input
          type="search"
          aria-label={s.find}
          placeholder={s.find}
          value={text}
          list={undefined}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <Toggle label={s.deactivated} value={showsGone.value} set={(value) => (showsGone.value = value)} />
      </div>
      <FixedList
        items={found}
        rowHeight={rowHeight}
        keyOf={({ user_id }) => user_id}
        row={(user) => <Member user={user} isGone={showsGone.value} />}
      />
    </div>
  );
}

function Member({ user, isGone }: { user: UserRecord; isGone: boolean }) {
  const app = useApp();
  const { isAdmin, isOwner } = app.permissions;
  // Only owners may change who is an owner.
  const mayChange = isAdmin && !user.is_bot && (isOwner || user.role !== roleIds.owner);
  const roles = Object.entries(t.roles).filter(([role]) => isOwner || Number(role) !== roleIds.owner);
  return (
    <div class="person-line">
      <Avatar user={user} size={28} />
      <span class="label ellipsis">
        <bdi>{user.full_name}</bdi> <span class="soft">{String(user["delivery_email"] ?? "")}</span>
      </span>
      {user.is_bot ? (
        <span class="tag">{t.bot}</span>
      ) : (
        <select
          aria-label={`${s.role}: ${user.full_name}`}
          value={String(user.role)}
          disabled={!mayChange || isGone}
          onChange={(event) =>
            void app.actions.try("PATCH", `/users/${user.user_id}`, { role: Number(event.currentTarget.value) })
          }
        >
          {(mayChange ? roles : Object.entries(t.roles)).map(([role, name]) => (
            <option key={role} value={role}>
              {name}
            </option>
          ))}
        </select>
      )}
      {mayChange &&
        user.user_id !== app.me &&
        (isGone ? (
          <Action label={s.reactivate} run={() => app.actions.try("POST", `/users/${user.user_id}/reactivate`)} />
        ) : (
          <DangerousAction
            label={s.deactivate}
            text={user.full_name}
            run={() => void app.actions.try("DELETE", `/users/${user.user_id}`)}
          />
        ))}
    </div>
  );
}

export function EmojiSettings() {
  const app = useApp();
  const file = useSignal<File | undefined>(undefined);
  const mayAdd = app.permissions.has("can_add_custom_emoji_group");
  const add = async ({ name }: Record<string, string>) => {
    if (!file.value) return undefined;
    try {
      return await upload(`/realm/emoji/${encodeURIComponent(name!)}`, { file: file.value });
    } catch (error) {
      if (error instanceof ApiError) app.ui.note(error.message, "problem");
      return undefined;
    }
  };
  return (
    <Section title={s.emoji}>
      <Rows
        items={app.emoji.own}
        row={(emoji) => (
          <>
            <img src={emoji.url} alt="" width="24" height="24" /> <code>:{emoji.name}:</code>
            {app.permissions.isAdmin && (
              <Action label={s.remove} run={() => app.actions.try("DELETE", `/realm/emoji/${emoji.name}`)} />
            )}
          </>
        )}
      />
      {mayAdd ? (
        <>
          <label class="field">
            <span>{s.image}</span>
            <input type="file" accept="image/*" onChange={(event) => (file.value = event.currentTarget.files?.[0])} />
          </label>
          <AddForm fields={[["name", s.name]]} run={add} />
        </>
      ) : (
        <Refusal isShown text={s.notYours} />
      )}
    </Section>
  );
}

interface Listed {
  field: string;
  title: string;
  path: string;
  fields: readonly (readonly [string, string])[];
  show(item: Record<string, unknown>): string;
  idOf(item: Record<string, unknown>): string;
  paramsOf?(values: Record<string, string>): Record<string, unknown>;
  isOwners?: boolean;
}

/** Lists whose items administrators add and remove. */
export const lists: Readonly<Record<string, Listed>> = {
  linkifiers: {
    field: "realm_linkifiers",
    title: s.linkifiers,
    path: "/realm/filters",
    fields: [
      ["pattern", s.pattern],
      ["url_template", s.template],
    ],
    show: (item) => `${item["pattern"]} → ${item["url_template"]}`,
    idOf: (item) => String(item["id"]),
  },
  playgrounds: {
    field: "realm_playgrounds",
    title: s.playgrounds,
    path: "/realm/playgrounds",
    fields: [
      ["name", s.name],
      ["pygments_language", s.language],
      ["url_template", s.template],
    ],
    show: (item) => `${item["name"]} (${item["pygments_language"]}) → ${item["url_template"]}`,
    idOf: (item) => String(item["id"]),
  },
  fields: {
    field: "custom_profile_fields",
    title: s.fields,
    path: "/realm/profile_fields",
    fields: [["name", s.name]],
    show: (item) => String(item["name"]),
    idOf: (item) => String(item["id"]),
    paramsOf: ({ name }) => ({ name, hint: "", field_type: 1 }),
  },
  domains: {
    field: "realm_domains",
    title: s.domains,
    path: "/realm/domains",
    fields: [["domain", s.domain]],
    show: (item) => `${item["domain"]}${item["allow_subdomains"] ? ` (${s.subdomains})` : ""}`,
    idOf: (item) => encodeURIComponent(String(item["domain"])),
    paramsOf: ({ domain }) => ({ domain, allow_subdomains: false }),
    isOwners: true,
  },
};

export function ListSettings({ list }: { list: Listed }) {
  const app = useApp();
  const items = (app.store.read("realm", "people")[list.field] ?? []) as Record<string, unknown>[];
  const mayChange = list.isOwners ? app.permissions.isOwner : app.permissions.isAdmin;
  return (
    <Section title={list.title}>
      <Refusal isShown={!mayChange} text={list.isOwners ? s.ownersOnly : s.adminsOnly} />
      <Rows
        items={items}
        row={(item) => (
          <>
            <code dir="auto">{list.show(item)}</code>
            {mayChange && (
              <Action label={s.remove} run={() => app.actions.try("DELETE", `${list.path}/${list.idOf(item)}`)} />
            )}
          </>
        )}
      />
      {mayChange && (
        <AddForm
          fields={list.fields}
          run={(values) => app.actions.try("POST", list.path, list.paramsOf?.(values) ?? values)}
        />
      )}
    </Section>
  );
}

export function DefaultChannels() {
  const app = useApp();
  const ids = (app.store.read("channels")["realm_default_streams"] ?? []) as number[];
  const others = app.channels.all.value.filter(
    ({ stream_id, invite_only, is_archived }) => !ids.includes(stream_id) && !invite_only && !is_archived,
  );
  const { isAdmin } = app.permissions;
  return (
    <Section title={s.defaults}>
      <Refusal isShown={!isAdmin} />
      <Rows
        items={ids}
        row={(id) => (
          <>
            #{app.channels.name(id)}
            {isAdmin && (
              <Action label={s.remove} run={() => app.actions.try("DELETE", "/default_streams", { stream_id: id })} />
            )}
          </>
        )}
      />
      {isAdmin && (
        <Choice
          label={s.add}
          value=""
          choices={[["", "—"], ...others.map(({ stream_id, name }) => [String(stream_id), name] as const)]}
          set={(id) => id !== "" && app.actions.try("POST", "/default_streams", { stream_id: Number(id) })}
        />
      )}
    </Section>
  );
}
