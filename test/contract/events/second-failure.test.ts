/**
 * A poll whose queue comes back just as the database fails again. Where the organization is loaded anew, no event comes
 * any more to the queue that was being brought back: its poll is answered, and the next one finds the queue. Where the
 * organization goes on, so does the poll.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { endSession, type Holder, holdLock, waiterFor } from "../../support/faults/locks.ts";
import { writeLogAnew } from "../../support/faults/other-log.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

// So little of the log in memory that a queue which comes back has it read from PostgreSQL.
const server = testServer({ environment: { PARLEY_RECENT_MAX_BYTES: "10000" } });

it("is answered where the organization is loaded anew, and its queue is found by the next one", async () => {
  const { answer } = await pollAsItComesBack("loaded anew");
  // One that is never answered fails here by the time-out of the client.
  expect([200, 503]).toContain((await answer).status);

  const id = await sendToQueue();
  let ids: number[] = [];
  await until("the queue to have the message", async () => {
    const { status, body } = await poll();
    if (status === 200) ids = idsOf(body);
    return ids.length > 0;
  });
  expect(ids).toEqual([id]);
});

it("goes on where the organization does", async () => {
  const { answer } = await pollAsItComesBack("kept");
  const id = await sendToQueue();
  expect(idsOf(expectSuccess(await answer))).toEqual([id]);
});

it("that is parked goes on where the organization does, and its queue need not come back", async () => {
  const before = await claimOfQueue();
  const answer = poll();
  await until("the poll to be parked", () => isParked(realmHere(), queue.queue_id));
  await failOnce("kept");
  const id = await sendToQueue();
  expect(idsOf(expectSuccess(await answer))).toEqual([id]);
  expect(await claimOfQueue()).toBe(before);
});

it("what PostgreSQL had before a promotion does not count when it comes while the replica is looked at", async () => {
  const realm = realmHere();
  const isKept = realm.loaded!.isKept();
  realm.mayLack("promoted");
  await expect(isKept).rejects.toThrow("promoted meanwhile");
  expect(await sendToQueue()).toBeGreaterThan(0);
});

describe("that is parked", () => {
  const leaving = testServer();

  it("is answered as its node leaves before PostgreSQL has told what it has", async () => {
    const { client } = leaving.owner;
    const { queue_id, last_event_id } = expectSuccess(await client.post("/register", { event_types: ["message"] }));
    const answer = client.get("/events", { queue_id, last_event_id });
    const { system } = leaving.server.app;
    const [realm] = system.realms();
    await until("the poll to be parked", () => isParked(realm!, queue_id as string));
    const log = await holdLock(leaving, (sql) => sql`lock table realm_log in access exclusive mode`);
    realm!.mayLack("promoted");
    await Promise.all(system.systems.map((one) => one.drain()));
    expectSuccess(await answer);
    await log.letGo();
  });
});

/** What becomes of the organization: PostgreSQL has all that the node knows of it, or something else. */
type Fate = "kept" | "loaded anew";

/** A send whose commit fails. The writer is done with then, and so may the replica be. */
async function failOnce(fate: Fate): Promise<void> {
  const failing = await sendThatWaits();
  if (fate === "loaded anew") await writeLogAnew(server.database.sql);
  await failing.fail();
  await failing.letGo();
  await failing.sent;
}

/** Polls, and has another commit fail while the queue comes back. Returns when sends are taken again. */
async function pollAsItComesBack(fate: Fate) {
  await failOnce("loaded anew");
  const second = await sendThatWaits();
  const row = await hold((sql) => sql`select from event_queues where id = ${queue.queue_id} for update`);
  const answer = poll();
  await waiterFor(server, "update event_queues");
  if (fate === "loaded anew") await writeLogAnew(server.database.sql);
  // It waits for the send, which reads the log, and whoever reads the log from now on waits for it.
  const log = hold((sql) => sql`lock table realm_log in access exclusive mode`);
  await waiterFor(server, "lock table realm_log");
  await row.letGo();
  await waiterFor(server, "order by position desc");
  await second.fail();
  await (await log).letGo();
  await second.letGo();
  await second.sent;
  return { answer };
}

let queue: { queue_id: string; last_event_id: number };
const poll = () => server.owner.client.get("/events", queue);
beforeEach(async () => {
  const registration = { event_types: ["message"], narrow: [["topic", "polls"]] };
  const { queue_id, last_event_id } = expectSuccess(await server.owner.client.post("/register", registration));
  queue = { queue_id: queue_id as string, last_event_id: last_event_id as number };
  for (const text of ["one", "two"]) await sendElsewhere(`${text} ${"x".repeat(9000)}`);
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
const sendToQueue = () => send({ type: "channel", to: "general", topic: "polls", content: "for the queue" });

const idsOf = ({ events }: JsonObject) =>
  (events as { message?: { id: number } }[]).flatMap(({ message }) => message?.id ?? []);

async function claimOfQueue(): Promise<number> {
  const [row] = await server.database.sql<{ claim: number }[]>`
    select claim from event_queues where id = ${queue.queue_id}`;
  return row!.claim;
}

const isParked = (realm: Realm, queueId: string) => memoryOf(realm, eventQueues).find(queueId)?.parked !== undefined;

function realmHere(): Realm {
  const [realm] = server.server.app.system.realms();
  return realm!;
}

/** A send whose commit waits, and what ends its session: the writer fails, and the organization is let go. */
async function sendThatWaits() {
  const { letGo } = await hold((sql) => sql`lock table messages in exclusive mode`);
  const sent = sendElsewhere("stored later");
  const pid = await waiterFor(server, "insert into messages");
  const loaded = realmHere().loaded!;
  const { era } = loaded;
  const fail = async () => {
    await endSession(server, pid);
    await until("the organization to be let go", () => loaded.era !== era);
  };
  return { sent, fail, letGo };
}
