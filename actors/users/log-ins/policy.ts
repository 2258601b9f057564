/**
 * What an organization's owners have decided about log-ins: how long they last, from which networks people come, and
 * which passwords they may choose. An organization that has decided nothing has what all had before.
 */
import type { UserRow } from "../../../storage/rows.ts";
import { type AddressRule, parseAddressList } from "../../outbound/allowed-addresses.mjs";
import { limits } from "../../realm/state/settings.ts";
import { defineDerived, type RealmState } from "../../realm/state/state.ts";

export const passwordStrengths = ["ordinary", "strong", "very_strong"] as const;

export interface LogInPolicy {
  /** Days after which a log-in of a browser ends. */
  session_days: number;
  /** Minutes without use after which it ends before. null: it does not. */
  idle_minutes: number | null;
  /** Code points of a password that somebody chooses. */
  password_min_length: number;
  password_strength: (typeof passwordStrengths)[number];
  /** Where people come from: addresses, and ranges like `10.1.0.0/16`. None: from anywhere. */
  allowed_networks: string[];
}

/** Where it is kept among the organization's settings. Clients know of none such. */
export const logInPolicyKey = "log_in_policy";

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    [logInPolicyKey]?: Partial<LogInPolicy>;
  }
}

const undecided: LogInPolicy = {
  session_days: 14,
  idle_minutes: null,
  password_min_length: limits.passwordMin,
  password_strength: "ordinary",
  allowed_networks: [],
};

/** What may be decided. */
export const policyLimits = {
  sessionDays: 365,
  /** Less would end a log-in between two reports of a page that is in use. */
  idleMinutesMin: 5,
  idleMinutes: 365 * 24 * 60,
  passwordMin: 64,
  networks: 100,
  networkLength: 50,
} as const;

/** Guesses that a password withstands. Of one of 12 characters a higher estimate would ask for a random one. */
const guesses: Record<LogInPolicy["password_strength"], number> = {
  ordinary: limits.passwordMinGuesses,
  strong: 1_000_000,
  very_strong: 100_000_000,
};

const isDecided = ({ row }: RealmState): boolean => row.settings[logInPolicyKey] !== undefined;

export const logInPolicyOf = ({ row }: RealmState): LogInPolicy => ({
  ...undecided,
  ...row.settings[logInPolicyKey],
});

export const sessionSecsOf = (state: RealmState): number => logInPolicyOf(state).session_days * 86_400;

/** A log-in in use is noted as seen this often, so that most requests write nothing. */
const seenEverySecs = 3600;
const leastSeenEverySecs = 60;

/** How often a log-in in use is noted, and after how many seconds without a note it has ended; undefined: never. */
export function idleRuleOf(state: RealmState): { notedEverySecs: number; endsAfterSecs: number | undefined } {
  const { idle_minutes } = isDecided(state) ? logInPolicyOf(state) : undecided;
  if (idle_minutes === null) return { notedEverySecs: seenEverySecs, endsAfterSecs: undefined };
  const idleSecs = idle_minutes * 60;
  const notedEverySecs = Math.min(seenEverySecs, Math.max(leastSeenEverySecs, Math.round(idleSecs / 10)));
  // A note may be that old at the last use. Nobody is logged out early.
  return { notedEverySecs, endsAfterSecs: idleSecs + notedEverySecs };
}

export function passwordRulesOf(state: RealmState): { minLength: number; minGuesses: number } {
  const { password_min_length, password_strength } = logInPolicyOf(state);
  return { minLength: password_min_length, minGuesses: guesses[password_strength] };
}

const allowedNetworks = defineDerived<AddressRule | undefined>({
  tables: ["realms"],
  make(state) {
    const { allowed_networks } = logInPolicyOf(state);
    return allowed_networks.length === 0 ? undefined : remembering(parseAddressList(allowed_networks.join(" ")));
  },
});

/** Addresses of which is remembered whether people come from them. */
const maxRemembered = 10_000;

/** Decides once about each address: polls ask with every event. */
function remembering(isAllowed: AddressRule): AddressRule {
  const known = new Map<string, boolean>();
  return (address) => {
    let answer = known.get(address);
    if (answer === undefined) {
      answer = isAllowed(address);
      if (known.size >= maxRemembered) known.clear();
      known.set(address, answer);
    }
    return answer;
  };
}

/** Whether people come from certain networks only. */
export const hasAllowedNetworks = (state: RealmState): boolean =>
  isDecided(state) && logInPolicyOf(state).allowed_networks.length > 0;

/** Whether somebody may come from an address. Bots may from any: what calls them is elsewhere. */
export function mayComeFrom(state: RealmState, user: Pick<UserRow, "is_bot">, address: () => string): boolean {
  if (user.is_bot || !hasAllowedNetworks(state)) return true;
  return state.derived(allowedNetworks)?.(address()) ?? true;
}
