/**
 * Messages between nodes through PostgreSQL, when Redis cannot carry them: it is gone, silent, cut off, or does not
 * reach the node. They come at most once, as by Redis, and slower. PostgreSQL notifies a node of what is in its box. A
 * node also looks there twice a second, and more often while it lacks Redis itself or gets such messages, since it may
 * not hear. A node without Redis says so in its message, and is answered by mail until a message of its comes by Redis.
 * An answer by mail does not prolong this, or busy nodes would never return to Redis.
 */
import { randomUUID } from "node:crypto";
import { Packr } from "msgpackr";
import type { Database, Sql } from "../postgres.ts";
import { timely } from "../timely.ts";
import type { Bus } from "./bus.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { type Installation, ReplayWindow, Seal } from "./seal.ts";

const packr = new Packr({ useRecords: false });
const seldomMs = 500;
const oftenMs = 25;
/** A node that wrote by mail, for want of Redis, is written to by mail for so long. */
const mailedMs = 5000;
/** What nobody fetched in so long nobody will: its node is gone. */
const unfetchedSecs = 60;
const messagesAtOnce = 1000;
/** A box that takes or gives no message for so long is out of reach. */
const overdueMs = 2000;
/** When Redis has not confirmed a message for so long, others go by mail until it does. */
const doubtMs = 100;

type Mailed = [from: string, number: number, sentAt: number, message: unknown, lacksRedis: boolean];

interface Posted {
  recipient: string;
  sealed: Buffer;
}

/** What PostgreSQL calls the news that there is something in a node's box. */
const channelOf = (recipient: string): string => `mail:${recipient}`;

/** Puts messages into boxes, in this order, and notifies whose they are. The table's name is older than theirs. */
async function post(sql: Sql, messages: readonly Posted[]): Promise<void> {
  const channels = [...new Set(messages.map(({ recipient }) => channelOf(recipient)))];
  await sql`
    with posted as (insert into letters ${sql(messages, "recipient", "sealed")})
    select pg_notify(channel, '') from json_array_elements_text(${JSON.stringify(channels)}::text::json) as channel`;
}

/** Takes messages out of a node's box, the oldest first. */
async function fetchMessages(sql: Sql, recipient: string): Promise<Buffer[]> {
  const rows = await sql<{ id: number; sealed: Buffer }[]>`
    delete from letters where id in (
      select id from letters where recipient = ${recipient} order by id limit ${messagesAtOnce})
    returning id, sealed`;
  return [...rows].sort((a, b) => a.id - b.id).map(({ sealed }) => sealed);
}

async function dropUnfetched(sql: Sql): Promise<void> {
  await sql`delete from letters where sent_at < now() - make_interval(secs => ${unfetchedSecs}::int)`;
}

/** A bus of mail alone, for where there is no Redis: messages to one node, and nothing else. */
export function mailAlone(database: Database, installation: Installation, onRefused: () => void = () => {}): Bus {
  const none = () => Promise.reject(new CoordinationUnavailable("there is no Redis", true));
  const bus: Bus = {
    nodeId: randomUUID(),
    isConnected: false,
    append: none,
    end: none,
    follow: () => ({ stop: () => {} }),
    send: none,
    broadcast: none,
    onMessage: () => {},
    announce: none,
    nodes: async () => [],
    agree: none,
    close: async () => {},
  };
  return withMail(bus, database, installation, onRefused, true);
}

/**
 * A bus whose messages find another way when its own is closed.
 * @param isAlone there is no Redis to come back: who gets mail seldom need not look often
 */
export function withMail(
  bus: Bus,
  database: Database,
  installation: Installation,
  onRefused: () => void,
  isAlone = false,
): Bus {
  const { nodeId } = bus;
  const seal = new Seal(installation.key);
  const replays = new ReplayWindow();
  const handlers: ((from: string, message: unknown) => void)[] = [];
  const closed = new AbortController();
  /** Until when messages to a node go by mail, by `performance.now()`. */
  const mailed = new Map<string, number>();
  const placeOf = (recipient: string) => `mail:${recipient}`;
  let numbered = 0;
  let oftenUntil = 0;
  /** When messages were handed to Redis that it has not confirmed, the oldest first. */
  const unconfirmed = new Set<{ at: number }>();
  let isDoubted = false;
  let doubting: NodeJS.Timeout | undefined;
  let hasNews = false;
  let wake = () => {};
  let waiting: Posted[] = [];
  let posting: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const postWaiting = async (): Promise<void> => {
    const taken = waiting;
    [waiting, next] = [[], undefined];
    for (let start = 0; start < taken.length; start += messagesAtOnce) {
      const some = taken.slice(start, start + messagesAtOnce);
      await timely(database.vital, overdueMs, post(database.vital.sql, some));
    }
  };
  /**
   * One statement at a time, with all waiting messages: a message that arrives after a later one would be taken for a
   * copy.
   */
  const postInTurn = (message: Posted): Promise<void> => {
    waiting.push(message);
    next ??= posting = posting.then(postWaiting, postWaiting);
    return next;
  };

  const mail = async (to: string, message: unknown, lacksRedis: boolean): Promise<boolean> => {
    // Its answer comes by mail too.
    oftenUntil = performance.now() + mailedMs;
    const bytes = packr.pack([nodeId, ++numbered, Date.now(), message, lacksRedis] satisfies Mailed);
    try {
      await postInTurn({ recipient: to, sealed: seal.close(placeOf(to), bytes) });
    } catch (error) {
      throw new CoordinationUnavailable(
        `neither Redis nor PostgreSQL took a message: ${(error as Error).message}`,
        false,
      );
    }
    return true;
  };
  const receive = (sealed: Buffer): void => {
    const bytes = seal.open(placeOf(nodeId), sealed);
    const [from, number, sentAt, message, lacksRedis] = (bytes ? packr.unpack(bytes) : []) as Partial<Mailed>;
    if (from === undefined || !replays.accepts(from, number!, sentAt!, Date.now())) {
      onRefused();
      return;
    }
    oftenUntil = performance.now() + mailedMs;
    if (lacksRedis) mailed.set(from, oftenUntil);
    for (const handle of handlers) handle(from, message);
  };
  const isReliable = (): boolean => bus.isConnected && !isDoubted;
  /** Looks whether Redis has been silent for too long. A process that was starved first reads what came meanwhile. */
  const watch = (): void => {
    const [oldest] = unconfirmed;
    if (doubting || !oldest) return;
    doubting = setTimeout(() => setImmediate(look), Math.max(1, oldest.at + doubtMs - performance.now()));
    const look = (): void => {
      doubting = undefined;
      const [first] = unconfirmed;
      if (first && performance.now() - first.at >= doubtMs) isDoubted = true;
      else watch();
    };
  };
  /** Sends by Redis. @throws CoordinationUnavailable */
  const send = async (to: string, message: unknown): Promise<boolean> => {
    const sent = { at: performance.now() };
    unconfirmed.add(sent);
    watch();
    try {
      return await bus.send(to, message);
    } finally {
      unconfirmed.delete(sent);
      isDoubted = false;
      watch();
    }
  };
  /** Sends by both ways, one of which may be closed. */
  const repeat = (to: string, message: unknown): Promise<boolean> =>
    Promise.any([mail(to, message, !isReliable()), ...(bus.isConnected ? [send(to, message)] : [])]).catch((all) => {
      throw (all as AggregateError).errors[0];
    });
  const fetch = async (): Promise<number> => {
    const messages = await timely(database.vital, overdueMs, fetchMessages(database.vital.sql, nodeId));
    for (const sealed of messages) receive(sealed);
    return messages.length;
  };
  const look = async (): Promise<void> => {
    let droppedAt = 0;
    while (!closed.signal.aborted) {
      const now = performance.now();
      hasNews = false;
      try {
        if ((await fetch()) === messagesAtOnce) continue;
        if (now - droppedAt > unfetchedSecs * 1000) {
          droppedAt = now;
          for (const [node, until] of mailed) if (until < now) mailed.delete(node);
          await timely(database.vital, overdueMs, dropUnfetched(database.vital.sql));
        }
      } catch {
        // PostgreSQL is away too: nobody can write anything.
      }
      if (!hasNews) await pause((isAlone || isReliable()) && now > oftenUntil ? seldomMs : oftenMs);
    }
  };
  /** Waits for that long, or until there is news or an end. */
  const pause = async (ms: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    clearTimeout(timer);
  };
  const hear = (): void => {
    hasNews = true;
    wake();
  };
  database.listen(channelOf(nodeId), hear);
  void look();
  return {
    ...bus,
    get isConnected() {
      return isReliable();
    },
    async send(to, message, nature = "plain") {
      if (nature === "repeat") return repeat(to, message);
      if (!isReliable()) return mail(to, message, true);
      if ((mailed.get(to) ?? 0) > performance.now()) return mail(to, message, false);
      const isAnswer = nature === "answer";
      try {
        const sending = send(to, message);
        if (isAnswer && !(await isSoon(sending))) return await mail(to, message, true);
        // The node that asked may not be listening again yet.
        return (await sending) || (isAnswer && (await mail(to, message, false)));
      } catch (error) {
        // A message that may have been sent is not sent again.
        const mayRepeat = isAnswer || (error instanceof CoordinationUnavailable && error.isCertain);
        if (mayRepeat) return mail(to, message, true);
        throw error;
      }
    },
    onMessage(handle) {
      handlers.push(handle);
      bus.onMessage((from, message) => {
        mailed.delete(from);
        handle(from, message);
      });
    },
    async close() {
      closed.abort();
      wake();
      await bus.close();
    },
  };
}

/** Whether Redis answers before it is in doubt. A process that was starved first reads what came meanwhile. */
async function isSoon(sending: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve, false), doubtMs);
  });
  const settled = sending.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isSettled;
}
