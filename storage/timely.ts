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
export function timely<T>(
  database: Database,
  withinMs: number,
  work: Promise<T>,
  isAtWork?: () => Promise<boolean>,
): Promise<T> {
  // Every commit is waited for like this: one timer that is cleared costs a tenth of a wait that is aborted.
  return new Promise((resolve, reject) => {
    let partsLeft = parts;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const look = async (): Promise<void> => {
      if (--partsLeft === 0) {
        const isLost = isAtWork === undefined || !(await saysSo(isAtWork()));
        if (isOver) return;
        if (isLost) {
          isOver = true;
          database.renew();
          reject(new Overdue("PostgreSQL did not answer in time"));
          return;
        }
        partsLeft = parts;
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
