/**
 * `kill -9` in the middle of moves of very many messages. The process dies three times. After each start the moves go
 * on by themselves, in their order. At the end every message is where it was to go, and its history has each move once.
 * A queue from before has been told of each message once for each move.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { connect } from "../../../storage/postgres.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { addCopies, movesLeft } from "../../support/rooms/great-topics.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";
import { startServerProcess } from "../../support/server/server-process.ts";
import { until } from "../../support/time/until.ts";

const size = 9_000;
/** Messages that are to have moved before each crash: in the first move, in the middle of it, in the second one. */
const crashesAfter = [1, 4_000, 12_000];

const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

it("a great move is finished after a crash, and told of once", async () => {
  const dataDir = await dataFolder("great-moves");
  cleanUps.push(() => rm(dataDir, { recursive: true, force: true }));
  const database = await createTestDatabase();
  cleanUps.push(() => database.drop());
  const pool = connect(database.url, { maxConnections: 2 });
  cleanUps.push(() => pool.close());
  const { sql } = pool;
  const environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: dataDir, DATABASE_URL: database.url };
  let server = await startServerProcess(environment);
  cleanUps.push(() => server.kill());
  const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
  const owner = new ApiClient({ url: server.url, email: "owner@example.com", apiKey });
  const channel = expectSuccess(await owner.get("/get_stream_id", { stream: "general" }))["stream_id"] as number;
  const said = { type: "stream", to: channel, topic: "long", content: "said" };
  const first = expectSuccess(await owner.post("/messages", said))["id"] as number;
  const ids = [first, ...(await addCopies(sql, first, size - 1))];
  await server.kill();
  server = await startServerProcess(environment);
  const queue = expectSuccess(
    await owner.post("/register", { event_types: ["update_message"], idle_queue_timeout: 900 }),
  );
  const move = async (topic: string) => {
    const params = { topic, propagate_mode: "change_all", send_notification_to_new_thread: false };
    expectSuccess(await owner.patch(`/messages/${first}`, params));
  };
  /** Moves of a single message that were done, of `2 * size` in all. */
  const moved = async () => {
    const rows = await sql<{ count: number }[]>`
      select coalesce(sum(jsonb_array_length(edit_history)), 0)::int as count from messages where id >= ${first}`;
    return rows[0]!.count;
  };

  await move("longer");
  await until("the named message to have moved", async () => (await moved()) > 0);
  await move("longest");
  for (const count of crashesAfter) {
    await until(`${count} messages to have moved`, async () => (await moved()) >= count, 120_000);
    await server.kill();
    expect(await moved()).toBeLessThan(2 * size);
    server = await startServerProcess(environment);
  }
  await until("the moves to be over", async () => (await movesLeft(sql)) === 0, 120_000);

  const rows = await sql<{ topic: string; entries: number; count: number }[]>`
    select topic, jsonb_array_length(edit_history) as entries, count(*)::int as count from messages
    where id in ${sql(ids)} group by 1, 2`;
  expect([...rows]).toEqual([{ topic: "longest", entries: 2, count: size }]);
  const told = new Map<string, number[]>();
  for (let last = queue["last_event_id"] as number; ids.length > (told.get("longest") ?? []).length; ) {
    const params = { queue_id: queue["queue_id"], last_event_id: last };
    const { events } = expectSuccess(await owner.get("/events", params)) as {
      events: { id: number; type: string; subject: string; message_ids: number[] }[];
    };
    for (const { id, type, subject, message_ids } of events) {
      last = id;
      if (type === "update_message") told.set(subject, [...(told.get(subject) ?? []), ...message_ids]);
    }
  }
  expect([...told]).toEqual([
    ["longer", ids],
    ["longest", ids],
  ]);
}, 400_000);
