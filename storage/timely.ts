/**
 * Waiting for PostgreSQL, but not for ever. A network may silently stop to carry one connection's bytes, and a query
 * over it would wait for minutes until the kernel gives up. So a query that should have been answered long ago is given
 * up, and new connections replace the old ones. A statement that PostgreSQL is working on is waited for.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Database, Overdue } from "./postgres.ts";

/**
 * Time is counted in so many parts, so that a process that slept, or was starved, first reads answers that came
 * meanwhile.
 */
const parts = 5;
/** How long PostgreSQL may take to say what it is working on. */
const askMs = 1000;

/**
 * The outcome of `work`. When it is given up, it goes on by itself.
 * @param isAtWork whether PostgreSQL is working on it; without this, late work counts as lost
 * @throws Overdue, or what `work` threw
 */
export async function timely<T>(
  database: Database,
  withinMs: number,
  work: Promise<T>,
  isAtWork?: () => Promise<boolean>,
): Promise<T> {
  const over = new AbortController();
  const waits = async (): Promise<never> => {
    for (;;) {
      for (let part = 0; part < parts; part++) await delay(withinMs / parts, undefined, { signal: over.signal });
      const answer =
        isAtWork && Promise.race([isAtWork().catch(() => false), delay(askMs, false, { signal: over.signal })]);
      if (answer === undefined || !(await answer)) break;
    }
    database.renew();
    throw new Overdue("PostgreSQL did not answer in time");
  };
  const wait = waits();
  // The later of the two outcomes is ignored.
  wait.catch(() => {});
  work.catch(() => {});
  try {
    return await Promise.race([work, wait]);
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
