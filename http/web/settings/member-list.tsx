/** The members of a channel or group: searching, adding and removing them. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { folded } from "../model/people.ts";
import { Avatar } from "../views/parts/avatar.tsx";
import { FixedList } from "../views/parts/fixed-list.tsx";
import { Action } from "./fields.tsx";
import { s } from "./texts.ts";

interface Props {
  userIds: readonly number[];
  add?(userId: number): Promise<unknown>;
  remove(userId: number): Promise<unknown> | undefined;
  mayRemove: boolean;
  /** Called after a member was added or removed. */
  changed?(): void;
}

const offered = 6;

export function MemberList({ userIds, add, remove, mayRemove, changed }: Props) {
  const app = useApp();
  const text = useSignal("");
  const wanted = folded(text.value.trim());
  const members = new Set(userIds);
  const found = userIds.filter((id) => wanted === "" || folded(app.people.name(id)).includes(wanted));
  const others =
    add && wanted !== "" ? app.people.search(text.value, offered, ({ user_id }) => !members.has(user_id)) : [];
  return (
    <>
      <input
        type="search"
        aria-label={add ? s.addPeople : s.find}
        placeholder={add ? s.addPeople : s.find}
        value={text}
        list={undefined}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
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
