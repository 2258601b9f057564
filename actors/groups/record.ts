/** A user group as clients see it. https://zulip.com/api/get-user-groups */
import { defined } from "../../storage/failures.ts";
import type { GroupId, UserId } from "../../storage/ids.ts";
import { recordOf, roles, type UserGroupRow, userGroupSettings } from "../../storage/rows.ts";
import { type SystemGroupName, systemGroupNames, systemNameOf } from "../realm/state/group-index.ts";
import type { RealmState } from "../realm/state/state.ts";
import { shownGroupSetting } from "./setting-values.ts";
import type { GroupRecord } from "./shapes.ts";

/** The system groups that hold a user directly. The other system groups hold only the group before them. */
export function systemGroupOf(
  state: RealmState,
  user: { role: number; id: UserId; date_joined: number },
): SystemGroupName[] {
  switch (user.role) {
    case roles.owner:
      return ["role:owners"];
    case roles.administrator:
      return ["role:administrators"];
    case roles.moderator:
      return ["role:moderators"];
    case roles.guest:
      return ["role:everyone"];
    default:
      return state.isFullMember(user) ? ["role:fullmembers", "role:members"] : ["role:members"];
  }
}

/** Active direct members of the group, ascending. */
export function directMembers(state: RealmState, group: UserGroupRow): UserId[] {
  if (!group.is_system_group)
    return state.groups.directMembers(group.id).filter((id) => state.users.get(id)?.is_active);
  switch (systemNameOf(group)) {
    case "role:owners":
      return state.roles.members(roles.owner);
    case "role:administrators":
      return state.roles.members(roles.administrator);
    case "role:moderators":
      return state.roles.members(roles.moderator);
    case "role:fullmembers": {
      const members = state.roles.members(roles.member);
      // Without a waiting period, members and full members are the same list.
      if (state.setting("waiting_period_threshold") === 0) return members;
      return members.filter((id) => state.isFullMember(state.knownUser(id)));
    }
    case "role:members":
      return state.roles.members(roles.member);
    case "role:everyone":
      return state.roles.members(roles.guest);
    default:
      return [];
  }
}

/** A system group contains the one before it; `role:nobody` contains nothing. */
export function directSubgroups(state: RealmState, group: UserGroupRow): GroupId[] {
  const name = systemNameOf(group);
  if (name === undefined) return state.groups.directSubgroups(group.id);
  const place = systemGroupNames.indexOf(name);
  return place <= 0 || name === "role:nobody"
    ? []
    : [state.systemGroup(defined(systemGroupNames[place - 1], "system group name"))];
}

export function renderGroup(state: RealmState, group: UserGroupRow): GroupRecord {
  const settings = recordOf(userGroupSettings, (name) => shownGroupSetting(state, group[name]));
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    members: directMembers(state, group),
    direct_subgroup_ids: directSubgroups(state, group),
    is_system_group: group.is_system_group,
    deactivated: group.deactivated,
    creator_id: group.creator_id,
    date_created: group.date_created,
    ...settings,
  };
}
