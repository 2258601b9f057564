/**
 * Who has to have a second factor, as the organization's owners decided: administrators (owners too), all but guests,
 * or everybody. People have days of grace, from the decision or from their first day. Then a log-in sets one up.
 */
import { roles, type UserRow } from "../../../storage/rows.ts";
import type { RealmState } from "../../realm/state/state.ts";

export const requiredOf = ["nobody", "administrators", "members", "everyone"] as const;

export interface RequiredSecondFactor {
  of: (typeof requiredOf)[number];
  grace_days: number;
  /** When it was decided, UNIX seconds. */
  since: number;
}

/** Where it is kept among the organization's settings. Clients know of none such. */
export const requirementKey = "required_second_factor";

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    [requirementKey]?: RequiredSecondFactor;
  }
}

const daySecs = 86_400;

/** The lowest role that is concerned. */
const lowest = { administrators: roles.administrator, members: roles.member, everyone: roles.guest } as const;

export const requirementOf = ({ row }: RealmState): RequiredSecondFactor =>
  row.settings[requirementKey] ?? { of: "nobody", grace_days: 14, since: 0 };

/** From when somebody's log-ins take a second factor, UNIX seconds. Undefined: they need none. */
export function dutyFrom(state: RealmState, user: UserRow): number | undefined {
  const { of, grace_days, since } = requirementOf(state);
  if (of === "nobody" || user.is_bot || user.role > lowest[of]) return undefined;
  return Math.max(since, user.date_joined) + grace_days * daySecs;
}
