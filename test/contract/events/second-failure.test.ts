/**
 * A poll whose queue comes back just as the database fails again. The organization is loaded anew, and no event comes
 * any more to the queue that was being brought back. Its poll is answered, and the next one finds the queue.
 */
import { afterEach, expect, it } from "vitest";
import type { Sql } from "../../../storage/postgres.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { endSession, type Holder, holdLock, waiterFor } from "../../support/faults/locks.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

// So little of the log in memory that a queue which comes back has it read from PostgreSQL.
const server = testServer({ environment: { PARLEY_RECENT_MAX_BYTES: "10000" } });

it("is answered, and its queue is found by the next one", async () => {
  const { client } = server.owner;
  const registration = { event_types: ["message"], narrow: [["topic", "polls"]] };
  const { queue_id, last_event_id } = expectSuccess(await client.post("/register", registration));
  const poll = () => client.get("/events", { queue_id, last_event_id });
  for (const text of ["one", "two"]) await sendElsewhere(`${text} ${"x".repeat(9000)}`);
  const first = await sendThatWaits();
  await first.fail();
  await first.letGo();
  await first.sent;

  const second = await sendThatWaits();
  const queue = await hold((sql) => sql`select from event_queues where id = ${queue_id as string} for update`);
  const answer = poll();
  await waiterFor(server, "update event_queues");
  // It waits for the send, which reads the log, and whoever reads the log from now on waits for it.
  const log = hold((sql) => sql`lock table realm_log in access exclusive mode`);
  await waiterFor(server, "lock table realm_log");
  await queue.letGo();
  await waiterFor(server, "order by position desc");
  await second.fail();
  await (await log).letGo();
  // One that is never answered fails here by the time-out of the client.
  expect([200, 503]).toContain((await answer).status);
  await second.letGo();
  await second.sent;

  const id = await send({ type: "channel", to: "general", topic: "polls", content: "for the queue" });
  let ids: number[] = [];
  await until("the queue to have the message", async () => {
    const { status, body } = await poll();
    const events = (body["events"] ?? []) as { message?: { id: number } }[];
    if (status === 200) ids = events.flatMap(({ message }) => message?.id ?? []);
    return ids.length > 0;
  });
  expect(ids).toEqual([id]);
});

const held: Holder[] = [];
afterEach(() => Promise.all(held.splice(0).map((holder) => holder.letGo())));

async function hold(lock: (sql: Sql) => Promise<unknown>): Promise<Holder> {
  const holder = await holdLock(server, lock);
  held.push(holder);
  return holder;
}

const send = async (message: JsonObject) =>
  expectSuccess(await server.owner.client.post("/messages", message))["id"] as number;
/** What the queue does not take. */
const sendElsewhere = (content: string) => send({ type: "direct", to: [server.owner.id], content });

/** A send whose commit waits, and what ends its session: the writer fails, and the organization is dropped. */
async function sendThatWaits() {
  const { letGo } = await hold((sql) => sql`lock table messages in exclusive mode`);
  const sent = sendElsewhere("stored later");
  const pid = await waiterFor(server, "insert into messages");
  const [realm] = server.server.app.system.realms();
  const { loaded } = realm!;
  const fail = async () => {
    await endSession(server, pid);
    await until("the organization to be dropped", () => realm!.loaded !== loaded);
  };
  return { sent, fail, letGo };
}
