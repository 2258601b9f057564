/** Rules of user groups: their names, their contents, and who may change them. */
import type { GroupId, UserId } from "../../storage/ids.ts";
import {
  type GroupSetting,
  recordOf,
  type UserGroupRow,
  type UserGroupSetting,
  type UserRow,
  userGroupSettings,
} from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { accessGroup, canSeeUser } from "../realm/access.ts";
import type { SystemGroupName } from "../realm/state/group-index.ts";
import { limits } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { isLegible } from "../text/legible-name.ts";
import { isLonger } from "../text/texts.ts";
import type { GroupSettingRule } from "./setting-values.ts";

/** A group name must not begin like another kind of mention or link. */
export const reservedPrefixes = ["@", "role:", "user:", "stream:", "channel:"];

/** Returns the name as it is stored. @throws BAD_REQUEST */
export function checkGroupName(state: RealmState, name: string, except?: GroupId): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("User group name can't be empty!");
  if (isLonger(trimmed, limits.userGroupName))
    throw badRequest(`User group name cannot exceed ${limits.userGroupName} characters.`);
  for (const prefix of reservedPrefixes)
    if (trimmed.toLowerCase().startsWith(prefix)) throw badRequest(`User group name cannot start with '${prefix}'.`);
  if (!isLegible(trimmed)) throw badRequest("Invalid character in user group name.");
  const taken = state.groups.findByName(trimmed);
  if (taken && taken.id !== except) throw badRequest(`User group '${taken.name}' already exists.`);
  return trimmed;
}

/** Default and allowed values of each permission over a group. https://zulip.com/api/group-setting-values */
export const userGroupDefaults: Record<
  UserGroupSetting,
  GroupSettingRule & { default: SystemGroupName | "group_creator" }
> = {
  can_add_members_group: { default: "group_creator", everyone: false, nobody: true },
  can_join_group: { default: "role:nobody", everyone: false, nobody: true },
  can_leave_group: { default: "role:everyone", everyone: true, nobody: true },
  can_manage_group: { default: "group_creator", everyone: false, nobody: true },
  can_mention_group: { default: "role:everyone", everyone: true, nobody: true },
  can_remove_members_group: { default: "role:nobody", everyone: false, nobody: true },
};

/** The permissions of a new group. */
export function defaultGroupSettings(state: RealmState, creatorId: UserId): Pick<UserGroupRow, UserGroupSetting> {
  return recordOf(userGroupSettings, (name): GroupSetting => {
    const group = userGroupDefaults[name].default;
    return group === "group_creator" ? { direct_members: [creatorId], direct_subgroups: [] } : state.systemGroup(group);
  });
}

/** Returns a group that is not a system group. @throws BAD_REQUEST */
export function accessOrdinaryGroup(state: RealmState, groupId: GroupId): UserGroupRow {
  const group = accessGroup(state, groupId);
  if (group.is_system_group) throw badRequest("System groups cannot be changed.");
  return group;
}

function mayManage(state: RealmState, user: UserRow, group: UserGroupRow): boolean {
  return state.groups.holds(group.can_manage_group, user) || state.may(user, "can_manage_all_groups");
}

/** Checks that the user may change the group. @throws BAD_REQUEST */
export function checkMayManage(state: RealmState, user: UserRow, group: UserGroupRow): void {
  if (!mayManage(state, user, group)) throw badRequest("Insufficient permission");
}

/**
 * Whether the user may add others to the group, at once or through an invitation. Source:
 * https://zulip.com/help/manage-user-groups
 */
export function mayAddMembers(state: RealmState, user: UserRow, group: UserGroupRow): boolean {
  return mayManage(state, user, group) || state.groups.holds(group.can_add_members_group, user);
}

/**
 * Checks that the user may add members or subgroups. Joining needs less permission than adding others. @throws
 * BAD_REQUEST
 */
export function checkMayAdd(state: RealmState, user: UserRow, group: UserGroupRow, isJoining: boolean): void {
  if (mayAddMembers(state, user, group)) return;
  if (!isJoining || !state.groups.holds(group.can_join_group, user)) throw badRequest("Insufficient permission");
}

/**
 * Checks that the user may remove members or subgroups. Leaving needs less permission than removing others. @throws
 * BAD_REQUEST
 */
export function checkMayRemove(state: RealmState, user: UserRow, group: UserGroupRow, isLeaving: boolean): void {
  if (mayManage(state, user, group) || state.groups.holds(group.can_remove_members_group, user)) return;
  if (!isLeaving || !state.groups.holds(group.can_leave_group, user)) throw badRequest("Insufficient permission");
}

/**
 * Checks new members: each is active and accessible to the caller. Returns distinct ids, ascending. @throws BAD_REQUEST
 */
export function checkNewMembers(state: RealmState, caller: UserRow, ids: readonly UserId[]): UserId[] {
  for (const id of ids) {
    const user = state.users.get(id);
    if (!user?.is_active || user.is_system_bot || !canSeeUser(state, user, caller))
      throw badRequest(`Invalid user ID: ${id}`);
  }
  return ascending(ids);
}

/** Checks new subgroups: none is deactivated. Returns distinct ids, ascending. @throws BAD_REQUEST */
export function checkNewSubgroups(state: RealmState, ids: readonly GroupId[]): GroupId[] {
  for (const id of ids) {
    const group = state.groups.byId.get(id);
    if (!group) throw badRequest(`Invalid user group ID: ${id}`);
    if (group.deactivated) throw badRequest("A deactivated user group cannot be a subgroup.");
  }
  return ascending(ids);
}

const ascending = <Id extends number>(ids: readonly Id[]): Id[] => [...new Set(ids)].sort((a, b) => a - b);
