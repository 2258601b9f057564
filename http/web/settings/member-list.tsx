/** The members of a channel or group: searching, adding and removing them. */
import { type Signal, useSignal } from "@preact/signals";
import { membersOf } from "../../client/state/groups.ts";
import { useApp } from "../model/app.ts";
import { folded } from "../model/people.ts";
import { Avatar } from "../views/parts/avatar.tsx";
import { FixedList } from "../views/parts/fixed-list.tsx";
import { call } from "../wire/api.ts";
import { Action } from "./fields.tsx";
import { s } from "./texts.ts";

interface Props {
  userIds: readonly number[];
  add?(userId: number): Promise<unknown>;
  /** Adds everybody of a group or of a channel. */
  addAll?(userIds: readonly number[]): Promise<unknown>;
  remove(userId: number): Promise<unknown> | undefined;
  mayRemove: boolean;
  /** Called after a member was added or removed. */
  changed?(): void;
}

const offered = 6;

export function MemberList({ userIds, add, addAll, remove, mayRemove, changed }: Props) {
  const app = useApp();
  const text = useSignal("");
  const wanted = folded(text.value.trim());
  const members = new Set(userIds);
  const found = userIds.filter((id) => wanted === "" || folded(app.people.name(id)).includes(wanted));
  const others =
    add && wanted !== "" ? app.people.search(text.value, offered, ({ user_id }) => !members.has(user_id)) : [];
  return (
    <>
      <SearchField label={add ? s.addPeople : s.find} text={text} />
      {others.map((user) => (
        <div key={user.user_id} class="person-line">
          <Avatar user={user} size={24} />
          <bdi class="label">{user.full_name}</bdi>
          <Action
            label={s.add}
            run={async () => {
              await add?.(user.user_id);
              changed?.();
            }}
          />
        </div>
      ))}
      {addAll && wanted !== "" && (
        <Many
          wanted={wanted}
          add={async (ids) => {
            await addAll(ids.filter((id) => !members.has(id) && app.people.isActive(id)));
            changed?.();
          }}
        />
      )}
      <FixedList
        class="tall"
        items={found}
        rowHeight={40}
        keyOf={(id) => id}
        row={(id) => (
          <div class="person-line">
            <Avatar user={app.people.get(id)} size={24} />
            <bdi class="label">{app.people.name(id)}</bdi>
            {(mayRemove || id === app.me) && (
              <Action
                label={s.remove}
                run={async () => {
                  await remove(id);
                  changed?.();
                }}
              />
            )}
          </div>
        )}
      />
    </>
  );
}

function SearchField({ label, text }: { label: string; text: Signal<string> }) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      list={undefined}
      onInput={(event) => (text.value = event.currentTarget.value)}
    />
  );
}

/** Groups and channels by a part of their names, to add everybody who is in them. */
function Many({ wanted, add }: { wanted: string; add(userIds: readonly number[]): Promise<void> }) {
  const app = useApp();
  const state = app.store.read("groups");
  const isFound = ({ name }: { name: string }) => folded(name).includes(wanted);
  const groups = (state.realm_user_groups ?? []).filter((one) => !one["deactivated"] && !one["is_system_group"]);
  const channels = app.channels.all.value.filter((one) => !one.is_archived && isFound(one));
  const addChannel = async (id: number) => {
    const answer = await app.actions.trying(() => call<{ subscribers: number[] }>("GET", `/streams/${id}/members`));
    if (answer) await add(answer.subscribers);
  };
  const line = (key: string, name: string, run: () => unknown) => (
    <div key={key} class="person-line">
      <bdi class="label">{s.everybodyOf(name)}</bdi>
      <Action label={s.add} run={run} />
    </div>
  );
  return (
    <>
      {groups
        .filter(isFound)
        .slice(0, offered)
        .map(({ id, name }) => line(`g${id}`, `@${name}`, () => add([...membersOf(state, id)])))}
      {channels.slice(0, offered).map(({ stream_id: id, name }) => line(`c${id}`, `#${name}`, () => addChannel(id)))}
    </>
  );
}
