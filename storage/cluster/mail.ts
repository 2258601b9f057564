/**
 * Letters between nodes through PostgreSQL, when Redis cannot carry them: it is gone, cut off, or does not reach the
 * node. They come at most once, as by Redis, and slower. A node looks into its box twice a second, and more often while
 * it lacks Redis itself or gets such letters. A node without Redis says so in its letter, and is answered by mail until
 * a letter of its comes by Redis. An answer by mail does not prolong this, or busy nodes would never return to Redis.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Packr } from "msgpackr";
import type { Database, Sql } from "../postgres.ts";
import { timely } from "../timely.ts";
import type { Bus } from "./bus.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { type Installation, Newness, Seal } from "./seal.ts";

const packr = new Packr({ useRecords: false });
const seldomMs = 500;
const oftenMs = 25;
/** A node that wrote by mail, for want of Redis, is written to by mail for so long. */
const mailedMs = 5000;
/** What nobody fetched in so long nobody will: its node is gone. */
const unfetchedSecs = 60;
const lettersAtOnce = 1000;
/** A box that takes no letter for so long is out of reach. */
const postOverdueMs = 2000;

type Mailed = [from: string, number: number, sentAt: number, letter: unknown, lacksRedis: boolean];

interface Posted {
  recipient: string;
  sealed: Buffer;
}

/** Puts letters into boxes, in this order. */
async function post(sql: Sql, letters: readonly Posted[]): Promise<void> {
  await sql`insert into letters ${sql(letters, "recipient", "sealed")}`;
}

/** Takes letters out of a node's box, the oldest first. */
async function fetchLetters(sql: Sql, recipient: string): Promise<Buffer[]> {
  const rows = await sql<{ id: number; sealed: Buffer }[]>`
    delete from letters where id in (
      select id from letters where recipient = ${recipient} order by id limit ${lettersAtOnce})
    returning id, sealed`;
  return [...rows].sort((a, b) => a.id - b.id).map(({ sealed }) => sealed);
}

async function dropUnfetched(sql: Sql): Promise<void> {
  await sql`delete from letters where sent_at < now() - make_interval(secs => ${unfetchedSecs}::int)`;
}

/** A bus whose letters find another way when its own is closed. */
export function withMail(bus: Bus, database: Database, installation: Installation, onRefused: () => void): Bus {
  const { nodeId } = bus;
  const seal = new Seal(installation.key);
  const newness = new Newness();
  const handlers: ((from: string, letter: unknown) => void)[] = [];
  const closed = new AbortController();
  /** Until when letters to a node go by mail, by `performance.now()`. */
  const mailed = new Map<string, number>();
  const placeOf = (recipient: string) => `mail:${recipient}`;
  let letters = 0;
  let oftenUntil = 0;
  let waiting: Posted[] = [];
  let posting: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const postWaiting = async (): Promise<void> => {
    const taken = waiting;
    [waiting, next] = [[], undefined];
    for (let start = 0; start < taken.length; start += lettersAtOnce) {
      const some = taken.slice(start, start + lettersAtOnce);
      await timely(database.vital, postOverdueMs, post(database.vital.sql, some));
    }
  };
  /**
   * One statement at a time, with all waiting letters: a letter that arrives after a later one would be taken for a
   * copy.
   */
  const postInTurn = (letter: Posted): Promise<void> => {
    waiting.push(letter);
    next ??= posting = posting.then(postWaiting, postWaiting);
    return next;
  };

  const mail = async (to: string, letter: unknown, lacksRedis: boolean): Promise<boolean> => {
    // Its answer comes by mail too.
    oftenUntil = performance.now() + mailedMs;
    const bytes = packr.pack([nodeId, ++letters, Date.now(), letter, lacksRedis] satisfies Mailed);
    try {
      await postInTurn({ recipient: to, sealed: seal.close(placeOf(to), bytes) });
    } catch (error) {
      throw new CoordinationUnavailable(
        `neither Redis nor PostgreSQL took a letter: ${(error as Error).message}`,
        false,
      );
    }
    return true;
  };
  const receive = (sealed: Buffer): void => {
    const bytes = seal.open(placeOf(nodeId), sealed);
    const [from, number, sentAt, letter, lacksRedis] = (bytes ? packr.unpack(bytes) : []) as Partial<Mailed>;
    if (from === undefined || !newness.isNew(from, number!, sentAt!, Date.now())) {
      onRefused();
      return;
    }
    oftenUntil = performance.now() + mailedMs;
    if (lacksRedis) mailed.set(from, oftenUntil);
    for (const handle of handlers) handle(from, letter);
  };
  const look = async (): Promise<void> => {
    let droppedAt = 0;
    while (!closed.signal.aborted) {
      const now = performance.now();
      try {
        for (const sealed of await fetchLetters(database.vital.sql, nodeId)) receive(sealed);
        if (now - droppedAt > unfetchedSecs * 1000) {
          droppedAt = now;
          for (const [node, until] of mailed) if (until < now) mailed.delete(node);
          await dropUnfetched(database.vital.sql);
        }
      } catch {
        // PostgreSQL is away too: nobody can write anything.
      }
      const ms = bus.isConnected && now > oftenUntil ? seldomMs : oftenMs;
      await delay(ms, undefined, { signal: closed.signal, ref: false }).catch(() => {});
    }
  };
  void look();
  return {
    ...bus,
    get isConnected() {
      return bus.isConnected;
    },
    async send(to, letter, isAnswer = false) {
      if (!bus.isConnected) return mail(to, letter, true);
      if ((mailed.get(to) ?? 0) > performance.now()) return mail(to, letter, false);
      try {
        // The node that asked may not be listening again yet.
        return (await bus.send(to, letter)) || (isAnswer && (await mail(to, letter, false)));
      } catch (error) {
        // A letter that may have been sent is not sent again.
        const mayRepeat = isAnswer || (error instanceof CoordinationUnavailable && error.isCertain);
        if (mayRepeat) return mail(to, letter, true);
        throw error;
      }
    },
    onLetter(handle) {
      handlers.push(handle);
      bus.onLetter((from, letter) => {
        mailed.delete(from);
        handle(from, letter);
      });
    },
    async close() {
      closed.abort();
      await bus.close();
    },
  };
}
