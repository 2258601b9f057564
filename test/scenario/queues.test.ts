/**
 * The life of a queue as its client sees it: time-outs, overflow, replaced polls, asking again, and the short way of a
 * poll.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventQueues } from "../../actors/event-queue/memory.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import { type ApiClient, expectError, expectSuccess } from "../support/client/api.ts";
import type { Person } from "../support/people/person.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

let server: TestServer;
let ann: Person;
let channelId: number;

beforeAll(async () => {
  server = await startTestServer({ PARLEY_QUEUE_MAX_EVENTS: "50", PARLEY_QUEUE_IDLE_AFTER: "4" });
  ann = await server.addUser("Ann");
  channelId = await server.addChannel("talk", [server.owner, ann]);
});
afterAll(() => server.stop());

interface Queue {
  queue_id: string;
  last_event_id: number;
}
const register = async (client: ApiClient, params: Record<string, unknown> = {}): Promise<Queue> =>
  expectSuccess(await client.post("/register", { event_types: ["message"], ...params })) as unknown as Queue;
const say = async (content: string) =>
  expectSuccess(
    await server.owner.client.post("/messages", { type: "channel", to: String(channelId), topic: "t", content }),
  )["id"] as number;
const poll = (client: ApiClient, queue: Queue, params: Record<string, unknown> = {}) =>
  client.get("/events", { queue_id: queue.queue_id, last_event_id: queue.last_event_id, ...params });
const queues = async () => memoryOf(await server.server.app.system.realmByHost("x"), eventQueues);
const idsOf = (body: Record<string, unknown>) =>
  (body["events"] as { message: { id: number } }[]).map((event) => event.message.id);

describe("event queues", () => {
  it("idle_queue_timeout=2: the queue is collected, its memory freed, and the next poll told so", async () => {
    const queue = await register(ann.client, { idle_queue_timeout: 2 });
    expect(queue).toMatchObject({ idle_queue_timeout_secs: 2 });
    expect((await queues()).find(queue.queue_id)).toBeDefined();
    const actor = await queues();
    await until("the queue to be collected", () => actor.find(queue.queue_id) === undefined);
    const error = expectError(await poll(ann.client, queue), 400, "BAD_EVENT_QUEUE_ID");
    expect(error).toMatchObject({ queue_id: queue.queue_id });
    expect(String(error["msg"])).toMatch(new RegExp(`^Bad event queue ID: ${queue.queue_id}`));
  });

  it("a client that knows more than the log, as of a database before its restore, is told to register anew", async () => {
    const queue = await register(ann.client);
    await say("before");
    const ahead = { ...queue, last_event_id: queue.last_event_id + 1_000_000 };
    for (const params of [{}, { dont_block: true }])
      expectError(await poll(ann.client, ahead, params), 400, "BAD_EVENT_QUEUE_ID");
    expect(idsOf(expectSuccess(await poll(ann.client, queue)))).toHaveLength(1);
  });

  it("a queue that overflows is collected, and the others do not notice", async () => {
    const slow = await register(ann.client);
    const quick = await register(ann.client);
    const actor = await queues();
    let known = quick.last_event_id;
    // In three waves of many at once: a queue that nobody polls for a while is idle, and then has nothing that
    // overflows.
    for (let wave = 0; wave < 3; wave++) {
      const sent = await Promise.all(Array.from({ length: 20 }, (_, count) => say(`message ${wave} ${count}`)));
      // Only one of the two keeps up.
      const received: number[] = [];
      while (received.length < sent.length) {
        const body = expectSuccess(await poll(ann.client, { ...quick, last_event_id: known }));
        received.push(...idsOf(body));
        known = (body["events"] as { id: number }[]).at(-1)!.id;
      }
      expect(received).toEqual(sent.sort((a, b) => a - b));
    }
    expect(actor.find(slow.queue_id)).toBeUndefined();
    expectError(await poll(ann.client, slow), 400, "BAD_EVENT_QUEUE_ID");
  });

  it("an idle queue comes back with what it missed", async () => {
    const queue = await register(ann.client, { idle_queue_timeout: 600 });
    const actor = await queues();
    await until("the queue to be idle", () => actor.find(queue.queue_id)?.state === "idle");
    const sent = [await say("one"), await say("two")];
    expect(actor.find(queue.queue_id)!.backlog).toEqual([]);
    expect(idsOf(expectSuccess(await poll(ann.client, queue)))).toEqual(sent);
  });

  it("delivers again what was not acknowledged, and what the client asks for again", async () => {
    const queue = await register(ann.client);
    const sent = [await say("first"), await say("second")];
    const answer = expectSuccess(await poll(ann.client, queue));
    expect(idsOf(answer)).toEqual(sent);
    expect(idsOf(expectSuccess(await poll(ann.client, queue)))).toEqual(sent);
    const [first, second] = (answer["events"] as { id: number }[]).map(({ id }) => id);
    expect(idsOf(expectSuccess(await poll(ann.client, { ...queue, last_event_id: first! })))).toEqual([sent[1]]);
    expectSuccess(await poll(ann.client, { ...queue, last_event_id: second! }, { dont_block: true }));
    expect(idsOf(expectSuccess(await poll(ann.client, queue)))).toEqual(sent);
  });

  it("a second poll takes the place of the first, which is answered", async () => {
    const queue = await register(ann.client);
    const first = poll(ann.client, queue);
    const actor = await queues();
    await until("the poll to be parked", () => actor.find(queue.queue_id)?.parked !== undefined);
    const second = poll(ann.client, queue);
    expect(expectSuccess(await first)["events"]).toEqual([]);
    const id = await say("for the second");
    expect(idsOf(expectSuccess(await second))).toEqual([id]);
  });

  it("refuses polls without a position", async () => {
    const queue = await register(ann.client);
    expectError(await ann.client.get("/events", { queue_id: queue.queue_id }), 400, "BAD_REQUEST");
  });

  it("hides other people's queues", async () => {
    const queue = await register(ann.client);
    expectError(await poll(server.owner.client, queue), 400, "BAD_EVENT_QUEUE_ID");
    expectError(await server.owner.client.delete("/events", { queue_id: queue.queue_id }), 400, "BAD_EVENT_QUEUE_ID");
    expectSuccess(await ann.client.delete("/events", { queue_id: queue.queue_id }));
  });

  it("gives the local id back to the queue that sent it, and to no other", async () => {
    const [mine, other] = [await register(ann.client), await register(ann.client)];
    const send = {
      type: "channel",
      to: String(channelId),
      topic: "t",
      content: "echo",
      local_id: "7.01",
      queue_id: mine.queue_id,
    };
    const { id } = expectSuccess(await ann.client.post("/messages", send));
    const again = expectSuccess(await ann.client.post("/messages", send));
    expect(again["id"], "a repeated send is the same message").toBe(id);
    const [event] = expectSuccess(await poll(ann.client, mine))["events"] as Record<string, unknown>[];
    expect(event).toMatchObject({ local_message_id: "7.01" });
    const events = expectSuccess(await poll(ann.client, other))["events"] as Record<string, unknown>[];
    expect(events).toHaveLength(1);
    expect(events[0]).not.toHaveProperty("local_message_id");
  });

  it("answers alike on the short way and through the pipeline", async () => {
    const queue = await register(ann.client);
    const id = await say("alike");
    const url = (extra: string) =>
      `${server.url}/api/v1/events?queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}${extra}`;
    const headers = { authorization: `Basic ${Buffer.from(`${ann.email}:${ann.apiKey}`).toString("base64")}` };
    const [short, long] = await Promise.all([
      fetch(url(""), { headers }),
      fetch(url("&dont_block=false"), { headers }),
    ]);
    const comparable = (response: Response) => [...response.headers].filter(([name]) => name !== "date");
    expect(comparable(short)).toEqual(comparable(long));
    expect(short.status).toBe(long.status);
    const [shortBody, longBody] = [await short.text(), await long.text()];
    expect(shortBody).toBe(longBody);
    expect(shortBody).toContain(`"id":${id}`);
  });
});
