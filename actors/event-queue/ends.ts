/** What ends with a change of accounts: queues, and polls that came with a key or log-in that is over. */
import type { Change, UserRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";

export interface Ends {
  /** Users whose queues end: they were deactivated, or are bots that were given to somebody else. */
  queues: number[];
  /** Users whose waiting polls end; the next ones prove again who asks. */
  polls: number[];
}

/** @param state before the changes are applied */
export function endedBy(state: RealmState, changes: readonly Change[]): Ends | undefined {
  let ends: Ends | undefined;
  for (const change of changes) {
    if (change.table !== "users") continue;
    for (const user of (change.put ?? []) as UserRow[]) {
      const before = state.users.get(user.id);
      const isGiven = before !== undefined && before.bot_owner_id !== user.bot_owner_id;
      const isOver = before !== undefined && before.api_key_version !== user.api_key_version;
      if (user.is_active && !isGiven && !isOver) continue;
      ends ??= { queues: [], polls: [] };
      (!user.is_active || isGiven ? ends.queues : ends.polls).push(user.id);
    }
  }
  return ends;
}
