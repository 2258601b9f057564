/**
 * What changes when an account is deactivated, reactivated or deleted. `states.ts` decides.
 *
 * Clients see a deactivated person in no group and no channel. They remove the person from channels by `peer_remove`,
 * as when somebody leaves. They remove them from groups by themselves, unless they do not know the person: then they
 * get an event for each group. All of it is told again when a person is reactivated. A deleted account keeps its id, so
 * that its messages have an author, and loses everything personal.
 */

import { deleteOneTimeLinks } from "../../../storage/email/one-time-links.ts";
import { deleteQueuesOfUser } from "../../../storage/event-queues.ts";
import type { GroupId, UserId } from "../../../storage/ids.ts";
import { deleteBrowsersOf } from "../../../storage/notifications/browsers.ts";
import { deletePersonalData } from "../../../storage/personal/personal-data.ts";
import type { GroupSetting, UserRow } from "../../../storage/rows.ts";
import { channelGroupSettings, userGroupSettings } from "../../../storage/rows.ts";
import { updateApiKey, updatePassword } from "../../../storage/users/credentials.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { deleteSecondFactors } from "../../../storage/users/second-factors.ts";
import { deleteFurtherKeysOf } from "../../../storage/users/sessions.ts";
import { type Leaving, tellPeers } from "../../channels/changes/subscribers.ts";
import { channelUpdate } from "../../events/channels.ts";
import { systemGroupOf } from "../../groups/record.ts";
import { normalGroupSetting } from "../../groups/setting-values.ts";
import type { Audience } from "../../realm/entry.ts";
import { realmGroupSettingNames } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { deleteFiles } from "../../uploads/deleted-files.ts";
import { hiddenFrom } from "../known-people.ts";
import { personRecord } from "../record.ts";
import { endSessionsOf } from "./sessions.ts";
import { tellBot } from "./tell-bot.ts";

/** Deactivates an account. Its queues and log-ins end. The caller has checked that it may. */
export function close(tx: Tx, user: UserRow): UserRow {
  const { state } = tx;
  const hidden = hiddenFrom(state, user).filter((id) => id !== user.id);
  const next = { ...user, is_active: false };
  tx.put("users", next);
  endSessionsOf(tx, user.id);
  // Keys open an account again that is reactivated; what they registered has to be registered again.
  tx.write((sql) => deleteBrowsersOf(sql, user.id, "all"));
  tx.write((sql) => deleteOneTimeLinks(sql, user.id));
  tx.write((sql) => deleteQueuesOfUser(sql, user.id));
  // This comes before the person is removed: a client that drops them with the next event could not tell whom it is
  // about.
  tellPeers(tx, "peer_remove", channelsOf(state, user));
  tellActive(tx, next);
  if (user.is_bot) tellBot(tx, next, { is_active: false });
  if (hidden.length === 0) return next;
  const others: Audience = { to: "users", ids: hidden };
  for (const groupId of groupsOf(state, user))
    tx.event({ type: "user_group", op: "remove_members", group_id: groupId, user_ids: [user.id] }, others);
  return next;
}

/** Reactivates an account: its groups, its channels, and the permissions that name it. */
export function reopen(tx: Tx, user: UserRow): UserRow {
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
    channel: state.knownChannel(id),
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
function groupsOf(state: RealmState, user: UserRow): GroupId[] {
  const ids = systemGroupOf(state, user).map((name) => state.systemGroup(name));
  for (const group of state.groups.byId.values())
    if (!group.is_system_group && state.groups.directMembers(group.id).includes(user.id)) ids.push(group.id);
  return ids;
}

/** Tells the permissions that name a reactivated person, who is shown in them again. */
function tellPermissions(tx: Tx, userId: UserId): void {
  const { state } = tx;
  const shown = (value: GroupSetting): GroupSetting | undefined => {
    if (typeof value === "number" || !value.direct_members.includes(userId)) return undefined;
    const direct_members = value.direct_members.filter((id) => id === userId || state.users.get(id)?.is_active);
    return normalGroupSetting(state, { ...value, direct_members });
  };
  const data: Record<string, GroupSetting> = {};
  for (const name of realmGroupSettingNames) {
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
      tx.event(channelUpdate(channel, { property, value }), { to: "channelViewers", channelId: channel.id });
    }
  }
}

/** Deletes a deactivated account's personal data. Returns the row as it will be. */
export function erase(tx: Tx, user: UserRow): UserRow {
  const next: UserRow = {
    ...user,
    is_deleted: true,
    is_imported_stub: false,
    delivery_email: `deleteduser${user.id}@${tx.state.botDomain}`,
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
  // Nobody logs in with the old ones: there is no password, and a key that nobody knows.
  tx.write((sql) => updatePassword(sql, user.id, null));
  tx.write((sql) => updateApiKey(sql, user.id, generateApiKey()));
  tx.write((sql) => deleteFurtherKeysOf(sql, user.id));
  tx.write((sql) => deleteSecondFactors(sql, user.id));
  tx.write((sql) => deletePersonalData(sql, user.id));
  if (user.avatar_path !== null) deleteFiles(tx, [`avatars/${tx.realmId}/${user.avatar_path}`]);
  tx.event(
    { type: "realm_user", op: "remove", person: { user_id: user.id, full_name: next.full_name } },
    { to: "userViewers", userId: user.id },
  );
  tx.event(
    { type: "realm_user", op: "add", person: personRecord(tx.state, next) },
    { to: "userViewers", userId: user.id },
  );
  return next;
}
