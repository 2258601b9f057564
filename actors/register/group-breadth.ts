/** The integer policies that older clients read instead of group settings. */
import { defined } from "../../storage/failures.ts";
import type { GroupId, UserId } from "../../storage/ids.ts";
import type { GroupSetting } from "../../storage/rows.ts";
import { type SystemGroupName, systemGroupNames, systemNameOf } from "../realm/state/group-index.ts";
import type { RealmState } from "../realm/state/state.ts";

type Breadth = Exclude<SystemGroupName, "role:internet">;

/** From the smallest to the largest. */
const steps: readonly Breadth[] = [
  "role:nobody",
  "role:owners",
  "role:administrators",
  "role:moderators",
  "role:fullmembers",
  "role:members",
  "role:everyone",
];

/** The smallest system group with everybody whom the setting allows. Visits the named groups once, not the users. */
export function smallestSystemGroup(state: RealmState, setting: GroupSetting): Breadth {
  let widest = 0;
  const reach = (name: Breadth) => {
    widest = Math.max(widest, steps.indexOf(name));
  };
  const reachUser = (id: UserId) => {
    const user = state.users.get(id);
    if (!user?.is_active) return;
    reach(steps.slice(1).find((name) => state.groups.isInSystemGroup(name, user)) ?? "role:everyone");
  };
  if (typeof setting !== "number") for (const id of setting.direct_members) reachUser(id);
  const open = typeof setting === "number" ? [setting] : [...setting.direct_subgroups];
  const seen = new Set<GroupId>();
  for (let id = open.pop(); id !== undefined && widest < steps.length - 1; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const group = state.groups.byId.get(id);
    const name = systemNameOf(group);
    if (name !== undefined) {
      reach(systemGroupNames.includes(name) && name !== "role:internet" ? name : "role:everyone");
      continue;
    }
    for (const member of state.groups.directMembers(id)) reachUser(member);
    open.push(...state.groups.directSubgroups(id));
  }
  return defined(steps[widest], "step");
}
