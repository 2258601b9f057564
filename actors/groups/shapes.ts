/** Group settings and user groups as answers carry them. https://zulip.com/api/get-user-groups */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { type UserGroupSetting, userGroupSettings } from "../../storage/rows.ts";
import { either } from "../either.ts";

/** The value of a group setting. */
export const groupSettingValue = either(
  integer(),
  object({ direct_members: array(integer()), direct_subgroups: array(integer()) }),
);

export const userGroup = object({
  id: integer(),
  name: string(),
  description: string(),
  members: array(integer()),
  direct_subgroup_ids: array(integer()),
  is_system_group: boolean(),
  deactivated: boolean(),
  creator_id: nullable(integer()),
  date_created: nullable(integer()),
  ...(Object.fromEntries(userGroupSettings.map((name) => [name, groupSettingValue])) as Record<
    UserGroupSetting,
    typeof groupSettingValue
  >),
});
export type GroupRecord = Infer<typeof userGroup>;
