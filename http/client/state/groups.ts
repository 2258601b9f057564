/** Events about user groups, and the members of groups. */
import type { ClientProfile } from "./client-profile.ts";
import {
  addSorted,
  dropAll,
  type GroupRecord,
  type GroupSetting,
  type Handler,
  InapplicableEventError,
  putItem,
  type RegisterState,
  removeItem,
  renewItem,
} from "./state.ts";

/**
 * The group of an event, a copy to change. A client without `include_deactivated_groups` may be told of a deactivated
 * group that it does not list. It ignores that.
 */
function findGroup(state: RegisterState, groupId: number, profile: ClientProfile): GroupRecord | undefined {
  const group = renewItem(state.realm_user_groups, "id", groupId);
  if (!group && state.realm_user_groups && profile.capabilities.has("include_deactivated_groups")) {
    throw new InapplicableEventError(`user group ${groupId} is not known to this client`);
  }
  if (group) Object.assign(group, listsOf(group));
  return group;
}

/** Copies of a group's lists, to change. */
const listsOf = ({ members, direct_subgroup_ids }: GroupRecord): Partial<GroupRecord> => ({
  members: [...members],
  direct_subgroup_ids: [...direct_subgroup_ids],
});

function addGroup(state: RegisterState, event: { group: GroupRecord }): void {
  putItem(state.realm_user_groups, "id", structuredClone(event.group));
}

function removeGroup(state: RegisterState, event: { group_id: number }): void {
  removeItem(state.realm_user_groups, "id", event.group_id, "user group");
}

type GroupData = { group_id: number; data: Partial<GroupRecord> };

function updateGroup(state: RegisterState, event: GroupData, profile: ClientProfile): void {
  const group = findGroup(state, event.group_id, profile);
  if (event.data["deactivated"] !== undefined && !profile.capabilities.has("include_deactivated_groups")) {
    throw new InapplicableEventError(
      `${profile.name}: deactivation of group ${event.group_id} came as update instead of remove or add`,
    );
  }
  if (group) Object.assign(group, structuredClone(event.data));
}

type MembersEvent = { op: string; group_id: number; user_ids: number[] };

function changeMembers(state: RegisterState, event: MembersEvent, profile: ClientProfile): void {
  const members = findGroup(state, event.group_id, profile)?.members;
  if (members && event.op === "add_members") addSorted(members, event.user_ids);
  else if (members) dropAll(members, new Set(event.user_ids));
}

type SubgroupsEvent = { op: string; group_id: number; direct_subgroup_ids: number[] };

function changeSubgroups(state: RegisterState, event: SubgroupsEvent, profile: ClientProfile): void {
  const subgroups = findGroup(state, event.group_id, profile)?.direct_subgroup_ids;
  if (subgroups && event.op === "add_subgroups") addSorted(subgroups, event.direct_subgroup_ids);
  else if (subgroups) dropAll(subgroups, new Set(event.direct_subgroup_ids));
}

/** Active users in the group of a setting, directly or through subgroups. */
export function membersOf(state: RegisterState, setting: GroupSetting): Set<number> {
  const groups = new Map(state.realm_user_groups?.map((group) => [group.id, group]));
  const members = new Set(typeof setting === "number" ? [] : setting.direct_members);
  const pending = typeof setting === "number" ? [setting] : [...setting.direct_subgroups];
  const seen = new Set<number>();
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const group = groups.get(id);
    for (const userId of group?.members ?? []) members.add(userId);
    pending.push(...(group?.direct_subgroup_ids ?? []));
  }
  return members;
}

/** Whether `value` is an anonymous group. */
export function isAnonymousGroup(value: unknown): value is { direct_members: number[]; direct_subgroups: number[] } {
  return typeof value === "object" && value !== null && "direct_members" in value && "direct_subgroups" in value;
}

/**
 * Removes a deactivated user from every group and every anonymous group. Events tell only clients that cannot see the
 * user. The others do it on `realm_user/update` of `is_active`.
 */
export function dropMember(state: RegisterState, userId: number): void {
  const gone = new Set([userId]);
  for (const { id, members } of [...(state.realm_user_groups ?? [])])
    if (members.includes(userId)) {
      const renewed = renewItem(state.realm_user_groups, "id", id);
      if (renewed) renewed.members = members.filter((one) => one !== userId);
    }
  const holders = [state, ...(state.realm_user_groups ?? [])];
  for (const field of ["subscriptions", "unsubscribed", "never_subscribed", "streams"] as const) {
    holders.push(...(state[field] ?? []));
  }
  for (const holder of holders) {
    for (const value of Object.values(holder)) if (isAnonymousGroup(value)) dropAll(value.direct_members, gone);
  }
}

/** Handlers of the events about user groups, by `type/op`. */
export const groupHandlers: Readonly<Record<string, Handler>> = {
  "user_group/add": addGroup,
  "user_group/remove": removeGroup,
  "user_group/update": updateGroup,
  "user_group/add_members": changeMembers,
  "user_group/remove_members": changeMembers,
  "user_group/add_subgroups": changeSubgroups,
  "user_group/remove_subgroups": changeSubgroups,
};
