/** Work for the writer, and its outcome. */
import type { LogPosition } from "../../../storage/ids.ts";
import type { MessageRow } from "../../../storage/messages/messages.ts";
import { ApiError, errors } from "../../errors.ts";
import type { Entry } from "../entry.ts";
import type { RealmState } from "../state/state.ts";
import type { Turn, Tx } from "../transaction.ts";
import type { Cause } from "./audit.ts";
import type { Grouped } from "./group.ts";

/** The command was never started, so the caller may try again without doing it twice. */
export class NotBegun extends Error {
  override name = "NotBegun";
}

/** A send that needs nothing but its row and its entry. */
export interface FastSend<R> {
  message: MessageRow;
  entry: Entry;
  reply: R;
}

export type Work<R> = {
  /** Works with the same key never share a commit: the later one is decided on what the earlier one left. */
  key?: string | undefined;
  /** Decides a send at once. Undefined: it needs a transaction after all. */
  fast?: (state: RealmState, takeMessageId: () => number, now: number) => FastSend<R> | undefined;
  /** It is decided and committed together with others of its kind; then `decide` is not called. */
  grouped?: Grouped;
  decide: (tx: Tx) => Promise<R> | R;
  /** Called once it is durable. */
  committed?(reply: R): void;
};

/** A work that waits for its commit, and who waits for it. */
export interface Pending<R = unknown> {
  work: Work<R>;
  resolve(outcome: { reply: R; position: LogPosition }): void;
  reject(error: unknown): void;
  onPart?: (() => void) | undefined;
  /** Absent: it is in no audit log. */
  cause?: Cause | undefined;
  /** UNIX milliseconds, of a command that is traced. */
  waitsSince?: number | undefined;
  /** It is what is left of a long command. */
  isRest?: true;
}

/**
 * The rest of a command, which waits behind the others.
 *
 * @param stored what its caller gets if the writer goes away, when a job does the rest then
 */
export function restOf(
  pending: Pending,
  reply: unknown,
  [turn, ...rest]: readonly Turn[],
  stored?: { reply: unknown; position: LogPosition },
): Pending {
  const { committed } = pending.work;
  // Beginning again would answer for the rest alone, as if the first part had been done by somebody else.
  const reject = (error: unknown) => {
    if (!isAway(error)) pending.reject(error);
    else if (stored) pending.resolve(stored);
    else pending.reject(errors.SERVICE_UNAVAILABLE(doneInPart));
  };
  return {
    work: {
      decide: async (tx) => {
        await turn!(tx);
        for (const next of rest) tx.later(next);
        return reply;
      },
      ...(committed && { committed }),
    },
    resolve: pending.resolve,
    onPart: pending.onPart,
    cause: pending.cause,
    isRest: true,
    // One of many thousands of parts must not have a chain of those before it.
    reject: pending.isRest ? pending.reject : reject,
  };
}

export const doneInPart =
  "The request was done in part, since the organization's writer or its database went away. Please repeat it.";

const isAway = (error: unknown): boolean =>
  error instanceof NotBegun || (error instanceof ApiError && error.code === "SERVICE_UNAVAILABLE");

/** Whether a work with the same key is among those of a commit; if not, it is from now on. */
export function isRepeated(keys: Set<string>, { key }: Work<unknown>): boolean {
  if (key === undefined) return false;
  if (keys.has(key)) return true;
  keys.add(key);
  return false;
}

/** As many works of one kind as fit into a commit, and the others. The first is taken whatever its size. */
export function takeGroup(waiting: readonly Pending[], maxSize: number): { taken: Pending[]; left: Pending[] } {
  const taken: Pending[] = [];
  const left: Pending[] = [];
  const keys = new Set<string>();
  let size = 0;
  for (const pending of waiting) {
    const { grouped } = pending.work;
    const fits =
      taken.length === 0 || (grouped!.kind === taken[0]!.work.grouped!.kind && size + grouped!.size <= maxSize);
    if (!fits || isRepeated(keys, pending.work)) {
      left.push(pending);
      continue;
    }
    taken.push(pending);
    size += grouped!.size;
  }
  return { taken, left };
}
