/** Decoders of group settings: a value, and a change of one. */
import { array, integer, nullable, object, optional } from "superstruct";
import type { GroupSettingUpdate } from "../../../actors/groups/setting-values.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import { either } from "../../api/either.ts";
import { type JsonSchema, json, type Param } from "../../api/params.ts";

const value = either(integer(), object({ direct_members: array(integer()), direct_subgroups: array(integer()) }));
/** Schema of a group setting's value. */
export const groupSettingSchema: JsonSchema = {
  oneOf: [
    { type: "integer" },
    {
      type: "object",
      properties: {
        direct_members: { type: "array", items: { type: "integer" } },
        direct_subgroups: { type: "array", items: { type: "integer" } },
      },
      required: ["direct_members", "direct_subgroups"],
    },
  ],
};

/** A group's id, or the members and subgroups of an anonymous group. */
export function groupSetting(): Param<GroupSetting> {
  return json(value, groupSettingSchema);
}

/** `{new, old?}`. */
export function groupSettingUpdate(): Param<GroupSettingUpdate> {
  return json(object({ new: value, old: optional(nullable(value)) }), {
    type: "object",
    properties: { new: groupSettingSchema, old: groupSettingSchema },
    required: ["new"],
  }) as Param<GroupSettingUpdate>;
}
