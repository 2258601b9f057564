/** What the organization keeps lists of: emoji, texts that become links, playgrounds, domains, channels, folders. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { listOf } from "../../client/state/state.ts";
import { type App, useApp } from "../model/app.ts";
import { liveFolders, moveFolder } from "../model/lists/folders.ts";
import { t } from "../texts.ts";
import { Action, AddForm, Choice, FileField, Refusal, Rows, Section, TextField, Toggle } from "./fields.tsx";
import { s } from "./texts.ts";

export function EmojiSettings() {
  const app = useApp();
  const file = useSignal<File | undefined>(undefined);
  const mayAdd = app.permissions.has("can_add_custom_emoji_group");
  const round = useSignal(0);
  const add = async ({ name = "" }: Record<string, string>) => {
    if (!file.value) return app.ui.note(s.imageFirst, "problem");
    const done = await app.actions.upload(`/realm/emoji/${encodeURIComponent(name)}`, file.value);
    if (done === undefined) return;
    file.value = undefined;
    round.value++;
    return done;
  };
  return (
    <Section title={s.emoji} hint={s.emojiHint}>
      <Rows
        items={app.emoji.own}
        row={(emoji) => (
          <>
            <span class="own-emoji">
              <img src={emoji.url} alt="" width="24" height="24" /> <code>:{emoji.name}:</code>
            </span>
            {app.permissions.isAdmin && (
              <Action label={s.remove} run={() => app.actions.try("DELETE", `/realm/emoji/${emoji.name}`)} />
            )}
          </>
        )}
      />
      {mayAdd ? (
        <>
          <FileField key={round.value} label={s.image} choose={(chosen) => (file.value = chosen)} />
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
  hint: string;
  path: string;
  fields: readonly (readonly [string, string])[];
  show(item: Record<string, unknown>): string;
  idOf(item: Record<string, unknown>): string;
  paramsOf?(values: Record<string, string>): Record<string, unknown>;
  isOwners?: boolean;
  /** Whether items are edited where they are added. */
  isEdited?: boolean;
  /** Moves an item to the place of the one before it. */
  moveUp?(app: App, items: readonly Record<string, unknown>[], index: number): unknown;
  /** What can be set about an item. */
  more?(app: App, item: Record<string, unknown>): ComponentChildren;
}

/** Lists whose items administrators add and remove. */
export const lists = (): Readonly<Record<string, Listed>> => ({
  linkifiers: {
    field: "realm_linkifiers",
    title: s.linkifiers,
    hint: s.linkifiersHint,
    path: "/realm/filters",
    fields: [
      ["pattern", s.pattern],
      ["url_template", s.template],
    ],
    show: (item) => `${item["pattern"]} → ${item["url_template"]}`,
    idOf: (item) => String(item["id"]),
    isEdited: true,
    moveUp: (app, items, index) => {
      const ids = items.map(({ id }) => id);
      ids.splice(index - 1, 0, ...ids.splice(index, 1));
      return app.actions.try("PATCH", "/realm/linkifiers", { ordered_linkifier_ids: ids });
    },
  },
  playgrounds: {
    field: "realm_playgrounds",
    title: s.playgrounds,
    hint: s.playgroundsHint,
    path: "/realm/playgrounds",
    fields: [
      ["name", s.name],
      ["pygments_language", s.language],
      ["url_template", s.template],
    ],
    show: (item) => `${item["name"]} (${item["pygments_language"]}) → ${item["url_template"]}`,
    idOf: (item) => String(item["id"]),
  },
  domains: {
    field: "realm_domains",
    title: s.domains,
    hint: s.domainsHint,
    path: "/realm/domains",
    fields: [["domain", s.domain]],
    show: (item) => String(item["domain"]),
    idOf: (item) => encodeURIComponent(String(item["domain"])),
    paramsOf: ({ domain }) => ({ domain, allow_subdomains: false }),
    isOwners: true,
    more: (app, item) => (
      <Toggle
        label={s.subdomains}
        value={item["allow_subdomains"] === true}
        set={(allow_subdomains) =>
          app.actions.try("PATCH", `/realm/domains/${encodeURIComponent(String(item["domain"]))}`, { allow_subdomains })
        }
      />
    ),
  },
});

export function ListSettings({ list }: { list: Listed }) {
  const app = useApp();
  const items = listOf(app.store.read("realm", "people"), list.field) ?? [];
  const mayChange = list.isOwners ? app.permissions.isOwner : app.permissions.isAdmin;
  return (
    <Section title={list.title} hint={list.hint}>
      <Refusal isShown={!mayChange} text={list.isOwners ? s.ownersOnly : s.adminsOnly} />
      <Rows items={items} row={(item) => <ListItem list={list} item={item} items={items} mayChange={mayChange} />} />
      {mayChange && (
        <AddForm
          fields={list.fields}
          run={(values) => app.actions.try("POST", list.path, list.paramsOf?.(values) ?? values)}
        />
      )}
    </Section>
  );
}

type Item = Record<string, unknown>;

function ListItem(props: { list: Listed; item: Item; items: readonly Item[]; mayChange: boolean }) {
  const { list, item, items, mayChange } = props;
  const app = useApp();
  const isEditing = useSignal(false);
  const path = `${list.path}/${list.idOf(item)}`;
  const index = items.indexOf(item);
  if (isEditing.value)
    return (
      <AddForm
        fields={list.fields}
        action={t.save}
        values={Object.fromEntries(list.fields.map(([name]) => [name, String(item[name] ?? "")]))}
        run={async (values) => {
          const done = await app.actions.try("PATCH", path, values);
          if (done) isEditing.value = false;
          return done;
        }}
      />
    );
  return (
    <>
      <code dir="auto">{list.show(item)}</code>
      {mayChange && list.more?.(app, item)}
      {mayChange && (
        <span class="own-actions">
          {list.moveUp && index > 0 && <Action label={t.moveUp} run={() => list.moveUp?.(app, items, index)} />}
          {list.isEdited && <Action label={t.edit} run={() => (isEditing.value = true)} />}
          <Action label={s.remove} run={() => app.actions.try("DELETE", path)} />
        </span>
      )}
    </>
  );
}

export function DefaultChannels() {
  const app = useApp();
  const ids = app.store.read("channels").realm_default_streams ?? [];
  const others = app.channels.all.value.filter(
    ({ stream_id, invite_only, is_archived }) => !ids.includes(stream_id) && !invite_only && !is_archived,
  );
  const { isAdmin } = app.permissions;
  // Its answer is nothing, so that nothing stays chosen.
  const add = async (id: string): Promise<void> => {
    if (id !== "") await app.actions.try("POST", "/default_streams", { stream_id: Number(id) });
  };
  return (
    <Section title={s.defaults} hint={s.defaultsHint}>
      <Refusal isShown={!isAdmin} />
      <Rows
        items={ids}
        row={(id) => (
          <>
            <span>
              #<bdi>{app.channels.name(id)}</bdi>
            </span>
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
          set={add}
        />
      )}
    </Section>
  );
}

/** Folders of channels, in the order of the left side. */
export function Folders() {
  const app = useApp();
  const { isAdmin } = app.permissions;
  const folders = liveFolders(app);
  const update = (id: number, params: Record<string, unknown>) =>
    app.actions.try("PATCH", `/channel_folders/${id}`, params);
  return (
    <Section title={s.folders} hint={s.foldersHint}>
      <Refusal isShown={!isAdmin} />
      <Rows
        items={folders}
        row={(folder) => (
          <>
            <TextField
              key={folder.id}
              label={s.name}
              value={folder.name}
              disabled={!isAdmin}
              maxLength={60}
              set={(name) => update(folder.id, { name })}
            />
            {isAdmin && (
              <span class="own-actions">
                {folders.indexOf(folder) > 0 && (
                  <Action label={t.moveUp} run={() => moveFolder(app, folder.id, folders.indexOf(folder) - 1)} />
                )}
                <Action label={s.remove} run={() => update(folder.id, { is_archived: true })} />
              </span>
            )}
          </>
        )}
      />
      {isAdmin && (
        <AddForm
          fields={[["name", s.newFolder]]}
          run={({ name }) => app.actions.try("POST", "/channel_folders/create", { name, description: "" })}
        />
      )}
    </Section>
  );
}
