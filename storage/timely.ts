/**
 * Waiting for PostgreSQL, but not for ever. A network may stop to carry one connection's bytes and tell nobody; whoever
 * asked over it would wait until the kernel gives up, minutes later. So what should have been answered long ago is
 * given up, and new connections take the place of those that there are. A statement that PostgreSQL still works on is
 * waited for.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Database, Overdue } from "./postgres.ts";

/** Time is counted in so many parts: a process that slept, or was starved, first gets what came meanwhile. */
const parts = 5;
/** How long PostgreSQL may take to say what it is working on. */
const askMs = 1000;

/**
 * The outcome of `work`, which goes on by itself when this gives it up.
 * @param isAtWork whether PostgreSQL still works on it; without it, what is late is lost
 * @throws Overdue, or what `work` threw
 */
export async function timely<T>(
  database: Database,
  withinMs: number,
  work: Promise<T>,
  isAtWork?: () => Promise<boolean>,
): Promise<T> {
  const over = new AbortController();
  const { sql } = database;
  const waits = async (): Promise<never> => {
    for (;;) {
      for (let part = 0; part < parts; part++) await delay(withinMs / parts, undefined, { signal: over.signal });
      const answer =
        isAtWork && Promise.race([isAtWork().catch(() => false), delay(askMs, false, { signal: over.signal })]);
      if (answer === undefined || !(await answer)) break;
    }
    // Of many who waited for the same connections one renews them.
    if (database.sql === sql) database.renew();
    throw new Overdue("PostgreSQL did not answer in time");
  };
  const wait = waits();
  // Whichever comes second is nobody's.
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
