/** PATCH /messages/{id}: moving to other topics and channels. https://zulip.com/api/update-message */
import { beforeEach, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { moveRoom } from "../../support/rooms/moves.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = moveRoom(server);
const { admin, moderator, ada, bob, guest, from } = room;
const { move, read, contentsOf, setChannel, groupId, nobody, age } = room;
beforeEach(() => {
  topic = `topic ${++count}`;
});

describe("topics", () => {
  it("propagate_mode: change_one, change_later and change_all move what they say", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c", "d"]) ids.push(await ada.say(from, word, topic));
    const one = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await move(ada, ids[1]!, { topic: `${topic} one` })),
    });
    expect(one.eventsOf(bob.client, MODERN)[0]).toMatchObject({
      message_id: ids[1],
      message_ids: [ids[1]],
      orig_subject: topic,
      subject: `${topic} one`,
      propagate_mode: "change_one",
      topic_links: [],
      stream_id: from.id,
    });
    expect(one.eventsOf(bob.client, MODERN)[0]).not.toHaveProperty("content");
    const later = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () =>
        expectSuccess(await move(ada, ids[2]!, { topic: `${topic} later`, propagate_mode: "change_later" })),
    });
    expect(later.eventsOf(bob.client)[0]!["message_ids"]).toEqual([ids[2], ids[3]]);
    await bob.say(from, "e", `${topic} later`);
    const all = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await move(ada, ids[3]!, { topic: `${topic} all`, propagate_mode: "change_all" })),
    });
    expect(all.eventsOf(bob.client)[0]!["message_ids"]).toHaveLength(3);
    expect(await contentsOf(from.id, topic)).toEqual(["a"]);
    expect(await contentsOf(from.id, `${topic} one`)).toEqual(["b"]);
    expect(await contentsOf(from.id, `${topic} all`)).toEqual(["c", "d", "e"]);
  });

  it("history: a move is noted with both topics and a time; the content stays unedited", async () => {
    const id = await ada.say(from, "moves", topic);
    expectSuccess(await move(bob, id, { topic: `${topic} new` }));
    const message = await read(ada, id);
    expect(message["edit_history"]).toEqual([
      { user_id: bob.id, timestamp: expect.any(Number), prev_topic: topic, topic: `${topic} new` },
    ]);
    expect(message["last_moved_timestamp"]).toEqual(expect.any(Number));
    expect(message).not.toHaveProperty("last_edit_timestamp");
  });

  it("can_move_messages_between_topics_group decides, and the channel's can_move_messages_within_channel_group", async () => {
    const id = await bob.say(from, "whose", topic);
    await server.owner.setRealm({ can_move_messages_between_topics_group: { new: await nobody() } });
    for (const person of [guest, ada, moderator, admin, server.owner])
      expectError(await move(person, id, { topic: `${topic} x` }), 400, "BAD_REQUEST");
    await setChannel(from.id, {
      can_move_messages_within_channel_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
    });
    expectError(await move(bob, id, { topic: `${topic} x` }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { topic: `${topic} x` }));
    await setChannel(from.id, { can_move_messages_within_channel_group: { new: await nobody() } });
    await server.owner.setRealm({ can_move_messages_between_topics_group: { new: await groupId("role:everyone") } });
    expectSuccess(await move(guest, id, { topic: `${topic} y` }));
  });

  it("can_resolve_topics_group decides over the mark of resolved topics alone, with no time limit", async () => {
    const id = await bob.say(from, "settled?", topic);
    await age([id], 2_000_000);
    await server.owner.setRealm({ can_resolve_topics_group: { new: await nobody() } });
    expectError(await move(ada, id, { topic: `✔ ${topic}`, propagate_mode: "change_all" }), 400, "BAD_REQUEST");
    await server.owner.setRealm({ can_resolve_topics_group: { new: await groupId("role:everyone") } });
    expectError(await move(ada, id, { topic: `${topic} other`, propagate_mode: "change_all" }), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await move(ada, id, { topic: `✔ ${topic}`, propagate_mode: "change_all" })),
    });
    const types = eventsOf(bob.client).map(({ type }) => type);
    expect(types).toContain("update_message");
    const notice = eventsOf(bob.client).find(({ type }) => type === "message")!["message"] as {
      content: string;
      subject: string;
    };
    expect(notice.subject).toBe(`✔ ${topic}`);
    expect(notice.content).toContain("resolved");
    expect(await read(ada, id)).not.toHaveProperty("last_moved_timestamp");
    expectSuccess(await move(bob, id, { topic, propagate_mode: "change_all" }));
    expect((await read(ada, id))["subject"]).toBe(topic);
  });

  it("a topic that is resolved and unresolved at once keeps no notice, unless somebody wrote meanwhile", async () => {
    const topic = "by mistake";
    const first = await ada.say(from, "by mistake", topic);
    const everything = {
      narrow: [
        ["topic", topic],
        ["channel", from.name],
      ],
      anchor: "newest",
      num_before: 9,
      num_after: 0,
    };
    const left = async () =>
      (expectSuccess(await ada.client.get("/messages", everything))["messages"] as { content: string }[]).map(
        ({ content }) => /marked this topic as (\w+)/.exec(content)?.[1] ?? "text",
      );
    const mark = async (isResolved: boolean) =>
      expectSuccess(
        await move(ada, first, { topic: `${isResolved ? "✔ " : ""}${topic}`, propagate_mode: "change_all" }),
      );
    await mark(true);
    const { eventsOf } = await assertConverges({ observers: [ada.client, bob.client], act: () => mark(false) });
    expect(eventsOf(bob.client, MODERN).map(({ type }) => type)).toEqual(["update_message", "delete_message"]);
    expect(await left()).toEqual(["text"]);
    await mark(true);
    await mark(false);
    await mark(true);
    await mark(false);
    expect(await left()).toEqual(["text"]);
    await mark(true);
    await bob.say(from, "no mistake", `✔ ${topic}`);
    await mark(false);
    expect(await left()).toEqual(["text", "resolved", "text", "unresolved"]);
  });

  it("move_messages_within_stream_limit_seconds: old messages stay, but for administrators and moderators", async () => {
    const old = [await ada.say(from, "old 1", topic), await ada.say(from, "old 2", topic)];
    const fresh = await ada.say(from, "fresh", topic);
    await age(old, 604_800 + 100);
    expectError(await move(bob, old[0]!, { topic: `${topic} x` }), 400, "BAD_REQUEST");
    const refused = await move(bob, fresh, { topic: `${topic} x`, propagate_mode: "change_all" });
    expect(expectError(refused, 400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED")).toMatchObject({
      first_message_id_allowed_to_move: fresh,
      total_messages_in_topic: 3,
      total_messages_allowed_to_move: 1,
    });
    expectSuccess(await move(moderator, old[0]!, { topic: `${topic} m` }));
    expectSuccess(await move(admin, fresh, { topic: `${topic} a`, propagate_mode: "change_all" }));
    expect(await contentsOf(from.id, `${topic} a`)).toEqual(["old 2", "fresh"]);
  });

  it("topics_policy holds for moves: no empty topic where it is disabled, no named one where it alone is allowed", async () => {
    const id = await ada.say(from, "where", topic);
    await setChannel(from.id, { topics_policy: "disable_empty_topic" });
    expectError(await move(ada, id, { topic: "" }), 400, "BAD_REQUEST");
    await setChannel(from.id, { topics_policy: "allow_empty_topic" });
    expectSuccess(await move(ada, id, { topic: "" }));
    const only = await server.addChannel("only", [ada], { topics_policy: "empty_topic_only" });
    const plain = await ada.say(only, "plain", "");
    expectError(await move(ada, plain, { topic: "named" }), 400, "BAD_REQUEST");
  });

  it("can_create_topic_group: a new topic needs it, one that exists does not", async () => {
    const id = await ada.say(from, "mover", topic);
    await admin.say(from, "there", `${topic} there`);
    await setChannel(from.id, { can_create_topic_group: { new: await groupId("role:administrators") } });
    expectError(await move(ada, id, { topic: `${topic} fresh` }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { topic: `${topic} there` }));
    await setChannel(from.id, { can_create_topic_group: { new: await groupId("role:everyone") } });
  });

  it("a whole topic takes follows and mutes along, part of one does not", async () => {
    const ids = [await ada.say(from, "1", topic), await ada.say(from, "2", topic)];
    expectSuccess(await bob.client.post("/user_topics", { stream_id: from.id, topic, visibility_policy: 1 }));
    expectSuccess(await guest.client.post("/user_topics", { stream_id: from.id, topic, visibility_policy: 3 }));
    const part = await assertConverges({
      observers: [bob.client, guest.client],
      act: async () => expectSuccess(await move(ada, ids[0]!, { topic: `${topic} part` })),
    });
    expect(part.eventsOf(bob.client).map(({ type }) => type)).toEqual(["update_message"]);
    const whole = await assertConverges({
      observers: [bob.client, guest.client],
      act: async () =>
        expectSuccess(await move(ada, ids[1]!, { topic: `${topic} whole`, propagate_mode: "change_all" })),
    });
    const policies = whole.eventsOf(bob.client, MODERN).filter(({ type }) => type === "user_topic");
    expect(policies).toMatchObject([
      { topic_name: topic, visibility_policy: 0 },
      { topic_name: `${topic} whole`, visibility_policy: 1 },
    ]);
  });

  it("notices: the new topic is told unless turned off, the old one only when asked for", async () => {
    const id = await ada.say(from, "noticed", topic);
    await ada.say(from, "stays", topic);
    expectSuccess(
      await ada.client.patch(`/messages/${id}`, { topic: `${topic} new`, send_notification_to_old_thread: true }),
    );
    const [moved, notice] = await contentsOf(from.id, `${topic} new`);
    expect(moved).toBe("noticed");
    expect(notice).toContain(`#**from>${topic}**`);
    expect(notice).toContain(`@_**Ada|${ada.id}**`);
    expect((await contentsOf(from.id, topic))[1]).toContain(`#**from>${topic} new**`);
    const silent = await ada.say(from, "silent", `${topic} s`);
    expectSuccess(await move(ada, silent, { topic: `${topic} t` }));
    expect(await contentsOf(from.id, `${topic} t`)).toEqual(["silent"]);
  });
});

let count = 0;
/** A topic of its own for each test. */
let topic: string;
