/** User groups: creating, changing, deactivating and reactivating them. Their members are in `members.ts`. */
import type { GroupId, UserId } from "../../../storage/ids.ts";
import {
  type Change,
  channelGroupSettings,
  type GroupSetting,
  type UserGroupRow,
  type UserGroupSetting,
  type UserRow,
  userGroupSettings,
} from "../../../storage/rows.ts";
import { findGroupSightChanges, tellSightChanges } from "../../channels/changes/visibility-by-person.ts";
import { badRequest, errors } from "../../errors.ts";
import { canSeeChannel, isGuest } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import { realmGroupSettingNames } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { renderGroup } from "../record.ts";
import {
  accessOrdinaryGroup,
  checkGroupName,
  checkMayManage,
  checkNewMembers,
  checkNewSubgroups,
  defaultGroupSettings,
  userGroupDefaults,
} from "../rules.ts";
import { checkGroupSetting, checkGroupSettingUpdate, type GroupSettingUpdate } from "../setting-values.ts";

export interface CreateGroupArgs {
  userId: UserId;
  name: string;
  description: string;
  members: UserId[];
  subgroups: GroupId[];
  settings: Partial<Record<UserGroupSetting, GroupSetting>>;
}

/** Creates a group. @throws BAD_REQUEST */
export const createGroup = command(async (tx: Tx, args: CreateGroupArgs) => {
  const { state } = tx;
  const creator = tx.user(args.userId);
  if (isGuest(creator) || !state.may(creator, "can_create_groups")) throw badRequest("Insufficient permission");
  const name = checkGroupName(state, args.name);
  const members = checkNewMembers(state, creator, args.members);
  const subgroups = checkNewSubgroups(state, args.subgroups);
  const settings = defaultGroupSettings(state, creator.id);
  for (const setting of userGroupSettings) {
    const value = args.settings[setting];
    if (value !== undefined) settings[setting] = checkGroupSetting(state, setting, value, userGroupDefaults[setting]);
  }
  const group = await addGroup(tx, creator, { name, description: args.description, members, subgroups, settings });
  return { group_id: group.id };
});

interface NewGroup {
  name: string;
  description: string;
  /** Active or not. Only the active ones are shown in it. */
  members: UserId[];
  subgroups: GroupId[];
  settings: Pick<UserGroupRow, UserGroupSetting>;
}

/** Adds a group whose parts have passed their checks. */
export async function addGroup(tx: Tx, creator: UserRow, made: NewGroup): Promise<UserGroupRow> {
  const { state } = tx;
  const { name, description, members, subgroups, settings } = made;
  const group: UserGroupRow = {
    id: await tx.id("group_ids"),
    realm_id: tx.realmId,
    name,
    description,
    creator_id: creator.id,
    date_created: tx.now,
    is_system_group: false,
    deactivated: false,
    ...settings,
  };
  const keys = { group_id: group.id, realm_id: tx.realmId };
  tx.put("user_groups", group);
  tx.put("user_group_members", ...members.map((user_id) => ({ ...keys, user_id })));
  tx.put("user_group_subgroups", ...subgroups.map((subgroup_id) => ({ ...keys, subgroup_id })));
  const shown = members.filter((id) => state.users.get(id)?.is_active);
  const record = { ...renderGroup(state, group), members: shown, direct_subgroup_ids: subgroups };
  tx.event({ type: "user_group", op: "add", group: record }, { to: "realm" });
  return group;
}

export interface UpdateGroupArgs {
  userId: UserId;
  groupId: GroupId;
  name?: string | undefined;
  description?: string | undefined;
  deactivated?: boolean | undefined;
  settings: Partial<Record<UserGroupSetting, GroupSettingUpdate>>;
}

/**
 * Changes a group. Either all changes are made or none. @throws BAD_REQUEST, EXPECTATION_MISMATCH,
 * CANNOT_DEACTIVATE_GROUP_IN_USE
 */
export const updateGroup = command((tx: Tx, args: UpdateGroupArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const group = accessOrdinaryGroup(state, args.groupId);
  checkMayManage(state, user, group);
  const data: GroupChange = {};
  if (args.name !== undefined) {
    const name = checkGroupName(state, args.name, group.id);
    if (name !== group.name) data.name = name;
  }
  if (args.description !== undefined && args.description !== group.description) data.description = args.description;
  for (const setting of userGroupSettings) {
    const update = args.settings[setting];
    if (!update) continue;
    const value = checkGroupSettingUpdate(state, setting, group[setting], update, userGroupDefaults[setting]);
    if (value !== undefined) data[setting] = value;
  }
  const deactivated = args.deactivated ?? group.deactivated;
  if (deactivated && !group.deactivated) checkNotInUse(state, user, group);
  putGroup(tx, group, data, deactivated);
  return {};
});

/** Deactivates a group. @throws BAD_REQUEST, CANNOT_DEACTIVATE_GROUP_IN_USE */
export const deactivateGroup = command((tx: Tx, { userId, groupId }: { userId: UserId; groupId: GroupId }) => {
  const { state } = tx;
  const user = tx.user(userId);
  const group = accessOrdinaryGroup(state, groupId);
  checkMayManage(state, user, group);
  if (group.deactivated) throw badRequest("User group is already deactivated.");
  closeGroup(tx, user, group);
  return {};
});

/** Deactivates a group, if nothing uses it. @throws CANNOT_DEACTIVATE_GROUP_IN_USE */
export function closeGroup(tx: Tx, user: UserRow, group: UserGroupRow): void {
  checkNotInUse(tx.state, user, group);
  putGroup(tx, group, {}, true);
}

type GroupChange = Partial<Pick<UserGroupRow, "name" | "description" | "deactivated" | UserGroupSetting>>;

/**
 * Stores a changed group and sends its events. Some clients do not know of deactivated groups. They get the whole group
 * when it is reactivated, so that event comes before the other changes. The event of a deactivation comes after them.
 */
export function putGroup(tx: Tx, group: UserGroupRow, data: GroupChange, deactivated: boolean): void {
  const isChanged = Object.keys(data).length > 0;
  if (!isChanged && deactivated === group.deactivated) return;
  const row = { ...group, ...data, deactivated };
  const changes: Change[] = [{ table: "user_groups", put: [row] }];
  const sight = deactivated === group.deactivated ? [] : findGroupSightChanges(tx.state, changes, [group.id]);
  const tell = (what: GroupChange) =>
    tx.event({ type: "user_group", op: "update", group_id: group.id, data: what }, { to: "realm" });
  tx.put("user_groups", row);
  if (group.deactivated && !deactivated) tell({ deactivated });
  if (isChanged) tell(data);
  if (deactivated && !group.deactivated) tell({ deactivated });
  tellSightChanges(tx, sight);
}

/**
 * A group that holds a permission, or is a subgroup, cannot be deactivated. Archived channels and deactivated groups do
 * not count as uses.
 *
 * @throws CANNOT_DEACTIVATE_GROUP_IN_USE with the uses that the caller may know of
 */
function checkNotInUse(state: RealmState, user: UserRow, group: UserGroupRow): void {
  const objections: object[] = [];
  let isUsed = false;
  const uses = (value: GroupSetting) =>
    typeof value === "number" ? value === group.id : value.direct_subgroups.includes(group.id);
  const object = (objection: { settings: readonly string[]; [field: string]: unknown }, isKnown = true) => {
    if (objection.settings.length === 0) return;
    isUsed = true;
    if (isKnown) objections.push(objection);
  };
  const supergroup_ids = state.groups
    .directSupergroups(group.id)
    .filter((id) => !state.groups.byId.get(id)?.deactivated);
  if (supergroup_ids.length > 0) {
    isUsed = true;
    objections.push({ type: "subgroup", supergroup_ids });
  }
  const names = realmGroupSettingNames;
  object({ type: "realm", settings: names.filter((name) => uses(state.groupSetting(name))) });
  for (const channel of state.channels.values()) {
    if (channel.is_archived) continue;
    const settings = channelGroupSettings.filter((name) => uses(channel[name]));
    object({ type: "channel", channel_id: channel.id, settings }, canSeeChannel(state, channel, user));
  }
  for (const other of state.groups.byId.values()) {
    if (other.id === group.id || other.deactivated) continue;
    object({
      type: "user_group",
      group_id: other.id,
      settings: userGroupSettings.filter((name) => uses(other[name])),
    });
  }
  if (isUsed) throw errors.CANNOT_DEACTIVATE_GROUP_IN_USE({ objections });
}
