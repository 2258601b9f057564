/** User groups, their members and subgroups. */

import { array, boolean } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { groupMembers, groupSubgroups, isGroupMember } from "../../../actors/groups/changes/members.ts";
import { renderGroup } from "../../../actors/groups/record.ts";
import { userGroup } from "../../../actors/groups/shapes.ts";
import { groupId, userId } from "../../../actors/id-shapes.ts";
import { accessGroup, accessUser } from "../../../actors/realm/access.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import type { GroupId, UserId } from "../../../storage/ids.ts";
import { recordOf, type UserGroupSetting, userGroupSettings } from "../../../storage/rows.ts";
import { bool, json, type Param, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { groupSetting, groupSettingUpdate } from "./setting-params.ts";

const users = () => json(array(userId())).default([]);
const groups = () => json(array(groupId())).default([]);

/** One parameter of the same kind for each permission over a group. */
function eachSetting<T>(param: () => Param<T>): Record<UserGroupSetting, Param<T | undefined>> {
  return recordOf(userGroupSettings, () => param().optional());
}

/** The permissions that the request names. */
function given<T>(params: Record<UserGroupSetting, T | undefined>): Partial<Record<UserGroupSetting, T>> {
  const settings: Partial<Record<UserGroupSetting, T>> = {};
  for (const name of userGroupSettings) {
    const value = params[name];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

/** Creates a group. https://zulip.com/api/create-user-group */
export const createUserGroup = route({
  doc: "https://zulip.com/api/create-user-group",
  summary: "Makes a user group with its members, subgroups and permissions.",
  auth: anyAccount,
  params: {
    name: text().describe("The group's name."),
    description: text({ maxLength: limits.userGroupDescription }).default("").describe("What the group is for."),
    members: users().describe("Ids of its members."),
    subgroups: groups().describe("Ids of groups whose members are its members too."),
    ...eachSetting(groupSetting),
  },
  returns: { group_id: described(groupId(), "The new group's id.") },
  handle({ realm, user, params }) {
    const { name, description, members, subgroups } = params;
    return realm.execute("createGroup", {
      userId: user.id,
      name,
      description,
      members,
      subgroups,
      settings: given(params),
    });
  },
});

/** Lists the groups. https://zulip.com/api/get-user-groups */
export const getUserGroups = route({
  doc: "https://zulip.com/api/get-user-groups",
  summary: "Lists the organization's user groups, the system groups among them.",
  auth: anyAccount,
  params: {
    include_deactivated_groups: bool().default(false).describe("Whether to list groups that are out of use too."),
  },
  returns: { user_groups: described(array(userGroup), "The groups.") },
  handle({ realm: { state }, params }) {
    const groups = state.groups.inOrder();
    return {
      user_groups: groups
        .filter((group) => !group.deactivated || params.include_deactivated_groups)
        .map((group) => renderGroup(state, group)),
    };
  },
});

/** Changes a group. https://zulip.com/api/update-user-group */
export const updateUserGroup = route({
  doc: "https://zulip.com/api/update-user-group",
  summary: "Changes a user group's name, description and permissions, or whether it is in use.",
  auth: anyAccount,
  params: {
    user_group_id: pathInt<GroupId>(),
    name: text().optional().describe("The group's name."),
    description: text({ maxLength: limits.userGroupDescription }).optional().describe("What the group is for."),
    deactivated: bool().optional(),
    ...eachSetting(groupSettingUpdate),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { user_group_id, name, description, deactivated } = params;
    const settings = given(params);
    if ([name, description, deactivated].every((value) => value === undefined) && Object.keys(settings).length === 0)
      throw badRequest("No new data supplied");
    return realm.execute("updateGroup", {
      userId: user.id,
      groupId: user_group_id,
      name,
      description,
      deactivated,
      settings,
    });
  },
});

/** Deactivates a group. https://zulip.com/api/deactivate-user-group */
export const deactivateUserGroup = route({
  doc: "https://zulip.com/api/deactivate-user-group",
  summary: "Puts a user group out of use, unless something uses it.",
  auth: anyAccount,
  params: { user_group_id: pathInt<GroupId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("deactivateGroup", { userId: user.id, groupId: params.user_group_id });
  },
});

/** Changes the members and subgroups of a group. https://zulip.com/api/update-user-group-members */
export const updateUserGroupMembers = route({
  doc: "https://zulip.com/api/update-user-group-members",
  summary: "Adds and removes members and subgroups of a user group.",
  auth: anyAccount,
  params: {
    user_group_id: pathInt<GroupId>(),
    add: users().describe("Ids of people to add."),
    delete: users().describe("Ids of people to remove."),
    add_subgroups: groups().describe("Ids of groups to add."),
    delete_subgroups: groups().describe("Ids of groups to remove."),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { user_group_id, add, add_subgroups, delete_subgroups } = params;
    if (add.length + params.delete.length + add_subgroups.length + delete_subgroups.length === 0) {
      throw badRequest(
        'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
      );
    }
    return realm.execute("updateGroupMembers", {
      userId: user.id,
      groupId: user_group_id,
      add,
      delete: params.delete,
      addSubgroups: add_subgroups,
      deleteSubgroups: delete_subgroups,
    });
  },
});

/** Changes the subgroups of a group. https://zulip.com/api/update-user-group-subgroups */
export const updateUserGroupSubgroups = route({
  doc: "https://zulip.com/api/update-user-group-subgroups",
  summary: "Adds and removes subgroups of a user group.",
  auth: anyAccount,
  params: {
    user_group_id: pathInt<GroupId>(),
    add: groups().describe("Ids of groups to add."),
    delete: groups().describe("Ids of groups to remove."),
  },
  returns: {},
  handle({ realm, user, params }) {
    if (params.add.length + params.delete.length === 0)
      throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
    return realm.execute("updateGroupMembers", {
      userId: user.id,
      groupId: params.user_group_id,
      add: [],
      delete: [],
      addSubgroups: params.add,
      deleteSubgroups: params.delete,
    });
  },
});

/** Lists the members of a group. https://zulip.com/api/get-user-group-members */
export const getUserGroupMembers = route({
  doc: "https://zulip.com/api/get-user-group-members",
  summary: "Lists the members of a user group.",
  auth: anyAccount,
  params: { user_group_id: pathInt<GroupId>(), direct_member_only: bool().default(false) },
  returns: { members: described(array(userId()), "Ids of the members.") },
  handle({ realm: { state }, params }) {
    return { members: groupMembers(state, accessGroup(state, params.user_group_id), params.direct_member_only) };
  },
});

/** Tells whether a user is in a group. https://zulip.com/api/get-is-user-group-member */
export const getIsUserGroupMember = route({
  doc: "https://zulip.com/api/get-is-user-group-member",
  summary: "Says whether a user is in a user group.",
  auth: anyAccount,
  params: { user_group_id: pathInt<GroupId>(), user_id: pathInt<UserId>(), direct_member_only: bool().default(false) },
  returns: { is_user_group_member: described(boolean(), "Whether the user is in the group.") },
  handle({ realm: { state }, user, params }) {
    const group = accessGroup(state, params.user_group_id);
    const target = accessUser(state, user, params.user_id);
    return { is_user_group_member: isGroupMember(state, group, target, params.direct_member_only) };
  },
});

/** Lists the subgroups of a group. https://zulip.com/api/get-user-group-subgroups */
export const getUserGroupSubgroups = route({
  doc: "https://zulip.com/api/get-user-group-subgroups",
  summary: "Lists the subgroups of a user group.",
  auth: anyAccount,
  params: {
    user_group_id: pathInt<GroupId>(),
    direct_subgroup_only: bool().default(false).describe("Whether to leave subgroups of its subgroups out."),
  },
  returns: { subgroups: described(array(groupId()), "Ids of the subgroups.") },
  handle({ realm: { state }, params }) {
    return { subgroups: groupSubgroups(state, accessGroup(state, params.user_group_id), params.direct_subgroup_only) };
  },
});
