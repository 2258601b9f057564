import type { EventShape } from "./messages.ts";
import { exactly, GROUP_DATA, int, ints, partly, userGroup } from "./objects.ts";

const members: EventShape = () => ({ group_id: int, user_ids: ints });
const subgroups: EventShape = () => ({ group_id: int, direct_subgroup_ids: ints });

/** Shapes by `type` or `type/op`. */
export const channelShapes: Readonly<Record<string, EventShape>> = {
  "user_group/add": () => ({ group: userGroup }),
  "user_group/update": () => ({ group_id: int, data: exactly(partly(GROUP_DATA)) }),
  "user_group/add_members": members,
  "user_group/remove_members": members,
  "user_group/add_subgroups": subgroups,
  "user_group/remove_subgroups": subgroups,
  "user_group/remove": () => ({ group_id: int }),
};
