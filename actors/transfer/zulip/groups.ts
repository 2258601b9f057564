/**
 * Imports user groups. Roles decide who is in a system group here, so only groups with members of their own are
 * imported.
 */
import { defined } from "../../../storage/failures.ts";
import type { GroupId, UserId } from "../../../storage/ids.ts";
import type {
  GroupSetting,
  UserGroupMemberRow,
  UserGroupRow,
  UserGroupSetting,
  UserGroupSubgroupRow,
} from "../../../storage/rows.ts";
import { recordOf, userGroupSettings } from "../../../storage/rows.ts";
import { userGroupDefaults } from "../../groups/rules.ts";
import { systemGroupRows } from "../../organization/changes/create.ts";
import { type SystemGroupName, systemGroupNames } from "../../realm/state/group-index.ts";
import type { ZulipExport } from "./export.ts";
import type { TakenIds } from "./ids.ts";
import { isAllowed } from "./organization.ts";
import { namedGroups } from "./survey.ts";
import type { OldGroupId, OldUserId } from "./tables.ts";

export interface ImportedGroups {
  groups: UserGroupRow[];
  members: UserGroupMemberRow[];
  subgroups: UserGroupSubgroupRow[];
}

/** Old id of each named group → new one. System groups are matched by name. */
export function groupIds(
  from: ZulipExport,
  own: ReadonlyMap<OldGroupId, GroupId>,
  taken: TakenIds,
): Map<OldGroupId, GroupId> {
  const all = new Map(own);
  const systemNames: readonly string[] = systemGroupNames;
  for (const { id, name, is_system_group } of namedGroups(from)) {
    const place = is_system_group ? systemNames.indexOf(name) : -1;
    if (place >= 0) all.set(id, defined(taken.systemGroups[place], "system group"));
  }
  return all;
}

/**
 * Translates an old group into the value of a setting. A named group becomes its id, an anonymous one its members and
 * subgroups.
 */
export function groupSettingReader(
  from: ZulipExport,
  groups: ReadonlyMap<OldGroupId, GroupId>,
  users: ReadonlyMap<OldUserId, UserId>,
): (id: OldGroupId) => GroupSetting | undefined {
  const members = new Map<OldGroupId, { direct_members: UserId[]; direct_subgroups: GroupId[] }>();
  for (const { id } of from.rows("zerver_usergroup"))
    if (!groups.has(id)) members.set(id, { direct_members: [], direct_subgroups: [] });
  for (const { user_group, user_profile } of from.rows("zerver_usergroupmembership")) {
    const user = users.get(user_profile);
    if (user !== undefined) members.get(user_group)?.direct_members.push(user);
  }
  for (const { supergroup, subgroup } of from.rows("zerver_groupgroupmembership")) {
    const group = groups.get(subgroup);
    if (group !== undefined) members.get(supergroup)?.direct_subgroups.push(group);
  }
  return (id) => groups.get(id) ?? members.get(id);
}

export function importGroups(
  from: ZulipExport,
  taken: TakenIds,
  ids: { groups: ReadonlyMap<OldGroupId, GroupId>; users: ReadonlyMap<OldUserId, UserId> },
  now: number,
): ImportedGroups {
  const realm_id = taken.realm;
  const named = namedGroups(from).filter((group) => !group.is_system_group);
  const own = new Set(named.map(({ id }) => id));
  const systemGroup = (name: SystemGroupName): GroupId =>
    defined(taken.systemGroups[systemGroupNames.indexOf(name)], "system group");
  const settingOf = groupSettingReader(from, ids.groups, ids.users);
  const settings = (group: Readonly<Record<string, unknown>>): Record<UserGroupSetting, GroupSetting> =>
    recordOf(userGroupSettings, (name) => {
      const old = group[name];
      const value = typeof old === "number" ? settingOf(old) : undefined;
      const isKept = value !== undefined && isAllowed(value, userGroupDefaults[name], systemGroup);
      if (isKept) return value;
      return systemGroup(name === "can_mention_group" || name === "can_leave_group" ? "role:everyone" : "role:nobody");
    });
  const groups = named.map(
    (group): UserGroupRow => ({
      id: defined(ids.groups.get(group.id), "group"),
      realm_id,
      name: group.name,
      description: group.description,
      creator_id: group.creator == null ? null : (ids.users.get(group.creator) ?? null),
      date_created: group.date_created == null ? null : Math.floor(group.date_created),
      is_system_group: false,
      deactivated: group.deactivated ?? false,
      ...settings(group),
    }),
  );
  return {
    groups: [...systemGroupRows(realm_id, taken.systemGroups, now), ...groups],
    members: from.rows("zerver_usergroupmembership").flatMap(({ user_group, user_profile }) => {
      const user_id = ids.users.get(user_profile);
      if (!own.has(user_group) || user_id === undefined) return [];
      return { group_id: defined(ids.groups.get(user_group), "group"), user_id, realm_id };
    }),
    subgroups: withoutCircles(
      from.rows("zerver_groupgroupmembership").flatMap(({ supergroup, subgroup }) => {
        const subgroup_id = ids.groups.get(subgroup);
        if (!own.has(supergroup) || subgroup_id === undefined) return [];
        return { group_id: defined(ids.groups.get(supergroup), "group"), subgroup_id, realm_id };
      }),
    ),
  };
}

/** No group is in itself: of a circle the last row is left out. */
function withoutCircles(rows: readonly UserGroupSubgroupRow[]): UserGroupSubgroupRow[] {
  const below = new Map<GroupId, GroupId[]>();
  const reaches = (from: GroupId, to: GroupId): boolean => {
    const seen = new Set<GroupId>();
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (id === to) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...(below.get(id) ?? []));
    }
    return false;
  };
  return rows.filter(({ group_id, subgroup_id }) => {
    if (reaches(subgroup_id, group_id)) return false;
    below.set(group_id, [...(below.get(group_id) ?? []), subgroup_id]);
    return true;
  });
}
