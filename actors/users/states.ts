/**
 * The life of an account:
 *
 * | In            | Event                                         | When                                | Then        |
 * | active        | DELETE /users/{id}, /users/me, /bots/{id}     | not the last owner or the last user | deactivated |
 * | deactivated   | POST /users/{id}/reactivate                   |                                     | active      |
 * | any but last  | DELETE /users/{id} with `actions.delete_profile` | an owner asks                    | deleted     |
 * | imported stub | first log-in                                  | `noteLogin` in `accounts.ts`           | active      |
 *
 * A deactivated person is in no group and no channel, as far as anybody is told. Clients take them out of the channels
 * when `peer_remove` says so, as when they leave, and out of the groups by themselves, unless they do not know of the
 * person: then they are told of each group. Whoever comes back is told of in full. A deleted account keeps its id, so
 * that what it wrote still has an author, and loses everything personal.
 */
import { eraseCredentials } from "../../storage/credentials.ts";
import { deleteQueuesOfUser } from "../../storage/event-queues.ts";
import { generateApiKey } from "../../storage/passwords.ts";
import { deletePersonalData } from "../../storage/personal-data.ts";
import type { GroupSetting, UserRow } from "../../storage/rows.ts";
import { channelGroupSettings, userGroupSettings } from "../../storage/rows.ts";
import { deleteSessionsOf } from "../../storage/sessions.ts";
import { tellBot } from "../bots/events.ts";
import { changeOwner } from "../bots/owner.ts";
import { badRequest, errors } from "../errors.ts";
import { systemGroupOf } from "../groups/record.ts";
import { normalGroupSetting } from "../groups/setting-values.ts";
import { type RealmGroupSettingName, realmGroupSettings } from "../organization/settings.ts";
import { isAdmin, isOwner, requireAdmin, requireOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { Audience } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { type Leaving, tellPeers } from "../subscriptions/change.ts";
import { hiddenFrom } from "./known-people.ts";
import { personRecord } from "./record.ts";
import { isOnlyOwner } from "./role.ts";
import { accessAccount } from "./update.ts";

export interface DeactivateUserArgs {
  actorId: number;
  userId: number;
  /** Deletes the account for good. */
  deletesProfile?: boolean;
}

/**
 * Answers the stored picture that a deleted account leaves behind.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER
 */
export const deactivateUser = command((tx: Tx, args: DeactivateUserArgs) => {
  const { state } = tx;
  const actor = tx.user(args.actorId);
  const user = accessAccount(state, args.userId);
  if (user.is_bot) throw badRequest("No such user");
  if (actor.id !== user.id || args.deletesProfile) {
    if (args.deletesProfile) requireOwner(actor);
    requireAdmin(actor);
    if (isOwner(user)) requireOwner(actor);
  }
  if (!user.is_active && !args.deletesProfile) throw badRequest("User is deactivated");
  checkNotLast(state, user);
  let next = user;
  if (user.is_active) {
    for (const bot of activeBotsOf(state, user.id)) deactivate(tx, bot);
    next = deactivate(tx, user);
  }
  if (args.deletesProfile) erase(tx, next);
  return { avatar_path: args.deletesProfile ? user.avatar_path : null };
});

/** @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const reactivateUser = command((tx: Tx, { actorId, userId }: { actorId: number; userId: number }) => {
  const actor = tx.user(actorId);
  requireAdmin(actor);
  const user = accessAccount(tx.state, userId);
  if (isOwner(user)) requireOwner(actor);
  if (user.is_active) return {};
  // A bot whose owner has left is whose who brings it back: they alone know its new key.
  const hasOwner = !user.is_bot || tx.state.users.get(user.bot_owner_id ?? -1)?.is_active === true;
  if (!hasOwner && actor.is_bot) throw badRequest("The owner of this bot has left; a person has to bring it back.");
  reactivate(tx, hasOwner ? user : changeOwner(tx, user, actor, true));
  return {};
});

/** @throws CANNOT_DEACTIVATE_LAST_USER */
function checkNotLast(state: RealmState, user: UserRow): void {
  if (isOnlyOwner(state, user))
    throw errors.CANNOT_DEACTIVATE_LAST_USER({ is_last_owner: true, entity: "organization owner" });
  if (!user.is_active) return;
  for (const other of state.users.values()) if (other.id !== user.id && other.is_active && !other.is_bot) return;
  throw errors.CANNOT_DEACTIVATE_LAST_USER({ is_last_owner: false, entity: "user" });
}

function activeBotsOf(state: RealmState, ownerId: number): UserRow[] {
  const bots: UserRow[] = [];
  for (const user of state.users.values()) if (user.bot_owner_id === ownerId && user.is_active) bots.push(user);
  return bots;
}

/** Ends an account that may be ended: it can do nothing any more, and its queues and log-ins end. */
export function deactivate(tx: Tx, user: UserRow): UserRow {
  const { state } = tx;
  const hidden = hiddenFrom(state, user).filter((id) => id !== user.id);
  const next = { ...user, is_active: false };
  tx.put("users", next);
  tx.write((sql) => deleteSessionsOf(sql, user.id));
  tx.write((sql) => deleteQueuesOfUser(sql, user.id));
  // Before the person goes: a client that drops them with the next event may no longer know whom this is about.
  tellPeers(tx, "peer_remove", channelsOf(state, user));
  tellActive(tx, next);
  if (user.is_bot) tellBot(tx, next, { is_active: false });
  if (hidden.length === 0) return next;
  const others: Audience = { to: "users", ids: hidden };
  for (const groupId of groupsOf(state, user))
    tx.event({ type: "user_group", op: "remove_members", group_id: groupId, user_ids: [user.id] }, others);
  return next;
}

/** Brings an account back to where it was: its groups, its channels, and the permissions that name it. */
export function reactivate(tx: Tx, user: UserRow): UserRow {
  const { state } = tx;
  const next = { ...user, is_active: true };
  tx.put("users", next);
  tellActive(tx, next);
  if (user.is_bot) tellBot(tx, next, { is_active: true });
  for (const group_id of groupsOf(state, next))
    tx.event({ type: "user_group", op: "add_members", group_id, user_ids: [user.id] }, { to: "realm" });
  tellPeers(tx, "peer_add", channelsOf(state, user));
  tellPermissions(tx, user.id);
  return next;
}

/** The channels that somebody is in, or was when they were deactivated. */
function channelsOf(state: RealmState, user: UserRow): Leaving[] {
  return [...state.subscriptions.channelsOf(user.id)].map((id) => ({
    channel: state.channels.get(id)!,
    userIds: [user.id],
  }));
}

function tellActive(tx: Tx, user: UserRow): void {
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: user.id, is_active: user.is_active } },
    { to: "userViewers", userId: user.id },
  );
}

/** Groups that hold somebody directly. */
function groupsOf(state: RealmState, user: UserRow): number[] {
  const ids = systemGroupOf(state, user).map((name) => state.systemGroup(name));
  for (const group of state.groups.byId.values())
    if (!group.is_system_group && state.groups.directMembers(group.id).includes(user.id)) ids.push(group.id);
  return ids;
}

/** The permissions that name somebody who comes back: they are shown with them again. */
function tellPermissions(tx: Tx, userId: number): void {
  const { state } = tx;
  const shown = (value: GroupSetting): GroupSetting | undefined => {
    if (typeof value === "number" || !value.direct_members.includes(userId)) return undefined;
    const direct_members = value.direct_members.filter((id) => id === userId || state.users.get(id)?.is_active);
    return normalGroupSetting(state, { ...value, direct_members });
  };
  const data: Record<string, GroupSetting> = {};
  for (const name of Object.keys(realmGroupSettings) as RealmGroupSettingName[]) {
    const value = shown(state.groupSetting(name));
    if (value !== undefined) data[name] = value;
  }
  if (Object.keys(data).length > 0)
    tx.event({ type: "realm", op: "update_dict", property: "default", data }, { to: "realm" });
  for (const group of state.groups.byId.values()) {
    const changed: Record<string, GroupSetting> = {};
    for (const name of userGroupSettings) {
      const value = shown(group[name]);
      if (value !== undefined) changed[name] = value;
    }
    if (Object.keys(changed).length > 0)
      tx.event({ type: "user_group", op: "update", group_id: group.id, data: changed }, { to: "realm" });
  }
  for (const channel of state.channels.values()) {
    for (const property of channelGroupSettings) {
      const value = shown(channel[property]);
      if (value === undefined) continue;
      tx.event(
        { type: "stream", op: "update", stream_id: channel.id, name: channel.name, property, value },
        { to: "channelViewers", channelId: channel.id },
      );
    }
  }
}

/** Deletes what is personal about a deactivated account. */
function erase(tx: Tx, user: UserRow): void {
  const next: UserRow = {
    ...user,
    is_deleted: true,
    is_imported_stub: false,
    delivery_email: `deleteduser${user.id}@${tx.state.host}`,
    full_name: `Deleted user ${user.id}`,
    timezone: "",
    avatar_source: "G",
    avatar_path: null,
    avatar_version: user.avatar_version + 1,
    api_key_version: user.api_key_version + 1,
    settings: {},
    profile_data: {},
    alert_words: [],
    status: {},
  };
  tx.put("users", next);
  tx.write((sql) => eraseCredentials(sql, user.id, generateApiKey()));
  tx.write((sql) => deletePersonalData(sql, user.id));
  tx.event(
    { type: "realm_user", op: "remove", person: { user_id: user.id, full_name: next.full_name } },
    { to: "userViewers", userId: user.id },
  );
  tx.event(
    { type: "realm_user", op: "add", person: personRecord(tx.state, next) },
    { to: "userViewers", userId: user.id },
  );
}

/** Whether `actor` manages a bot: it is theirs, or they are an administrator. */
export function managesBot(actor: UserRow, bot: UserRow): boolean {
  return bot.bot_owner_id === actor.id || isAdmin(actor);
}
