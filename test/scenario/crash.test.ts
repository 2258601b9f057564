/**
 * Failure table, first row: `kill -9` under load. 32 senders and 50 polling queues; the process dies five times in a
 * row and is started again on the same data. Every acknowledged message is in the history exactly once. Every queue
 * goes on with its next poll, under the same id, with no event missing and none twice.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../support/client/api.ts";
import { checkHistory } from "../support/faults/history.ts";
import { Poller, Sender } from "../support/faults/load.ts";
import { runFile } from "../support/projects.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase } from "../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../support/server/server-process.ts";
import { until } from "../support/time/until.ts";

runFile({ alsoOn: ["streams"] });

const crashes = 5;
const senderCount = 32;
const queueCount = 50;
const topic = "crash";
/** Messages acknowledged between two crashes. */
const acknowledgedPerRun = 150;

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

async function crashRepeatedly(withDatabase: boolean): Promise<void> {
  const dataDir = await dataFolder("crash");
  cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
  const environment: Record<string, string> = { PORT: String(await freePort()), PARLEY_DATA_DIR: dataDir };
  if (!withDatabase) {
    const database = await createTestDatabase();
    cleanUps.push(() => database.drop());
    environment["DATABASE_URL"] = database.url;
  }
  let server: ServerProcess = await startServerProcess(environment);
  cleanUps.push(() => server.kill({ withDatabase: true }));
  const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
  const client = new ApiClient({ url: server.url, email: "owner@example.com", apiKey });
  const channelId = expectSuccess(await client.get("/get_stream_id", { stream: "general" }))["stream_id"] as number;

  const pollers: Poller[] = [];
  for (let index = 0; index < queueCount; index++) {
    const answer = expectSuccess(await client.post("/register", { event_types: ["message"], idle_queue_timeout: 600 }));
    pollers.push(new Poller([client], answer["queue_id"] as string, answer["last_event_id"] as number));
  }
  const senders = Array.from(
    { length: senderCount },
    (_, index) => new Sender(`sender ${index}`, [client], { channelId, topic }),
  );
  const acknowledged = () => senders.reduce((sum, sender) => sum + sender.acknowledged.length, 0);
  for (const task of [...pollers, ...senders]) task.start();
  try {
    for (let crash = 0; crash < crashes; crash++) {
      const goal = acknowledged() + acknowledgedPerRun;
      await until(`${acknowledgedPerRun} messages before crash ${crash + 1}`, () => acknowledged() >= goal, 120_000);
      await server.kill({ withDatabase });
      server = await startServerProcess(environment);
    }
    const goal = acknowledged() + acknowledgedPerRun;
    await until("messages after the last crash", () => acknowledged() >= goal, 120_000);
    await Promise.all(senders.map((sender) => sender.stop()));

    await checkHistory(client, { channelId, topic }, senders, pollers);
  } finally {
    await Promise.all([...senders, ...pollers].map((task) => task.stop()));
  }
}

describe("kill -9 under load", () => {
  it("loses nothing when PostgreSQL is spared", () => crashRepeatedly(false), 900_000);
  it("loses nothing when its own PostgreSQL dies with it", () => crashRepeatedly(true), 900_000);
});
