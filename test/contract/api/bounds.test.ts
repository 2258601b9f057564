/** Whatever a caller sends has a limit before anything is kept of it, and an account's queues have one together. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../actors/errors.ts";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { routes } from "../../../http/api/routes.ts";
import { deleteSurplusQueues } from "../../../storage/event-queues.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const maxQueues = 5;
const server = testServer({ environment: { PARLEY_QUEUE_MAX_PER_ACCOUNT: String(maxQueues) } });

describe("parameters", () => {
  it("each has a limit, which a refusal tells", () => {
    const long = "x".repeat(megabytes);
    const inJson = JSON.stringify([long]);
    const taken: string[] = [];
    for (const route of routes)
      for (const [name, param] of Object.entries(route.params))
        for (const value of [long, inJson])
          try {
            param.read(name, new Map([[name, value]]));
            taken.push(`${route.method} ${route.path} ${name}`);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
            // A value that is no JSON, or not what is meant, was looked at: only those whose limit is higher may be.
            const { message, code } = error as ApiError;
            if (!/is too long \(limit: \d+ characters\)/.test(message) && code !== "BAD_EVENT_QUEUE_ID")
              taken.push(`${route.method} ${route.path} ${name}`);
          }
    expect(new Set(taken)).toEqual(takeMegabytes);
  });

  it("of a registration, which is kept, have low ones", async () => {
    const { client } = server.owner;
    const long = "x".repeat(megabytes);
    const wrong = [
      { event_types: [long] },
      { event_types: Array.from({ length: 300 }, (_, n) => `t${n}`) },
      { fetch_event_types: [long] },
      { client_capabilities: { [long]: true } },
      { narrow: [["channel", long]] },
      { narrow: [{ operator: long, operand: "x" }] },
      { narrow: [["dm", Array.from({ length: 15_000 }, (_, n) => n)]] },
    ];
    for (const params of wrong) expectError(await client.post("/register", params), 400, "BAD_REQUEST");
  });

  it("a queue_id that is none is BAD_EVENT_QUEUE_ID, and is not repeated whole", async () => {
    const { client } = server.owner;
    const channel = await server.addChannel("locals", [server.owner]);
    const long = "q".repeat(megabytes);
    const sent = { type: "stream", to: channel, topic: "t", content: "c", local_id: "1", queue_id: long };
    const refused = expectError(await client.post("/messages", sent), 400, "BAD_EVENT_QUEUE_ID");
    expect(String(refused["queue_id"]).length).toBeLessThanOrEqual(100);
    expectError(await client.delete("/events", { queue_id: long }), 400, "BAD_EVENT_QUEUE_ID");
    expectSuccess(await client.post("/messages", { ...sent, queue_id: "1593114627:0" }));
  });

  it("messages and topics that are too long are cut, as they always were", async () => {
    const channel = await server.addChannel("cuts", [server.owner]);
    const sent = { type: "stream", to: channel, topic: "t".repeat(20_000), content: "c ".repeat(1_000_000) };
    const { id } = expectSuccess(await server.owner.client.post("/messages", sent));
    const { message } = expectSuccess(await server.owner.client.get(`/messages/${id}`, { apply_markdown: false })) as {
      message: { content: string; subject: string };
    };
    expect([...message.content]).toHaveLength(10_000);
    expect([...message.subject]).toHaveLength(60);
  });

  it("a field that is kept does not keep the body that it came in", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const channel = await server.addChannel("bodies", [server.owner]);
    const junk = "j".repeat(megabytes);
    const send = async (count: number) => {
      for (let sent = 0; sent < count; sent++) {
        const topic = `a-topic-of-thirty-characters-${sent}`;
        const fields = { junk, type: "stream", to: channel, topic, content: `content-of-message-${sent}` };
        expectSuccess(await server.owner.client.post("/messages", fields));
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await send(3);
    const grown = (await send(50)) - before;
    expect(grown / megabytes, "bodies kept").toBeLessThan(10);
  });
});

describe("queues of one account", () => {
  const register = async () => await server.owner.queue({ event_types: ["message"] });
  const poll = ({ queueId, lastEventId }: { queueId: string; lastEventId: number }) =>
    server.owner.client.get("/events", { queue_id: queueId, last_event_id: lastEventId, dont_block: true });

  it("the one that was polled longest ago ends where there are too many; one whose poll waits stays", async () => {
    const first = await register();
    const leave = new AbortController();
    const waiting = server.owner.client.events(first.queueId, first.lastEventId, { signal: leave.signal });
    const realms = await server.realms();
    await expect
      .poll(() => realms.some((realm) => memoryOf(realm, eventQueues).find(first.queueId)?.parked))
      .toBe(true);
    const others = [];
    for (let n = 0; n < maxQueues + 2; n++) others.push(await register());
    const answers = await Promise.all(others.map(poll));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(maxQueues);
    expectSuccess(answers.at(-1)!);
    const ended = answers.filter(({ status }) => status !== 200);
    expect(ended.length).toBeGreaterThanOrEqual(2);
    for (const answer of ended) expectError(answer, 400, "BAD_EVENT_QUEUE_ID");
    const channel = await server.addChannel("wakes", [server.owner]);
    await server.owner.client.post("/messages", { type: "stream", to: channel, topic: "t", content: "c" });
    expect((await waiting).length).toBeGreaterThan(0);
    leave.abort();
  });

  it("rows of queues that no node holds are counted too", async () => {
    const { sql } = server.database;
    const person = await server.addUser("Rows");
    for (let n = 0; n < 4; n++) await person.client.register({ event_types: ["message"] });
    const rows = () => sql`select id from event_queues where user_id = ${person.id}`;
    expect(await rows()).toHaveLength(4);
    await deleteSurplusQueues(sql, 4);
    expect(await rows()).toHaveLength(4);
    await deleteSurplusQueues(sql, 2);
    expect(await rows()).toHaveLength(2);
  });
});

const megabytes = 4 * 1024 * 1024 - 10_000;

/** Cut where they are too long, or made of many that have limits of their own. */
const takeMegabytes = new Set([
  "POST /messages content",
  "POST /messages topic",
  "PATCH /messages/:message_id content",
  "PATCH /messages/:message_id topic",
  "POST /messages/render content",
  "POST /scheduled_messages content",
  "POST /scheduled_messages topic",
  "PATCH /scheduled_messages/:scheduled_message_id content",
  "PATCH /scheduled_messages/:scheduled_message_id topic",
  "POST /drafts drafts",
  "PUT /bot_storage storage",
  "POST /external/:integration fields",
  "POST /external/:integration payload",
  ...["Users", "Groups"].flatMap((of) =>
    [`POST ^/scim/v2/${of}`, `PUT ^/scim/v2/${of}/:resource_id`, `PATCH ^/scim/v2/${of}/:resource_id`].map(
      (place) => `${place} body`,
    ),
  ),
]);
