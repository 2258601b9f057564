/** The people of the organization, and its bots. */
import { useSignal } from "@preact/signals";
import type { UserRecord } from "../../client/state/state.ts";
import { useApp } from "../model/app.ts";
import { folded } from "../model/people.ts";
import { roles as roleIds } from "../model/permissions.ts";
import { t } from "../texts.ts";
import { Avatar } from "../views/parts/avatar.tsx";
import { FixedList } from "../views/parts/fixed-list.tsx";
import { Action, DangerousAction, Refusal, Toggle } from "./fields.tsx";
import { s } from "./texts.ts";

const wideHeight = 48;
/** On a phone what one may do stands below the name. */
const narrow = matchMedia("(max-width: 760px)");
const rowHeightNow = (): number => (narrow.matches ? 96 : wideHeight);

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
        rowHeight={rowHeightNow()}
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
  const mayEnd = mayChange && user.user_id !== app.me;
  const roles = Object.entries(t.roles).filter(([role]) => isOwner || Number(role) !== roleIds.owner);
  return (
    <div class="person-line">
      <Avatar user={user} size={28} />
      <span class="label ellipsis">
        <a href={`#user/${user.user_id}`}>
          <bdi>{user.full_name}</bdi>
        </a>{" "}
        <bdi class="soft">{String(user["delivery_email"] ?? "")}</bdi>
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
      {isAdmin && !user.is_bot && (
        // Where it does nothing it keeps its room, so that roles stand below each other.
        <span inert={!mayEnd}>
          {isGone ? (
            <Action label={s.reactivate} run={() => app.actions.try("POST", `/users/${user.user_id}/reactivate`)} />
          ) : (
            <DangerousAction
              label={s.deactivate}
              text={s.deactivateHint(user.full_name)}
              run={() => void app.actions.try("DELETE", `/users/${user.user_id}`)}
            />
          )}
        </span>
      )}
    </div>
  );
}

/** Bots are accounts, too: with whoever answers for them. */
export function AllBots() {
  const app = useApp();
  const text = useSignal("");
  const wanted = folded(text.value.trim());
  const found = app.people.sorted.value.filter(
    (user) => user.is_bot && (wanted === "" || app.people.foldedName(user).includes(wanted)),
  );
  return (
    <div class="setting-list">
      <Refusal isShown={!app.permissions.isAdmin} />
      <input
        type="search"
        aria-label={s.find}
        placeholder={s.find}
        value={text}
        list={undefined}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {found.length === 0 && <p class="soft">{s.nothing}</p>}
      <FixedList
        items={found}
        rowHeight={wideHeight}
        keyOf={({ user_id }) => user_id}
        row={(bot) => (
          <div class="person-line">
            <Avatar user={bot} size={28} />
            <span class="label ellipsis">
              <bdi>{bot.full_name}</bdi>{" "}
              <span class="soft">
                {typeof bot["bot_owner_id"] === "number" && s.botOf(app.people.name(bot["bot_owner_id"]))}
              </span>
            </span>
            {app.permissions.isAdmin && (
              <DangerousAction
                label={s.deactivate}
                text={bot.full_name}
                run={() => void app.actions.try("DELETE", `/bots/${bot.user_id}`)}
              />
            )}
          </div>
        )}
      />
    </div>
  );
}
