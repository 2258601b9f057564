/** Group settings and user groups as answers carry them. https://zulip.com/api/get-user-groups */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { recordOf, userGroupSettings } from "../../storage/rows.ts";
import { either } from "../either.ts";
import { groupId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** The value of a group setting. */
export const groupSettingValue = either(
  groupId(),
  object({
    direct_members: described(array(userId()), "Ids of people, of a group without a name."),
    direct_subgroups: described(array(groupId()), "Ids of groups, of a group without a name."),
  }),
);

export const userGroup = object({
  id: described(groupId(), "The group's id."),
  name: described(string(), "The group's name."),
  description: described(string(), "What the group is for."),
  members: described(array(userId()), "Ids of its members."),
  direct_subgroup_ids: described(array(groupId()), "Ids of groups whose members are its members too."),
  is_system_group: described(boolean(), "Whether the server keeps it: groups of roles."),
  deactivated: boolean(),
  creator_id: nullable(userId()),
  date_created: nullable(integer()),
  ...recordOf(userGroupSettings, () => groupSettingValue),
});
export type GroupRecord = Infer<typeof userGroup>;
