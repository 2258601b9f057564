/** What the pool promises when PostgreSQL goes away, through a wire that can be cut. */
import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connect, type Database, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../support/server/tcp-proxy.ts";
import { until } from "../support/time/until.ts";

const maxConnections = 4;
const patienceMs = 300;

let testDatabase: TestDatabase;
let wire: TcpProxy;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  wire = await startTcpProxy(Number(new URL(testDatabase.url).port));
  database = connect(wire.through(testDatabase.url), { maxConnections, patienceMs });
  await database.sql`create table notes (note text)`;
});
afterEach(async () => {
  wire.restore();
  // A backend may hold the table for a while, and the pool that waits for it may be the one that is just replaced.
  const isEmptied = () =>
    database.sql`truncate notes`.then(
      () => true,
      () => false,
    );
  await until("the table to be emptied", isEmptied);
});
afterAll(async () => {
  await database?.close();
  await wire?.stop();
  await testDatabase?.drop();
});

const insert = (sql: Parameters<Parameters<Database["transaction"]>[0]>[0], note: string) =>
  sql`insert into notes values (${note})`;
const countNotes = async () => (await database.sql`select 1 from notes`).length;
/** All connections at once, each with its own. */
const onAll = (query: () => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: 2 * maxConnections }, () => query()));
const canRead = async () => (await onAll(countNotes)).every(({ status }) => status === "fulfilled");

describe("a transaction", () => {
  it("whose connection is lost while it waits for an answer fails as unavailable", async () => {
    let isAsleep = false;
    const outcome = database.transaction(async (sql) => {
      await insert(sql, "a");
      // Its backend, which does not look at its connection meanwhile, keeps the table for so long.
      const asleep = sql`select pg_sleep(1)`.execute();
      isAsleep = true;
      await asleep;
    });
    const failed = expect(outcome).rejects.toBeInstanceOf(StorageUnavailable);
    await until("it to wait", () => isAsleep);
    wire.cut();
    await failed;
    wire.restore();
    await until("all connections to work again", canRead);
    expect(await countNotes()).toBe(0);
  });

  it("whose connection is lost between two queries does nothing more, on no other connection either", async () => {
    const outcome = database.transaction(async (sql) => {
      await insert(sql, "before");
      wire.cut();
      wire.restore();
      await until("all connections to work again", canRead);
      await insert(sql, "after");
    });
    await expect(outcome).rejects.toBeInstanceOf(StorageUnavailable);
    await until("all connections to work again", canRead);
    expect(await countNotes()).toBe(0);
  });

  it("whose connection is lost before it is committed is not committed", async () => {
    const outcome = database.transaction(async (sql) => {
      await insert(sql, "a");
      wire.cut();
    });
    await expect(outcome).rejects.toBeInstanceOf(StorageUnavailable);
    wire.restore();
    await until("all connections to work again", canRead);
    expect(await countNotes()).toBe(0);
  });

  it("that fails by itself is rolled back, and its connection serves on", async () => {
    const refused = new Error("refused");
    const outcome = database.transaction(async (sql) => {
      await insert(sql, "a");
      throw refused;
    });
    await expect(outcome).rejects.toBe(refused);
    expect(await countNotes()).toBe(0);
  });
});

describe("the pool", () => {
  it("serves on every connection again right after all were lost under load", async () => {
    for (let round = 0; round < 5; round++) {
      const load = onAll(() => database.transaction((sql) => sql`select pg_sleep(0.05)`));
      wire.cut();
      for (const outcome of await load) expect(outcome.status).toBe("rejected");
      wire.restore();
      await until("all connections to work again", canRead);
    }
  });

  it("gives up what nobody answers, and serves again when the wire is whole", async () => {
    await countNotes();
    wire.hang();
    const [read, write] = await Promise.allSettled([countNotes(), database.transaction((sql) => insert(sql, "a"))]);
    for (const outcome of [read, write]) {
      expect(translate((outcome as PromiseRejectedResult).reason)).toBeInstanceOf(StorageUnavailable);
    }
    wire.restore();
    await until("all connections to work again", canRead);
  });
});

describe("several hosts", () => {
  it("are served by one while another ends every connection at once, from the first question on", async () => {
    const rude = createServer((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    await new Promise<void>((done) => rude.listen(0, "127.0.0.1", done));
    const url = new URL(testDatabase.url);
    const hosts = `127.0.0.1:${(rude.address() as AddressInfo).port},${url.host}`;
    try {
      for (let count = 0; count < 20; count++) {
        const database = connect(url.href.replace(url.host, hosts), { maxConnections: 1 });
        try {
          expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
        } finally {
          await database.close();
        }
      }
    } finally {
      await new Promise((done) => rude.close(done));
    }
  });
});

describe("a list as a parameter", () => {
  it("arrives as it is, whatever the texts hold", async () => {
    const texts = ["plain", 'a "quoted" \\ one', "with, comma", "{}", "", "NULL", "line\nbreak", "ünïcødé 🎉"];
    const rows = await database.sql<{ text: string }[]>`select unnest(${texts}::text[]) as text`;
    expect(rows.map(({ text }) => text)).toEqual(texts);
    expect((await database.sql`select ${[1, 2 ** 53 - 1]}::bigint[] as ids`)[0]!["ids"]).toEqual([1, 2 ** 53 - 1]);
  });
});
