/** POST /typing and /messages/{id}/typing. https://zulip.com/api/set-typing-status */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type QueueCursor } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { eventProblems } from "../../support/convergence/event-shapes.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "native build", "streams"] });
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
const channel = server.channel("room", [ada, bob]);

describe("direct messages", () => {
  it("typing: start and stop reach everybody in the conversation, the sender too, and nobody else", async () => {
    const queues = [await listen(ada), await listen(bob), await listen(eve)] as const;
    expectSuccess(await ada.client.post("/typing", { op: "start", to: [bob.id] }));
    for (const [index, person] of [ada, bob].entries()) {
      const event = await next(person, queues[index]!);
      expect(eventProblems(event, MODERN)).toEqual([]);
      expect(event).toMatchObject({
        op: "start",
        message_type: "direct",
        sender: { user_id: ada.id },
        recipients: [{ user_id: ada.id }, { user_id: bob.id }],
      });
    }
    await expectSilence(eve, queues[2]);
    expectSuccess(await ada.client.post("/typing", { op: "stop", type: "private", to: [ada.id, bob.id, bob.id] }));
    const stop = await next(bob, queues[1]);
    expect(stop).toMatchObject({ op: "stop" });
    expect(stop["recipients"]).toHaveLength(2);
  });

  it("a single id is taken in place of a list", async () => {
    const queue = await listen(bob);
    expectSuccess(await ada.client.post("/typing", { op: "start", type: "direct", to: bob.id }));
    expect(await next(bob, queue)).toMatchObject({ sender: { user_id: ada.id } });
  });

  it("unknown people, an empty list, and an unknown op are refused", async () => {
    expectError(await ada.client.post("/typing", { op: "start", to: [] }), 400, "BAD_REQUEST");
    expectError(await ada.client.post("/typing", { op: "start", to: [99_999] }), 400, "BAD_REQUEST");
    expectError(await ada.client.post("/typing", { op: "start" }), 400, "BAD_REQUEST");
    expectError(await ada.client.post("/typing", { op: "dance", to: [bob.id] }), 400, "BAD_REQUEST");
    expectError(await ada.client.post("/typing", { to: [bob.id] }), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("settings: who sends none is refused, who receives none gets none", async () => {
    expectSuccess(await ada.client.patch("/settings", { send_private_typing_notifications: false }));
    expectError(await ada.client.post("/typing", { op: "start", to: [bob.id] }), 400, "BAD_REQUEST");
    expectSuccess(await ada.client.patch("/settings", { send_private_typing_notifications: true }));
    expectSuccess(await bob.client.patch("/settings", { receives_typing_notifications: false }));
    const queue = await listen(bob);
    expectSuccess(await ada.client.post("/typing", { op: "start", to: [bob.id] }));
    await expectSilence(bob, queue);
    expectSuccess(await bob.client.patch("/settings", { receives_typing_notifications: true }));
  });
});

describe("channels", () => {
  it("subscribers with stream_typing_notifications are told; others not", async () => {
    const [capable, plain, outsider] = [await listen(bob), await listen(bob, {}), await listen(eve)];
    const params = { op: "start", type: "stream", stream_id: channel.id, topic: "talk" };
    expectSuccess(await ada.client.post("/typing", params));
    const event = await next(bob, capable);
    expect(eventProblems(event, MODERN)).toEqual([]);
    expect(event).toMatchObject({
      message_type: "stream",
      stream_id: channel.id,
      topic: "talk",
      sender: { user_id: ada.id },
    });
    await expectSilence(bob, plain);
    await expectSilence(eve, outsider);
  });

  it("needs the channel and the topic, and a channel that the sender can see", async () => {
    expectError(
      await ada.client.post("/typing", { op: "start", type: "channel", stream_id: channel.id }),
      400,
      "BAD_REQUEST",
    );
    expectError(await ada.client.post("/typing", { op: "start", type: "channel", topic: "x" }), 400, "BAD_REQUEST");
    const hidden = await server.addChannel("hidden", [bob], { invite_only: true });
    const params = { op: "start", type: "stream", topic: "x" };
    const unseen = expectError(await ada.client.post("/typing", { ...params, stream_id: hidden }), 400);
    const absent = expectError(await ada.client.post("/typing", { ...params, stream_id: 999_999 }), 400);
    expect(unseen["msg"]).toBe(absent["msg"]);
  });

  it("settings: send_stream_typing_notifications off is refused", async () => {
    expectSuccess(await ada.client.patch("/settings", { send_stream_typing_notifications: false }));
    const params = { op: "start", type: "stream", stream_id: channel.id, topic: "talk" };
    expectError(await ada.client.post("/typing", params), 400, "BAD_REQUEST");
    expectSuccess(await ada.client.patch("/settings", { send_stream_typing_notifications: true }));
  });

  it("above 100 subscribers nobody is told", async () => {
    const people: Person[] = [];
    while (people.length < 100) people.push(await server.addUser(`Fan ${people.length}`));
    const arena = await server.addChannel("arena", [ada, ...people]);
    const queue = await listen(people[0]!);
    expectSuccess(await ada.client.post("/typing", { op: "start", type: "stream", stream_id: arena, topic: "x" }));
    await expectSilence(people[0]!, queue);
  });
});

describe("edits", () => {
  it("typing_edit_message: the sender's editing is told to the message's readers", async () => {
    const sent = await ada.client.post("/messages", {
      type: "channel",
      to: JSON.stringify(channel.id),
      topic: "",
      content: "x",
    });
    const id = expectSuccess(sent)["id"] as number;
    const [queue, outsider] = [await listen(bob), await listen(eve)];
    expectSuccess(await ada.client.post(`/messages/${id}/typing`, { op: "start" }));
    const event = await next(bob, queue);
    expect(eventProblems(event, MODERN)).toEqual([]);
    expect(event).toMatchObject({
      type: "typing_edit_message",
      op: "start",
      sender_id: ada.id,
      message_id: id,
      recipient: { type: "channel", channel_id: channel.id, topic: "" },
    });
    await expectSilence(eve, outsider);
    expectError(await bob.client.post(`/messages/${id}/typing`, { op: "start" }), 400, "BAD_REQUEST");
  });

  it("in a direct message the recipient is its people", async () => {
    const sent = await ada.client.post("/messages", { type: "direct", to: [bob.id], content: "x" });
    const queue = await listen(bob);
    expectSuccess(await ada.client.post(`/messages/${expectSuccess(sent)["id"] as number}/typing`, { op: "stop" }));
    expect(await next(bob, queue)).toMatchObject({
      op: "stop",
      recipient: { type: "direct", user_ids: [ada.id, bob.id] },
    });
  });
});

const listen = async (
  person: Person,
  capabilities: Record<string, boolean> = { stream_typing_notifications: true, empty_topic_name: true },
) =>
  await person.queue({
    event_types: ["typing", "typing_edit_message", "user_settings"],
    client_capabilities: capabilities,
  });
const next = (person: Person, queue: QueueCursor) =>
  person.client.nextEvent(queue, ({ type }) => type.startsWith("typing"));

/** The queue gets none of what was published before: something that comes later is there, and nothing else. */
async function expectSilence(person: Person, queue: QueueCursor): Promise<void> {
  expectSuccess(await person.client.patch("/settings", { fluid_layout_width: true }));
  const events = await person.drain(queue);
  expectSuccess(await person.client.patch("/settings", { fluid_layout_width: false }));
  expect(events.filter(({ type }) => type.startsWith("typing"))).toEqual([]);
  expect(events.length).toBeGreaterThan(0);
}
