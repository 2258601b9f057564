/**
 * Workers are replaced one after the other on a machine that has far too little time for them, under load. Whatever was
 * begun is answered, however long that takes, and what is refused is not done. It takes the whole machine for minutes,
 * so it runs when it is asked for: `PARLEY_STARVED=1 npx vitest run test/scenario/workers/rolling.test.ts`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { availableParallelism, setPriority } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { Caller } from "../../support/faults/caller.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../../support/server/redis.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { until } from "../../support/time/until.ts";

const workerCount = 2;
/** A tenth of the time that others get who want to run. */
const niceness = 10;
const isWanted = process.env["PARLEY_STARVED"] === "1";
/** Longer than a node that is in a hurry answers what was begun. */
const slowSecs = 2;
const limitMs = 600_000;

let redis: TestRedis;
let testDatabase: TestDatabase;
let database: Database;
let folder: string;
let server: ServerProcess;
let authorization: string;

beforeAll(async () => {
  [redis, testDatabase] = await Promise.all([startRedis(), createTestDatabase()]);
  database = connect(testDatabase.url, { maxConnections: 2 });
  folder = await dataFolder("rolling");
  server = await startServerProcess({
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: testDatabase.url,
    REDIS_URL: redis.url,
    PARLEY_WORKERS: String(workerCount),
    PARLEY_COMMAND_DEADLINE_MS: "60000",
    PARLEY_READ_TIMEOUT_MS: "60000",
  });
  await until("all to be announced", () => server.output().includes("Parley serves on"), limitMs);
  const key = /^key=(.+)$/m.exec(await readFile(join(folder, "owner.zuliprc"), "utf8"))![1]!;
  authorization = `Basic ${btoa(`owner@example.com:${key}`)}`;
}, limitMs);
afterAll(async () => {
  await server?.stop();
  await database?.close();
  await testDatabase?.drop();
  await redis?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Keeps the machine busy; whoever is nicer hardly gets to run. They end by themselves, too. */
function startBurners(): ChildProcess[] {
  const script = `const end = Date.now() + ${limitMs}; while (Date.now() < end);`;
  return Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", script]));
}

/** Has whoever reads drafts wait for most of the time. Ends when `isOver` says so. */
async function holdDrafts(isOver: () => boolean): Promise<void> {
  while (!isOver())
    await database.transaction(async (sql) => {
      await sql`lock table drafts in access exclusive mode`;
      await sql`select pg_sleep(${slowSecs})`;
    });
}

async function makeNicer(): Promise<void> {
  const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, "utf8");
  // Those that they start will be as nice.
  for (const pid of [server.pid, ...children.trim().split(" ").map(Number)]) setPriority(pid, niceness);
}

it.runIf(isWanted)(
  "every request that was begun is answered, and what was refused is not done",
  async () => {
    const message = (name: string) => (number: number) =>
      new URLSearchParams({
        type: "channel",
        to: "general",
        topic: "rolling",
        content: `${name} ${number}`,
      }).toString();
    const caller = (path: string, keepAlive: boolean, bodyOf?: (number: number) => string) =>
      new Caller({
        url: `${server.url}/api/v1${path}`,
        keepAlive,
        headers: { authorization },
        mayBeRefused: true,
        ...(bodyOf && { bodyOf }),
      });
    const ways = [true, false];
    const senders = ways.flatMap((keepAlive) =>
      ["one", "other"].map((name) => caller("/messages", keepAlive, message(`the ${name} ${keepAlive}`))),
    );
    const readers = ways.flatMap((keepAlive) =>
      ["/server_settings", "/users/me", "/drafts"].map((path) => caller(path, keepAlive)),
    );
    const callers = [...senders, ...readers];
    let isOver = false;
    await makeNicer();
    const burners = startBurners();
    const held = holdDrafts(() => isOver);
    for (const one of callers) one.start();
    const atLeast = (count: number) => () => callers.every(({ done }) => done.length >= count);
    try {
      await until("everybody to be answered", atLeast(1), limitMs);
      server.signal("SIGHUP");
      await until("new workers only", () => server.output().includes("Every worker is a new one."), limitMs);
      await until("everybody to be answered again", atLeast(2), limitMs);
    } finally {
      isOver = true;
      for (const burner of burners) burner.kill();
      await Promise.all([held, ...callers.map((one) => one.stop())]);
    }
    expect(callers.flatMap(({ failures }) => failures)).toEqual([]);
    const rows = await database.sql<{ content: string }[]>`
      select content from messages where content ~ '^the (one|other) '`;
    const stored = rows.map(({ content }) => content).sort();
    expect(stored).toEqual(
      senders.flatMap(({ done }) => done.map((body) => new URLSearchParams(body).get("content"))).sort(),
    );
  },
  limitMs,
);
