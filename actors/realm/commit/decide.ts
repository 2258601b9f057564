/** What goes into a commit of sends, or of changes of one kind: how many of those that wait, and what each does. */
import type { Database } from "../../../storage/postgres.ts";
import type { LogEntry } from "../entry.ts";
import type { RealmState } from "../state/state.ts";
import type { Decision } from "./group.ts";
import { maxSends, type Reserves } from "./reserves.ts";
import { type FastSend, isRepeated, type Pending } from "./work.ts";

/** Bytes that a commit takes at most: it is one statement, and one message to the other nodes. */
export const maxCommitBytes = 2 * 1024 * 1024;

export interface DecidedSends {
  sends: { pending: Pending; send: FastSend<unknown> }[];
  /** How many of those that waited were looked at. */
  taken: number;
  /** The last of them, if it changes more than a message and so needs a transaction. */
  slow: Pending | undefined;
}

/** Decides sends, beginning with the first. Refusals are told at once. */
export function decideSends(
  waiting: readonly Pending[],
  state: RealmState,
  reserves: Reserves,
  now: number,
): DecidedSends {
  const sends: DecidedSends["sends"] = [];
  const keys = new Set<string>();
  let taken = 0;
  let bytes = 0;
  for (; taken < waiting.length && taken < maxSends && bytes < maxCommitBytes; taken++) {
    const pending = waiting[taken]!;
    if (isRepeated(keys, pending.work)) break;
    try {
      const send = pending.work.fast!(state, () => reserves.takeIds(1)[0]!, now);
      if (!send) return { sends, taken: taken + 1, slow: pending };
      sends.push({ pending, send });
      bytes += send.message.rendered_content.length;
    } catch (error) {
      pending.reject(error);
    }
  }
  return { sends, taken, slow: undefined };
}

export type Decisions = (Decision<unknown, unknown> | { refusal: unknown })[];

/** Decides changes of one kind, on one question to PostgreSQL. */
export function decideGroup(database: Database, state: RealmState, taken: readonly Pending[]): Promise<Decisions> {
  const all = taken.map(({ work }) => work.grouped!);
  return all[0]!.decideAll(database, state, all);
}

/** Gives what was decided its positions in the log. Refusals are told at once. */
export function placeDecisions(
  taken: readonly Pending[],
  decisions: Decisions,
  reserves: Reserves,
): { pending: Pending; decision: Decision<unknown, unknown>; entries: LogEntry[] }[] {
  return decisions.flatMap((decision, index) => {
    const pending = taken[index]!;
    if ("refusal" in decision) {
      pending.reject(decision.refusal);
      return [];
    }
    return [{ pending, decision, entries: decision.entries.map((entry) => reserves.place(entry)) }];
  });
}
