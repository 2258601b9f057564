/** Decoders of group settings: of a value, and of a change. */

import { nullable, object, optional } from "superstruct";
import type { GroupSettingUpdate } from "../../../actors/groups/setting-values.ts";
import { groupSettingValue } from "../../../actors/groups/shapes.ts";
import { described } from "../../../actors/shape.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import { json, type Param } from "../../api/params.ts";

/** A group's id, or the members and subgroups of an anonymous group. */
export function groupSetting(): Param<GroupSetting> {
  return json(groupSettingValue);
}

/** `{new, old?}`. */
export function groupSettingUpdate(): Param<GroupSettingUpdate> {
  return json(
    object({
      new: described(groupSettingValue, "Who may from now on: a group's id, or people and groups."),
      old: described(
        optional(nullable(groupSettingValue)),
        "Who might so far: the change fails if that is no longer so.",
      ),
    }),
  ) as Param<GroupSettingUpdate>;
}
