/** Messages by way of PostgreSQL: while a node lacks Redis, and no longer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Bus, MessageNature } from "../../../storage/cluster/bus.ts";
import { redisBus } from "../../../storage/cluster/bus-redis.ts";
import { withMail } from "../../../storage/cluster/mail.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { newInstallation, startRedis, type TestRedis } from "../../support/server/redis.ts";
import { startTcpProxy, type TcpProxy } from "../../support/server/tcp-proxy.ts";
import { until } from "../../support/time/until.ts";

beforeEach(open, 60_000);
afterEach(close, 60_000);

describe("a node that was cut from Redis", () => {
  it("is answered by mail, and by Redis as soon as it asks so again, however busy both are", async () => {
    const answered = new Set<number>();
    answerer.onMessage((from, message) => void answerer.send(from, message, "answer").catch(() => {}));
    asker.onMessage((_from, message) => answered.add(message as number));
    let asked = 0;
    // Whether PostgreSQL carried none of both messages. A message may get lost with its wire.
    const asksByRedis = async () => {
      const before = await mailedCount();
      const number = ++asked;
      await asker.send(answerer.nodeId, number).catch(() => {});
      const patienceEnds = performance.now() + 2000;
      await until("an answer", () => answered.has(number) || performance.now() > patienceEnds);
      return answered.has(number) && (await mailedCount()) === before;
    };
    await until("both to use Redis", asksByRedis);

    wire.cut();
    await until("an answer by mail", async () => {
      const byRedis = await asksByRedis();
      return !byRedis && answered.has(asked);
    });
    expect(await mailedCount()).toBeGreaterThanOrEqual(2);

    wire.restore();
    await until("both to use Redis again", asksByRedis);
  });

  it("gets no more messages by a Redis that is silent, and no message waits for it to speak", async () => {
    const got: unknown[] = [];
    asker.onMessage((_from, message) => got.push(message));
    process.kill(redis.pid!, "SIGSTOP");
    try {
      const sendings: Promise<unknown>[] = [];
      const send = (message: string, nature: MessageNature) =>
        sendings.push(answerer.send(asker.nodeId, message, nature).catch(() => {}));
      send("lost", "plain");
      send("answer", "answer");
      send("repeat", "repeat");
      await until("both that may come twice", () => got.length === 2);
      expect(new Set(got)).toEqual(new Set(["answer", "repeat"]));
      expect(answerer.isConnected).toBe(false);
      send("later", "plain");
      await until("the next one", () => got.includes("later"));
      await Promise.all(sendings);
    } finally {
      process.kill(redis.pid!, "SIGCONT");
    }
  });

  it("hears of a message without looking for it", async () => {
    // Nobody looks into a box whose node is none; PostgreSQL tells nevertheless.
    let isHeard = false;
    database.listen("mail:nobody", () => {
      isHeard = true;
    });
    await until("the message", async () => {
      await asker.send("nobody", "anything", "repeat");
      return isHeard;
    });
  });

  it("sends messages that all arrive, in the order they were sent, however many go at once", async () => {
    const got: number[] = [];
    answerer.onMessage((_from, message) => got.push(message as number));
    wire.cut();
    await until("Redis to be lost", () => !asker.isConnected);
    const sent = Array.from({ length: 500 }, (_, number) => number);
    await Promise.all(sent.map((number) => asker.send(answerer.nodeId, number)));
    await asker.send(answerer.nodeId, -1);
    await until("the last message", () => got.at(-1) === -1);
    expect(got).toEqual([...sent, -1]);
  });
});

async function open(): Promise<void> {
  [redis, testDatabase] = await Promise.all([startRedis(), createTestDatabase()]);
  database = connect(testDatabase.url, { maxConnections: 16 });
  await migrate(database);
  wire = await startTcpProxy(Number(new URL(redis.url).port));
  const installation = newInstallation();
  const join = async (url: string) =>
    withMail(
      await redisBus(url, installation, { onError: () => {}, onRefused: () => {} }),
      database,
      installation,
      () => {},
    );
  [asker, answerer] = await Promise.all([join(wire.through(redis.url)), join(redis.url)]);
}

async function close(): Promise<void> {
  await Promise.all([asker?.close(), answerer?.close()]);
  await Promise.all([wire?.stop(), database?.close()]);
  await Promise.all([testDatabase?.drop(), redis?.stop()]);
}

let redis: TestRedis;

let testDatabase: TestDatabase;

let database: Database;

let wire: TcpProxy;

let asker: Bus;

let answerer: Bus;

/** How many messages PostgreSQL has carried, of whichever node. */
async function mailedCount(): Promise<number> {
  const [row] = await database.sql<{ last_value: number; is_called: boolean }[]>`
    select last_value - seqstart + 1 as last_value, is_called
    from letter_numbers, pg_sequence where seqrelid = 'letter_numbers'::regclass`;
  return row!.is_called ? row!.last_value : 0;
}
