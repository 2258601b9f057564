/** Group settings and user groups as answers carry them. https://zulip.com/api/get-user-groups */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { type UserGroupSetting, userGroupSettings } from "../../storage/rows.ts";
import { either } from "../either.ts";
import { groupId, userId } from "../id-shapes.ts";

/** The value of a group setting. */
export const groupSettingValue = either(
  groupId(),
  object({ direct_members: array(userId()), direct_subgroups: array(groupId()) }),
);

export const userGroup = object({
  id: groupId(),
  name: string(),
  description: string(),
  members: array(userId()),
  direct_subgroup_ids: array(groupId()),
  is_system_group: boolean(),
  deactivated: boolean(),
  creator_id: nullable(userId()),
  date_created: nullable(integer()),
  ...(Object.fromEntries(userGroupSettings.map((name) => [name, groupSettingValue])) as Record<
    UserGroupSetting,
    typeof groupSettingValue
  >),
});
export type GroupRecord = Infer<typeof userGroup>;
