/** What an entry of the log ends: queues, and polls and streams whose key or log-in is no longer valid. */
import type { EndedSessions, Entry } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";

export interface Ends {
  /** Users whose queues end: they were deactivated, or are bots that were given to somebody else. */
  queues: number[];
  /** Users whose waiting polls and streams end. The next ones are authenticated again. */
  polls: number[];
  /** Log-ins whose queues end, and polls and streams that came by them. */
  sessions: readonly EndedSessions[];
  /** Everybody's polls and streams end: the organization was closed. */
  everybody: boolean;
}

/** @param state before the entry is applied */
export function endedBy(state: RealmState, { changes, endedSessions }: Entry): Ends | undefined {
  let ends: Ends | undefined = endedSessions && { ...noEnds(), sessions: endedSessions };
  for (const change of changes ?? []) {
    if (change.table === "realms" && change.put?.some((realm) => realm.is_deactivated))
      (ends ??= noEnds()).everybody = true;
    if (change.table !== "users") continue;
    for (const user of change.put ?? []) {
      const before = state.users.get(user.id);
      const isGiven = before !== undefined && before.bot_owner_id !== user.bot_owner_id;
      const isOver = before !== undefined && before.api_key_version !== user.api_key_version;
      if (user.is_active && !isGiven && !isOver) continue;
      ends ??= noEnds();
      (!user.is_active || isGiven ? ends.queues : ends.polls).push(user.id);
    }
  }
  return ends;
}

const noEnds = (): Ends => ({ queues: [], polls: [], sessions: [], everybody: false });
