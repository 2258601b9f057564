/** Creates a channel: its name, who sees it and writes to it, its folder, and whom it begins with. */
import { type Signal, useSignal } from "@preact/signals";
import { type App, useApp } from "../../model/app.ts";
import { Choice, GroupChoice, Section } from "../fields.tsx";
import { MemberList } from "../member-list.tsx";
import { s } from "../texts.ts";

/** The kinds of channels that the person may create. */
function privacyChoices(app: App) {
  const state = app.store.read("realm");
  return [
    state["can_create_public_streams"] === true && (["public", s.public] as const),
    state["can_create_private_streams"] === true && (["private", s.private] as const),
    state["can_create_web_public_streams"] === true && (["web", s.webPublic] as const),
  ].filter((choice) => choice !== false);
}

export function NewChannel() {
  const app = useApp();
  const privacy = useSignal("public");
  const folder = useSignal("");
  const subscribers = useSignal<readonly number[]>([app.me]);
  const everyone = app.store.read("groups").realm_user_groups?.find(({ name }) => name === "role:everyone")?.id;
  const writers = useSignal<unknown>(everyone);
  const create = async (form: FormData) => {
    const isHere = app.route.staying();
    const made = await app.actions.try<{ id: number }>("POST", "/channels/create", {
      name: String(form.get("name")),
      description: String(form.get("description")),
      subscribers: subscribers.value,
      invite_only: privacy.value === "private",
      is_web_public: privacy.value === "web",
      ...(folder.value !== "" && { folder_id: Number(folder.value) }),
      ...(writers.value !== everyone && { can_send_message_group: writers.value }),
    });
    if (made && isHere()) app.route.go(`#channels/${made.id}`);
  };
  return (
    <Section title={s.createChannel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create(new FormData(event.currentTarget));
        }}
      >
        <label>
          {s.name}
          <input name="name" required maxLength={60} dir="auto" list={undefined} />
        </label>
        <label>
          {s.description}
          <input name="description" maxLength={1024} dir="auto" list={undefined} />
        </label>
        <Choice
          label={s.privacy}
          value={privacy.value}
          choices={privacyChoices(app)}
          set={(value) => (privacy.value = value)}
        />
        <GroupChoice label={s.whoWrites} value={writers.value} set={(value) => (writers.value = value)} />
        <FolderChoice folder={folder} />
        <BeginsWith subscribers={subscribers} />
        <footer>
          <button type="submit" class="button">
            {s.create}
          </button>
        </footer>
      </form>
    </Section>
  );
}

function FolderChoice({ folder }: { folder: Signal<string> }) {
  const folders = useApp().channels.folders.value.filter((one) => !one.is_archived);
  if (folders.length === 0) return null;
  return (
    <Choice
      label={s.folder}
      value={folder.value}
      choices={[["", s.noFolder], ...folders.map(({ id, name }) => [String(id), name] as const)]}
      set={(value) => (folder.value = value)}
    />
  );
}

/** Whom a channel begins with. */
function BeginsWith({ subscribers }: { subscribers: Signal<readonly number[]> }) {
  const mayAdd = useApp().permissions.has("can_add_subscribers_group");
  const addAll = async (ids: readonly number[]) => {
    subscribers.value = [...new Set([...subscribers.value, ...ids])];
  };
  return (
    <fieldset
      class="field"
      // Enter looks for somebody here. It does not create the channel.
      onKeyDown={(event) => event.key === "Enter" && event.target instanceof HTMLInputElement && event.preventDefault()}
    >
      <legend>{s.subscribers}</legend>
      <MemberList
        userIds={subscribers.value}
        mayRemove
        {...(mayAdd && { add: (id: number) => addAll([id]), addAll })}
        remove={async (id) => {
          subscribers.value = subscribers.value.filter((one) => one !== id);
        }}
      />
    </fieldset>
  );
}
