/** Members and subgroups of a user group. */

import type { GroupId, UserId } from "../../../storage/ids.ts";
import type { Change, UserGroupRow, UserRow } from "../../../storage/rows.ts";
import { findGroupSightChanges, tellSightChanges } from "../../channels/changes/visibility-by-person.ts";
import { badRequest } from "../../errors.ts";
import type { MembersChange, SubgroupsChange } from "../../events/people.ts";
import { command } from "../../realm/command.ts";
import { systemNameOf } from "../../realm/state/group-index.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { directMembers, directSubgroups } from "../record.ts";
import { accessOrdinaryGroup, checkMayAdd, checkMayRemove, checkNewMembers, checkNewSubgroups } from "../rules.ts";

export interface UpdateGroupMembersArgs {
  userId: UserId;
  groupId: GroupId;
  /** Ids of users. */
  add: UserId[];
  delete: UserId[];
  /** Ids of groups. */
  addSubgroups: GroupId[];
  deleteSubgroups: GroupId[];
}

/**
 * Changes the members and subgroups of a group, deactivated or not. Either all changes are made or none.
 *
 * @throws BAD_REQUEST for adding what is there, deleting what is not, a cycle, a system group, or a missing permission
 */
export const updateGroupMembers = command((tx: Tx, args: UpdateGroupMembersArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const group = accessOrdinaryGroup(state, args.groupId);
  const added = addedMembers(state, user, group, args.add);
  const deleted = deletedMembers(state, user, group, args.delete);
  const addedGroups = addedSubgroups(state, user, group, args.addSubgroups);
  const deletedGroups = deletedSubgroups(state, user, group, args.deleteSubgroups);
  changeMembers(tx, group, { added, deleted, addedGroups, deletedGroups });
  return {};
});

/** What has passed its checks: ids ascending, each once. */
interface CheckedMembers {
  /** Active or not. Only the active ones are told. */
  added: UserId[];
  deleted: UserId[];
  addedGroups: GroupId[];
  deletedGroups: GroupId[];
}

/** Makes changes that have passed their checks. */
export function changeMembers(
  tx: Tx,
  group: UserGroupRow,
  { added, deleted, addedGroups, deletedGroups }: CheckedMembers,
): void {
  const { state } = tx;
  const keys = { group_id: group.id, realm_id: tx.realmId };
  const changes: Change[] = [
    {
      table: "user_group_members",
      put: added.map((user_id) => ({ ...keys, user_id })),
      remove: deleted.map((user_id) => ({ group_id: group.id, user_id })),
    },
    {
      table: "user_group_subgroups",
      put: addedGroups.map((subgroup_id) => ({ ...keys, subgroup_id })),
      remove: deletedGroups.map((subgroup_id) => ({ group_id: group.id, subgroup_id })),
    },
  ];
  const sight = findGroupSightChanges(state, changes, [group.id]);
  const tell = (change: MembersChange | SubgroupsChange) =>
    tx.event({ type: "user_group", group_id: group.id, ...change }, { to: "realm" });
  const isActive = (id: UserId) => state.users.get(id)?.is_active;
  for (const change of changes) {
    if (change.table === "user_group_members") {
      tx.put(change.table, ...(change.put ?? []));
      tx.remove(change.table, ...(change.remove ?? []));
    } else if (change.table === "user_group_subgroups") {
      tx.put(change.table, ...(change.put ?? []));
      tx.remove(change.table, ...(change.remove ?? []));
    }
  }
  // No list of members shows deactivated users.
  const [come, gone] = [added.filter(isActive), deleted.filter(isActive)];
  if (come.length > 0) tell({ op: "add_members", user_ids: come });
  if (gone.length > 0) tell({ op: "remove_members", user_ids: gone });
  if (addedGroups.length > 0) tell({ op: "add_subgroups", direct_subgroup_ids: addedGroups });
  if (deletedGroups.length > 0) tell({ op: "remove_subgroups", direct_subgroup_ids: deletedGroups });
  tellSightChanges(tx, sight);
}

const isOnly = <Id extends number>(ids: readonly Id[], id: Id): boolean => ids.every((one) => one === id);

function addedMembers(state: RealmState, user: UserRow, group: UserGroupRow, ids: readonly UserId[]): UserId[] {
  if (ids.length === 0) return [];
  checkMayAdd(state, user, group, isOnly(ids, user.id));
  const added = checkNewMembers(state, user, ids);
  for (const id of added) {
    if (state.groups.hasDirectMember(group.id, id)) throw badRequest(`User ${id} is already a member of this group.`);
  }
  return added;
}

function deletedMembers(state: RealmState, user: UserRow, group: UserGroupRow, ids: readonly UserId[]): UserId[] {
  if (ids.length === 0) return [];
  checkMayRemove(state, user, group, isOnly(ids, user.id));
  for (const id of ids) {
    if (!state.groups.hasDirectMember(group.id, id)) throw badRequest(`There is no member '${id}' in this user group.`);
  }
  return [...new Set(ids)].sort((a, b) => a - b);
}

function addedSubgroups(state: RealmState, user: UserRow, group: UserGroupRow, ids: readonly GroupId[]): GroupId[] {
  if (ids.length === 0) return [];
  checkMayAdd(state, user, group, false);
  const added = checkNewSubgroups(state, ids);
  for (const id of added) {
    if (state.groups.hasDirectSubgroup(group.id, id))
      throw badRequest(`User group ${id} is already a subgroup of this group.`);
    // A new cycle always goes through this group. So it is enough to check each subgroup alone.
    if (state.groups.contains(id, group.id))
      throw badRequest(`User group ${group.id} is already a subgroup of user group ${id}.`);
  }
  return added;
}

function deletedSubgroups(state: RealmState, user: UserRow, group: UserGroupRow, ids: readonly GroupId[]): GroupId[] {
  if (ids.length === 0) return [];
  checkMayRemove(state, user, group, false);
  for (const id of ids) {
    if (!state.groups.byId.has(id)) throw badRequest(`Invalid user group ID: ${id}`);
    if (!state.groups.hasDirectSubgroup(group.id, id))
      throw badRequest(`User group ${id} is not a subgroup of this group.`);
  }
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Active members of a group, ascending: direct ones only, or those of its subgroups too. */
export function groupMembers(state: RealmState, group: UserGroupRow, directOnly: boolean): UserId[] {
  if (directOnly) return directMembers(state, group);
  const systemName = systemNameOf(group);
  const { members, system } = systemName ? { members: [], system: [systemName] } : state.groups.reach(group.id);
  const all = new Set<UserId>();
  for (const id of members) if (state.users.get(id)?.is_active) all.add(id);
  if (system.length > 0) {
    for (const user of state.users.values()) {
      if (user.is_active && !user.is_system_bot && system.some((name) => state.groups.isInSystemGroup(name, user)))
        all.add(user.id);
    }
  }
  return [...all].sort((a, b) => a - b);
}

/** Whether an active user is in a group. The group may be deactivated. */
export function isGroupMember(state: RealmState, group: UserGroupRow, user: UserRow, directOnly: boolean): boolean {
  if (!user.is_active) return false;
  if (directOnly && !group.is_system_group) return state.groups.hasDirectMember(group.id, user.id);
  if (!directOnly && !group.deactivated) return state.groups.isMember(group.id, user);
  return groupMembers(state, group, directOnly).includes(user.id);
}

/** Ids of a group's subgroups, ascending: direct ones only, or their subgroups too. */
export function groupSubgroups(state: RealmState, group: UserGroupRow, directOnly: boolean): GroupId[] {
  if (directOnly) return directSubgroups(state, group);
  const all = new Set<GroupId>();
  const open = [group];
  for (let at = open.pop(); at; at = open.pop()) {
    for (const id of directSubgroups(state, at)) {
      const subgroup = state.groups.byId.get(id);
      if (!subgroup || all.has(id)) continue;
      all.add(id);
      open.push(subgroup);
    }
  }
  return [...all].sort((a, b) => a - b);
}
