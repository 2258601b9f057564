/**
 * A client that people already have, unmodified: two of them chat, and a third one hears nothing that is not for them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import zulip, { type ZulipClient } from "zulip-js";
import { expectSuccess } from "../support/client/api.ts";
import type { Person } from "../support/people/person.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";

let server: TestServer;
let ann: Person;
let ben: Person;
let cora: Person;
const clients = new Map<Person, ZulipClient>();

beforeAll(async () => {
  server = await startTestServer();
  [ann, ben, cora] = [await server.addUser("Ann"), await server.addUser("Ben"), await server.addUser("Cora")];
  for (const person of [ann, ben, cora]) {
    clients.set(person, await zulip({ username: person.email, apiKey: person.apiKey, realm: server.url }));
  }
  await server.addChannel("planning", [ann, ben], { invite_only: true });
});
afterAll(() => server.stop());

interface Heard {
  queue: { queue_id: string; last_event_id: number };
  poll: Promise<
    { type: string; id: number; message: { id: number; content: string; subject: string; sender_email: string } }[]
  >;
}

/** Registers for messages and leaves a long poll open. */
async function listen(person: Person): Promise<Heard> {
  const client = clients.get(person)!;
  const queue = (await client.queues.register({ event_types: ["message"] })) as unknown as Heard["queue"];
  const poll = client.events
    .retrieve({ queue_id: queue.queue_id, last_event_id: queue.last_event_id, dont_block: false })
    .then((answer) => answer["events"] as Awaited<Heard["poll"]>);
  return { queue, poll };
}

/** What a person has missed, without waiting. */
async function pending(person: Person, { queue }: Heard): Promise<unknown[]> {
  const answer = await clients.get(person)!.events.retrieve({ ...queue, dont_block: true });
  return answer["events"] as unknown[];
}

describe("zulip-js", () => {
  it("logs in with a password", async () => {
    const client = await zulip({ username: server.owner.email, password: "correct horse", realm: server.url });
    expect(client.config.apiKey).toBe(server.owner.apiKey);
    expect(await client.users.me.getProfile()).toMatchObject({ result: "success", user_id: server.owner.id });
  });

  it("gets a channel message at its open long poll, and nobody else does", async () => {
    const [annHears, benHears, coraHears] = [await listen(ann), await listen(ben), await listen(cora)];
    const sent = await clients
      .get(ann)!
      .messages.send({ type: "stream", to: "planning", topic: "lunch", content: "Soup at **noon**?" });
    expect(sent.result).toBe("success");
    for (const events of [await annHears.poll, await benHears.poll]) {
      expect(events).toHaveLength(1);
      expect(events[0]!.message).toMatchObject({
        id: sent["id"],
        content: "Soup at **noon**?",
        subject: "lunch",
        sender_email: ann.email,
      });
    }
    expect(await pending(cora, coraHears)).toEqual([]);
    await coraHears.poll;
  });

  it("gets a direct message at its open long poll, and nobody else does", async () => {
    const [benHears, coraHears] = [await listen(ben), await listen(cora)];
    const sent = await clients.get(ann)!.messages.send({ type: "private", to: [ben.email], content: "Between us" });
    expect(sent.result).toBe("success");
    expect((await benHears.poll)[0]!.message).toMatchObject({ id: sent["id"], content: "Between us" });
    expect(await pending(cora, coraHears)).toEqual([]);
    await coraHears.poll;
  });

  it("reads, edits, reacts, flags and deletes", async () => {
    const client = clients.get(ann)!;
    const { id } = await client.messages.send({ type: "stream", to: "planning", topic: "minutes", content: "Draft" });
    const narrow = [
      { operator: "stream", operand: "planning" },
      { operator: "topic", operand: "minutes" },
    ];
    const history = await client.messages.retrieve({ anchor: "newest", num_before: 10, num_after: 0, narrow });
    expect((history["messages"] as { id: number }[]).map((message) => message.id)).toEqual([id]);
    expect(await client.messages.update({ message_id: id, content: "Final" })).toMatchObject({ result: "success" });
    expect(await client.messages.getById({ message_id: id })).toMatchObject({
      result: "success",
      raw_content: "Final",
    });
    expect(await clients.get(ben)!.reactions.add({ message_id: id, emoji_name: "tada" })).toMatchObject({
      result: "success",
    });
    expect(await client.messages.flags.add({ messages: [id], flag: "starred" })).toMatchObject({
      result: "success",
      messages: [id],
    });
    expect(await client.messages.deleteById({ message_id: id }), "members may delete their own").toMatchObject({
      result: "success",
    });
    expect(await client.messages.getById({ message_id: id })).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  });

  it("lists channels, topics, subscriptions, people and settings", async () => {
    const client = clients.get(ann)!;
    const { stream_id } = await client.streams.getStreamId("planning");
    expect(await client.streams.topics.retrieve({ stream_id })).toMatchObject({
      result: "success",
      topics: [{ name: "lunch" }],
    });
    expect(
      ((await client.streams.subscriptions.retrieve())["subscriptions"] as { name: string }[]).map(({ name }) => name),
    ).toContain("planning");
    expect(((await client.users.retrieve())["members"] as unknown[]).length).toBeGreaterThanOrEqual(4);
    expect(await client.server.settings()).toMatchObject({ result: "success", zulip_feature_level: 496 });
    expect(
      await client.users.me.subscriptions.add({ subscriptions: JSON.stringify([{ name: "snacks" }]) }),
    ).toMatchObject({ result: "success" });
    expect(await client.users.me.subscriptions.remove({ subscriptions: JSON.stringify(["snacks"]) })).toMatchObject({
      removed: ["snacks"],
    });
  });

  it("asks without parameters: its form is then nothing at all", async () => {
    const answer = await clients.get(ann)!.callEndpoint("/mark_all_as_read", "POST", {});
    expect(answer).toMatchObject({ result: "success", complete: true });
  });

  it("gives a queue back", async () => {
    const { queue } = await listen(ann);
    expect(await clients.get(ann)!.queues.deregister({ queue_id: queue.queue_id })).toMatchObject({
      result: "success",
    });
    const { body } = await ann.client.get("/events", { queue_id: queue.queue_id, last_event_id: -1 });
    expect(body).toMatchObject({ code: "BAD_EVENT_QUEUE_ID", queue_id: queue.queue_id });
    expectSuccess(await ann.client.get("/users/me"));
  });
});
