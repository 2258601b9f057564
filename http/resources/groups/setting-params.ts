/** Decoders of group settings: a value, and a change of one. */
import { array, integer, nullable, object, optional } from "superstruct";
import type { GroupSettingUpdate } from "../../../actors/groups/setting-values.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import { either } from "../../api/either.ts";
import { json, type Param } from "../../api/params.ts";

/** The value of a group setting. */
export const groupSettingValue = either(
  integer(),
  object({ direct_members: array(integer()), direct_subgroups: array(integer()) }),
);

/** A group's id, or the members and subgroups of an anonymous group. */
export function groupSetting(): Param<GroupSetting> {
  return json(groupSettingValue);
}

/** `{new, old?}`. */
export function groupSettingUpdate(): Param<GroupSettingUpdate> {
  return json(
    object({ new: groupSettingValue, old: optional(nullable(groupSettingValue)) }),
  ) as Param<GroupSettingUpdate>;
}
