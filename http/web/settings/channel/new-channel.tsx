/** Creates a channel: its name, who sees it and writes to it, its folder, and whom it begins with. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { Choice, GroupChoice, Section } from "../fields.tsx";
import { MemberList } from "../member-list.tsx";
import { s } from "../texts.ts";

export function NewChannel() {
  const app = useApp();
  const privacy = useSignal("public");
  const folder = useSignal("");
  const subscribers = useSignal<readonly number[]>([app.me]);
  const everyone = app.store.read("groups").realm_user_groups?.find(({ name }) => name === "role:everyone")?.id;
  const writers = useSignal<unknown>(everyone);
  const state = app.store.read("realm");
  const choices = [
    state["can_create_public_streams"] === true && (["public", s.public] as const),
    state["can_create_private_streams"] === true && (["private", s.private] as const),
    state["can_create_web_public_streams"] === true && (["web", s.webPublic] as const),
  ].filter((choice) => choice !== false);
  const folders = app.channels.folders.value.filter((one) => !one.is_archived);
  const create = async (form: FormData) => {
    const made = await app.actions.try<{ id: number }>("POST", "/channels/create", {
      name: String(form.get("name")),
      description: String(form.get("description")),
      subscribers: subscribers.value,
      invite_only: privacy.value === "private",
      is_web_public: privacy.value === "web",
      ...(folder.value !== "" && { folder_id: Number(folder.value) }),
      ...(writers.value !== everyone && { can_send_message_group: writers.value }),
    });
    if (made) app.route.go(`#channels/${made.id}`);
  };
  const mayAdd = app.permissions.has("can_add_subscribers_group");
  const addAll = async (ids: readonly number[]) => {
    subscribers.value = [...new Set([...subscribers.value, ...ids])];
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
        <Choice label={s.privacy} value={privacy.value} choices={choices} set={(value) => (privacy.value = value)} />
        <GroupChoice label={s.whoWrites} value={writers.value} set={(value) => (writers.value = value)} />
        {folders.length > 0 && (
          <Choice
            label={s.folder}
            value={folder.value}
            choices={[["", s.noFolder], ...folders.map(({ id, name }) => [String(id), name] as const)]}
            set={(value) => (folder.value = value)}
          />
        )}
        <fieldset
          class="field"
          // Enter looks for somebody here. It does not create the channel.
          onKeyDown={(event) =>
            event.key === "Enter" && event.target instanceof HTMLInputElement && event.preventDefault()
          }
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
        <footer>
          <button type="submit" class="button">
            {s.create}
          </button>
        </footer>
      </form>
    </Section>
  );
}
