/**
 * Waiting for PostgreSQL, but not for ever. A network may silently stop to carry one connection's bytes, and a query
 * over it would wait for minutes until the kernel gives up. So a query that should have been answered long ago is given
 * up, and new connections replace the old ones. A statement that PostgreSQL is working on is waited for. So is one that
 * waits behind others, after an outage say, when everybody asks at once: to ask anew would only make the line longer.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Database, Overdue } from "./postgres.ts";

/**
 * Time is counted in so many parts, so that a process that slept, or was starved, first reads answers that came
 * meanwhile.
 */
const parts = 5;
/** After so many parts more PostgreSQL is asked again. */
const partsUntilNextLook = 2;
/** Nobody waits behind others for more than so many times as long. */
const mostWaits = 4;
/** How long PostgreSQL may take to say what it is working on. */
const askMs = 1000;

/**
 * The outcome of `work`. When it is given up, it goes on by itself.
 * @param isAtWork whether PostgreSQL is working on it; without this, late work counts as lost
 * @throws Overdue, or what `work` threw
 */
export function timely<T>(
  database: Database,
  withinMs: number,
  work: Promise<T>,
  isAtWork?: () => Promise<boolean>,
): Promise<T> {
  const { sql } = database;
  // Every commit is waited for like this: one timer that is cleared costs a tenth of a wait that is aborted.
  return new Promise((resolve, reject) => {
    const begunAt = performance.now();
    let partsLeft = parts;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const look = async (): Promise<void> => {
      if (--partsLeft === 0) {
        const waitsBehindOthers = performance.now() - begunAt < mostWaits * withinMs && sql.lines?.areBusy(withinMs);
        const isLost = !waitsBehindOthers && (isAtWork === undefined || !(await saysSo(isAtWork())));
        if (isOver) return;
        if (isLost) {
          isOver = true;
          // Of many who waited for the same connections one renews them.
          if (database.sql === sql) database.renew();
          reject(new Overdue("PostgreSQL did not answer in time"));
          return;
        }
        partsLeft = partsUntilNextLook;
      }
      wait();
    };
    const wait = (): void => {
      timer = setTimeout(() => void look(), withinMs / parts);
    };
    wait();
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
    };
    work.then(
      (outcome) => {
        end();
        resolve(outcome);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** What PostgreSQL says; no when it says nothing. */
async function saysSo(answer: Promise<boolean>): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([answer.catch(() => false), delay(askMs, false, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

/** What a cursor reads, each piece in time. @throws Overdue */
export async function* timelyPieces<T>(
  database: Database,
  withinMs: number,
  pieces: AsyncIterable<T>,
): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await timely(database, withinMs, iterator.next());
    if (done) return;
    yield value;
  }
}

/** Whether PostgreSQL answers at all, within some time. */
export async function doesAnswer(database: Database, withinMs: number): Promise<boolean> {
  try {
    await timely(database, withinMs, database.sql`select 1`);
    return true;
  } catch {
    return false;
  }
}
