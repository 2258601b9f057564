/**
 * The empty topic in requests: by no name, and by the one that clients are shown which do not know of it.
 * https://zulip.com/api/send-message, `topic`.
 */
import { describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ann, bob] = server.people("Ann", "Bob");

describe("the name that the empty topic is shown by means the empty topic", () => {
  it("POST /messages: an older client answers where it read", async () => {
    const channel = await channelOfBoth();
    for (const topic of ["", shown, "General Chat", ` ${shown} `, "(no topic)"])
      expect(await topicOf(await ann.say(channel, "x", topic))).toBe("");
    expect(await topicsOf(channel)).toEqual([""]);
  });

  it("PATCH /messages: an older client sends the topic with every edit, and the message stays where it is", async () => {
    const id = await ann.say(await channelOfBoth(), "x", "");
    const { eventsOf } = await assertConverges({
      observers: [bob.client],
      profiles: [LEGACY, MODERN],
      act: async () =>
        expectSuccess(
          await ann.client.patch(`/messages/${id}`, { topic: shown, content: "y", propagate_mode: "change_one" }),
        ),
    });
    for (const profile of [LEGACY, MODERN]) {
      const events = eventsOf(bob.client, profile);
      expect(events.map(({ type }) => type)).toEqual(["update_message"]);
      expect(events[0]).toMatchObject({ content: "y" });
      for (const field of ["propagate_mode", "subject", "orig_subject"]) expect(events[0]).not.toHaveProperty(field);
    }
    expect(await topicOf(id)).toBe("");
  });

  it("PATCH /messages: moved to that name, a message is in the empty topic", async () => {
    const id = await ann.say(await channelOfBoth(), "x", "named");
    expectSuccess(await ann.client.patch(`/messages/${id}`, { topic: shown }));
    expect(await topicOf(id)).toBe("");
  });

  it("PATCH /messages: the empty topic cannot be marked as resolved, by either name", async () => {
    const id = await ann.say(await channelOfBoth(), "x", "");
    for (const topic of ["✔ ", "✔", `✔ ${shown}`])
      expectError(
        await ann.client.patch(`/messages/${id}`, { topic, propagate_mode: "change_all" }),
        400,
        "BAD_REQUEST",
      );
    expect(await topicOf(id)).toBe("");
    expectSuccess(await ann.client.patch(`/messages/${id}`, { topic: "✔ done", propagate_mode: "change_all" }));
  });

  it("POST /scheduled_messages", async () => {
    const to = await channelOfBoth();
    const later = {
      type: "stream",
      to,
      content: "x",
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 999,
    };
    expectSuccess(await ann.client.post("/scheduled_messages", { ...later, topic: shown }));
    const all = expectSuccess(await ann.client.get("/scheduled_messages"))["scheduled_messages"] as JsonObject[];
    expect(all.filter((one) => one["to"] === to)).toMatchObject([{ topic: "" }]);
  });

  it("POST /user_topics and PATCH muted_topics", async () => {
    const stream_id = await channelOfBoth();
    const policies = async () => {
      const capabilities = { client_capabilities: { empty_topic_name: true } };
      const state = await ann.client.register({ fetch_event_types: ["user_topic"], ...capabilities });
      return (state.user_topics ?? [])
        .filter((one) => one["stream_id"] === stream_id)
        .map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
    };
    expectSuccess(await ann.client.post("/user_topics", { stream_id, topic: shown, visibility_policy: 3 }));
    expect(await policies()).toEqual([["", 3]]);
    const mute = (op: string) =>
      ann.client.patch("/users/me/subscriptions/muted_topics", { stream_id, topic: shown, op });
    expectSuccess(await mute("add"));
    expect(await policies()).toEqual([["", 1]]);
    expectSuccess(await mute("remove"));
    expect(await policies()).toEqual([]);
  });

  it("muted_topics: shown by that name, so that clients find its messages muted", async () => {
    const channel = await channelOfBoth();
    const named = `room ${rooms}`;
    const register = () => bob.client.register({ event_types: ["muted_topics"] });
    const mute = (topic: string) =>
      bob.client.patch("/users/me/subscriptions/muted_topics", { stream_id: channel, topic, op: "add" });
    const topicsIn = (all: unknown) =>
      (all as [string, string, number][]).filter(([name]) => name === named).map(([, topic]) => topic);
    const queue = cursorOf(await register());
    expectSuccess(await mute("named"));
    expectSuccess(await mute(""));
    const events = await bob.drain(queue);
    expect(events.map(({ muted_topics }) => topicsIn(muted_topics))).toEqual([["named"], ["named", shown]]);
    expect(topicsIn((await register()).muted_topics)).toEqual(["named", shown]);
  });

  it("POST /typing", async () => {
    const stream_id = await channelOfBoth();
    const client_capabilities = { stream_typing_notifications: true, empty_topic_name: true };
    const queue = await bob.queue({ event_types: ["typing"], client_capabilities });
    expectSuccess(await ann.client.post("/typing", { op: "start", type: "stream", stream_id, topic: shown }));
    expect(await bob.drain(queue, 1)).toMatchObject([{ type: "typing", stream_id, topic: "" }]);
  });

  it("POST /mark_topic_as_read", async () => {
    const stream_id = await channelOfBoth();
    const id = await ann.say(stream_id, "x", "");
    expectSuccess(await bob.client.post("/mark_topic_as_read", { stream_id, topic_name: shown }));
    const { message } = expectSuccess(await bob.client.get(`/messages/${id}`)) as { message: { flags: string[] } };
    expect(message.flags).toEqual(["read"]);
  });

  it("POST /streams/{id}/delete_topic", async () => {
    const channel = await channelOfBoth();
    await ann.say(channel, "x", "");
    await ann.say(channel, "x", "named");
    expectSuccess(await server.owner.client.post(`/streams/${channel}/delete_topic`, { topic_name: shown }));
    expect(await topicsOf(channel)).toEqual(["named"]);
  });

  it("where an empty topic is not allowed, its name is not either", async () => {
    const channel = await server.addChannel("named only", [ann], { topics_policy: "disable_empty_topic" });
    for (const topic of ["", shown, "(no topic)"])
      expectError(
        await ann.client.post("/messages", { type: "stream", to: channel, topic, content: "x" }),
        400,
        "BAD_REQUEST",
      );
  });
});

/** What `realm_empty_topic_display_name` says. */
const shown = "general chat";

let rooms = 0;
const channelOfBoth = () => server.addChannel(`room ${++rooms}`, [ann, bob]);
const topicOf = async (id: number) =>
  (
    expectSuccess(await ann.client.get(`/messages/${id}`, { allow_empty_topic_name: true }))["message"] as {
      subject: string;
    }
  ).subject;
const topicsOf = async (channel: number) =>
  (
    expectSuccess(await ann.client.get(`/users/me/${channel}/topics`, { allow_empty_topic_name: true }))[
      "topics"
    ] as JsonObject[]
  ).map(({ name }) => name);
