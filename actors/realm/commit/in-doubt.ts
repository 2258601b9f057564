/**
 * What became of a commit without an answer: its connection was lost, or is silent. First the writer's epoch is closed,
 * so that nothing can be added to the log under it, however late it comes. Then PostgreSQL tells, by the log, or by its
 * own record of a transaction that has nothing for the log.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition } from "../../../storage/ids.ts";
import { isCommitted, isLogged } from "../../../storage/log/commit-fate.ts";
import { type Database, StorageUnavailable, translate } from "../../../storage/postgres.ts";
import type { Fenced, LogRow, WriterTerm } from "../../../storage/realm-log.ts";
import { closeEpoch } from "../../../storage/realms.ts";
import { timely } from "../../../storage/timely.ts";
import { errors } from "../../errors.ts";
import type { StoredRest, Turn } from "../transaction.ts";
import { outcomeOf } from "./outcomes.ts";
import { doneInPart, NotBegun, type Pending } from "./work.ts";

/**
 * A commit that takes longer is given up, unless PostgreSQL is working on it: its connection is dead. Long enough for a
 * machine that is four times too busy, and half of the five seconds within which sends should go on.
 */
export const overdueMs = 2500;
/** These questions wait at most until the sessions that hold the realm's row are ended. */
const answerMs = 3000;
const retryMs = 100;

/** A commit, and how far it got. */
export interface Commit {
  rows: readonly LogRow[];
  /** Whether PostgreSQL may have been asked to commit. */
  wasAsked: boolean;
  /** Of one in several statements: it need not have anything for the log. */
  fenced?: Fenced | undefined;
}

/** A command of a commit. A decided one has the reply for its caller, who gets it once it is stored. */
export interface Done {
  pending: Pending;
  /** Absent: it was not decided. */
  reply?: unknown;
  position: LogPosition;
  turns?: readonly Turn[];
  storedRest?: StoredRest | undefined;
}

/** Looks a commit up that failed with `error`, and tells whoever waits for its commands. Never rejects. */
export async function tellOutcome(
  database: Database,
  term: WriterTerm,
  error: unknown,
  commit: Commit,
  commands: readonly Done[],
  patienceMs: number,
): Promise<void> {
  const outcome = await outcomeOfCommit(database, term, commit, patienceMs);
  for (const command of commands) {
    const { pending, reply, position, turns = [], storedRest } = command;
    if (outcome === "not stored") pending.reject(new NotBegun());
    else if (outcome === "unknown" || !("reply" in command)) pending.reject(outcomeOf(error));
    else if (turns.length > 0 && !storedRest) pending.reject(errors.SERVICE_UNAVAILABLE(doneInPart));
    else {
      pending.work.committed?.(reply);
      pending.resolve({ reply, position });
    }
  }
}

/** @returns "unknown" when PostgreSQL does not know, or did not tell within `patienceMs` */
async function outcomeOfCommit(
  database: Database,
  term: WriterTerm,
  { rows, wasAsked, fenced }: Commit,
  patienceMs: number,
): Promise<"stored" | "not stored" | "unknown"> {
  const positions = rows.map(({ position }) => position);
  if (!wasAsked) return "not stored";
  const deadline = performance.now() + patienceMs;
  const ask = async () => {
    await closeEpoch(database, term.realmId, term.epoch);
    if (fenced !== undefined) return isCommitted(database.sql, term.realmId, fenced, positions);
    return isLogged(database.sql, term.realmId, positions);
  };
  for (;;) {
    try {
      const isStored = await timely(database, answerMs, ask());
      return isStored === undefined ? "unknown" : isStored ? "stored" : "not stored";
    } catch (error) {
      if (!(translate(error) instanceof StorageUnavailable) || performance.now() > deadline) return "unknown";
      await delay(retryMs);
    }
  }
}
