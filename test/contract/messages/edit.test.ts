/** PATCH /messages/{id}: content, and topics within a channel. https://zulip.com/api/update-message */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
const channel = server.channel("work", [ada, bob]);

describe("content", () => {
  it("update_message: a content edit tells everybody old and new, in each format", async () => {
    const id = await ada.say(channel, "first words", "plans");
    const { eventsOf, result } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "**second** words" })),
    });
    expect(result["detached_uploads"]).toEqual([]);
    const [event] = eventsOf(bob.client, MODERN);
    expect(event).toMatchObject({
      type: "update_message",
      user_id: ada.id,
      rendering_only: false,
      message_id: id,
      message_ids: [id],
      stream_id: channel.id,
      orig_content: "first words",
      orig_rendered_content: "<p>first words</p>",
      content: "**second** words",
      rendered_content: "<p><strong>second</strong> words</p>",
      is_me_message: false,
      flags: [],
    });
    expect(event).not.toHaveProperty("propagate_mode");
    expect(await read(bob, id)).toMatchObject({
      content: "**second** words",
      last_edit_timestamp: event!["edit_timestamp"],
    });
  });

  it("edit_history: newest first, with what was there before", async () => {
    const id = await ada.say(channel, "one", "plans");
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "two" }));
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "three", topic: "other plans" }));
    const { edit_history } = await read(bob, id);
    expect(edit_history).toEqual([
      {
        user_id: ada.id,
        timestamp: expect.any(Number),
        prev_content: "two",
        prev_rendered_content: "<p>two</p>",
        prev_topic: "plans",
        topic: "other plans",
      },
      { user_id: ada.id, timestamp: expect.any(Number), prev_content: "one", prev_rendered_content: "<p>one</p>" },
    ]);
  });

  it("only the sender edits the content, an owner neither", async () => {
    const id = await ada.say(channel, "mine", "plans");
    for (const person of [bob, server.owner])
      expectError(await person.client.patch(`/messages/${id}`, { content: "not yours" }), 400, "BAD_REQUEST");
    expect((await read(ada, id))["content"]).toBe("mine");
  });

  it("a message that the caller cannot read answers like one that does not exist", async () => {
    const secret = await ada.say([bob], "between us");
    const unseen = expectError(await eve.client.patch(`/messages/${secret}`, { content: "x" }), 400, "BAD_REQUEST");
    const absent = expectError(await eve.client.patch("/messages/99999999", { content: "x" }), 400, "BAD_REQUEST");
    expect(unseen["msg"]).toBe(absent["msg"]);
  });

  it("realm settings: allow_message_editing off refuses edits of content", async () => {
    const id = await ada.say(channel, "fixed", "plans");
    await server.owner.setRealm({ allow_message_editing: false });
    expectError(await ada.client.patch(`/messages/${id}`, { content: "changed" }), 400, "BAD_REQUEST");
    await server.owner.setRealm({ allow_message_editing: true });
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "changed" }));
  });

  it("realm settings: message_content_edit_limit_seconds ends the time for edits", async () => {
    const id = await ada.say(channel, "old news", "plans");
    await server.database.sql`update messages set sent_at = sent_at - 700 where id = ${id}`;
    expectError(await ada.client.patch(`/messages/${id}`, { content: "new" }), 400, "BAD_REQUEST");
    await server.owner.setRealm({ message_content_edit_limit_seconds: "unlimited" });
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "new" }));
    await server.owner.setRealm({ message_content_edit_limit_seconds: 600 });
  });

  it("prev_content_sha256 of another content is EXPECTATION_MISMATCH and changes nothing", async () => {
    const id = await ada.say(channel, "base", "plans");
    const sha = (text: string) => createHash("sha256").update(text).digest("hex");
    const refused = await ada.client.patch(`/messages/${id}`, { content: "x", prev_content_sha256: sha("other") });
    expectError(refused, 400, "EXPECTATION_MISMATCH");
    expect((await read(ada, id))["content"]).toBe("base");
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "next", prev_content_sha256: sha("base") }));
  });

  it("nothing given, and content together with a channel, are refused", async () => {
    const id = await ada.say(channel, "still", "plans");
    expectError(await ada.client.patch(`/messages/${id}`), 400, "BAD_REQUEST");
    const both = { content: "x", stream_id: channel.id };
    expectError(await ada.client.patch(`/messages/${id}`, both), 400, "BAD_REQUEST");
    expectError(await ada.client.patch(`/messages/${id}`, { content: "y", propagate_mode: "change_all" }), 400);
  });

  it("an emptied message says that it was deleted; one over the limit is cut off", async () => {
    const id = await ada.say(channel, "something", "plans");
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "  " }));
    expect((await read(ada, id))["content"]).toBe("(deleted)");
    expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "é".repeat(10_001) }));
    const { content } = await read(ada, id);
    expect([...(content as string)].length).toBe(10_000);
    expect(content).toMatch(/\[message truncated\]$/);
  });

  it("mentions follow the edit: flags and unread mentions come and go", async () => {
    const id = await ada.say(channel, "hello", "plans");
    const mention = await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "hello @**Bob**" })),
    });
    expect(mention.eventsOf(bob.client)[0]!["flags"]).toEqual(["mentioned"]);
    const wildcard = await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "hello @**all**" })),
    });
    expect(wildcard.eventsOf(bob.client)[0]!["flags"]).toEqual(["stream_wildcard_mentioned", "wildcard_mentioned"]);
    await assertConverges({
      observers: [bob.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "hello" })),
    });
  });

  it("flags of the event: who has read it keeps `read`, and stars stay", async () => {
    const id = await ada.say(channel, "starry", "plans");
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "starred" }));
    const { eventsOf } = await assertConverges({
      observers: [bob.client, ada.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "starrier" })),
    });
    expect([...(eventsOf(bob.client)[0]!["flags"] as string[])].sort()).toEqual(["read", "starred"]);
  });

  it("an edit of a direct message reaches its people and nobody else", async () => {
    const id = await ada.say([bob], "psst");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, eve.client, server.owner.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "psst!" })),
    });
    expect(eventsOf(bob.client)).toHaveLength(1);
    expect(eventsOf(bob.client)[0]).not.toHaveProperty("stream_id");
    expect(eventsOf(eve.client)).toEqual([]);
    expect(eventsOf(server.owner.client)).toEqual([]);
    expectError(await ada.client.patch(`/messages/${id}`, { topic: "x" }), 400, "BAD_REQUEST");
    expectError(await ada.client.patch(`/messages/${id}`, { stream_id: channel.id }), 400, "BAD_REQUEST");
  });

  it("protected history: who came later hears nothing of an older message", async () => {
    const vault = await server.addChannel("vault", [ada], { invite_only: true, history_public_to_subscribers: false });
    const id = await ada.say(vault, "before you came", "t");
    expectSuccess(
      await ada.client.post("/users/me/subscriptions", { subscriptions: [{ name: "vault" }], principals: [bob.id] }),
    );
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "not for you" })),
    });
    expect(eventsOf(ada.client).map(({ type }) => type)).toEqual(["update_message"]);
    expect(eventsOf(bob.client)).toEqual([]);
  });

  it("a channel wildcard in a large channel needs its permission when edited in, too", async () => {
    const crowd = await Promise.all(Array.from({ length: 16 }, (_, index) => server.addUser(`Crowd ${index}`)));
    const square = await server.addChannel("square", [ada, ...crowd]);
    const id = await ada.say(square, "hello", "t");
    const refused = await ada.client.patch(`/messages/${id}`, { content: "hello @**all**" });
    expectError(refused, 400, "STREAM_WILDCARD_MENTION_NOT_ALLOWED");
  });

  it("widgets cannot be edited", async () => {
    const id = await ada.say(channel, "/poll Tea?\nyes\nno", "plans");
    expectError(await ada.client.patch(`/messages/${id}`, { content: "no poll" }), 400, "BAD_REQUEST");
  });

  it("script in a new content comes out as text", async () => {
    const id = await ada.say(channel, "safe", "plans");
    const { eventsOf } = await assertConverges({
      observers: [bob.client],
      act: async () =>
        expectSuccess(await ada.client.patch(`/messages/${id}`, { content: "<script>alert(1)</script>" })),
    });
    expect(eventsOf(bob.client)[0]!["rendered_content"]).not.toContain("<script>");
  });
});

describe("a client without capabilities", () => {
  it("the empty topic has its display name in both topic fields", async () => {
    const id = await ada.say(channel, "no topic", "");
    const queue = await bob.queue({ event_types: ["update_message"] });
    expectSuccess(
      await ada.client.patch(`/messages/${id}`, { topic: "a topic", send_notification_to_new_thread: false }),
    );
    const event = await bob.client.nextEvent(queue, ({ type }) => type === "update_message");
    expect(event).toMatchObject({ orig_subject: "general chat", subject: "a topic" });
    const { eventsOf } = await assertConverges({
      observers: [bob.client],
      profiles: [LEGACY, MODERN],
      act: async () =>
        expectSuccess(await ada.client.patch(`/messages/${id}`, { topic: "", send_notification_to_new_thread: false })),
    });
    expect(eventsOf(bob.client, LEGACY)[0]).toMatchObject({ subject: "general chat" });
    expect(eventsOf(bob.client, MODERN)[0]).toMatchObject({ subject: "" });
  });
});

async function read(person: Person, id: number): Promise<Record<string, unknown>> {
  const reply = await person.client.get(`/messages/${id}`, { apply_markdown: false, allow_empty_topic_name: true });
  return expectSuccess(reply)["message"] as Record<string, unknown>;
}
