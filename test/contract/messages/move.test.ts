/** PATCH /messages/{id}: moving to other topics and channels. https://zulip.com/api/update-message */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { startTestServer, type TestPerson, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
let admin: TestPerson;
let moderator: TestPerson;
let ada: TestPerson;
let bob: TestPerson;
let guest: TestPerson;
let from: number;
let into: number;
let count = 0;
/** A topic of its own for each test. */
let topic: string;

beforeAll(async () => {
  server = await startTestServer();
  admin = await server.addUser("Admin", { role: 200 });
  moderator = await server.addUser("Moderator", { role: 300 });
  ada = await server.addUser("Ada");
  bob = await server.addUser("Bob");
  guest = await server.addUser("Guest", { role: 600 });
  from = await server.addChannel("from", [admin, moderator, ada, bob, guest]);
  into = await server.addChannel("into", [admin, moderator, ada]);
  // Two old messages, so that the channels' first ones stay put unless a test is about them.
  await send(admin, "first of from", "begin", from);
  await send(admin, "first of into", "begin", into);
}, 60_000);
afterAll(() => server.stop());
beforeEach(() => {
  topic = `topic ${++count}`;
});

async function send(person: TestPerson, content: string, name = topic, channel = from): Promise<number> {
  const reply = await person.client.post("/messages", {
    type: "channel",
    to: JSON.stringify(channel),
    topic: name,
    content,
  });
  return expectSuccess(reply)["id"] as number;
}
async function read(person: TestPerson, id: number): Promise<Record<string, unknown>> {
  const reply = await person.client.get(`/messages/${id}`, { apply_markdown: false, allow_empty_topic_name: true });
  return expectSuccess(reply)["message"] as Record<string, unknown>;
}
async function contentsOf(channel: number, name: string): Promise<string[]> {
  const narrow = [
    { operator: "channel", operand: channel },
    { operator: "topic", operand: name },
  ];
  const reply = await admin.client.get("/messages", {
    anchor: "newest",
    num_before: 50,
    num_after: 0,
    narrow,
    apply_markdown: false,
  });
  return (expectSuccess(reply)["messages"] as { content: string }[]).map(({ content }) => content);
}
const move = (person: TestPerson, id: number, params: Record<string, unknown>) =>
  person.client.patch(`/messages/${id}`, { send_notification_to_new_thread: false, ...params });
const setRealm = async (settings: Record<string, unknown>) =>
  expectSuccess(await server.owner.client.patch("/realm", settings));
const setChannel = async (id: number, settings: Record<string, unknown>) =>
  expectSuccess(await server.owner.client.patch(`/streams/${id}`, settings));
const nobody = async () => {
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
  return (user_groups as { id: number; name: string }[]).find(({ name }) => name === "role:nobody")!.id;
};
const groupId = async (wanted: string) => {
  const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups"));
  return (user_groups as { id: number; name: string }[]).find(({ name }) => name === wanted)!.id;
};
const age = (ids: number[], seconds: number) =>
  server.server.app.system.environment.database
    .sql`update messages set sent_at = sent_at - ${seconds} where id in ${server.server.app.system.environment.database.sql(ids)}`;

describe("topics", () => {
  it("propagate_mode: change_one, change_later and change_all move what they say", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c", "d"]) ids.push(await send(ada, word));
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
      stream_id: from,
    });
    expect(one.eventsOf(bob.client, MODERN)[0]).not.toHaveProperty("content");
    const later = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () =>
        expectSuccess(await move(ada, ids[2]!, { topic: `${topic} later`, propagate_mode: "change_later" })),
    });
    expect(later.eventsOf(bob.client)[0]!["message_ids"]).toEqual([ids[2], ids[3]]);
    await send(bob, "e", `${topic} later`);
    const all = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await move(ada, ids[3]!, { topic: `${topic} all`, propagate_mode: "change_all" })),
    });
    expect(all.eventsOf(bob.client)[0]!["message_ids"]).toHaveLength(3);
    expect(await contentsOf(from, topic)).toEqual(["a"]);
    expect(await contentsOf(from, `${topic} one`)).toEqual(["b"]);
    expect(await contentsOf(from, `${topic} all`)).toEqual(["c", "d", "e"]);
  });

  it("history: a move is noted with both topics and a time; the content stays unedited", async () => {
    const id = await send(ada, "moves");
    expectSuccess(await move(bob, id, { topic: `${topic} new` }));
    const message = await read(ada, id);
    expect(message["edit_history"]).toEqual([
      { user_id: bob.id, timestamp: expect.any(Number), prev_topic: topic, topic: `${topic} new` },
    ]);
    expect(message["last_moved_timestamp"]).toEqual(expect.any(Number));
    expect(message).not.toHaveProperty("last_edit_timestamp");
  });

  it("can_move_messages_between_topics_group decides, and the channel's can_move_messages_within_channel_group", async () => {
    const id = await send(bob, "whose");
    await setRealm({ can_move_messages_between_topics_group: { new: await nobody() } });
    for (const person of [guest, ada, moderator, admin, server.owner])
      expectError(await move(person, id, { topic: `${topic} x` }), 400, "BAD_REQUEST");
    await setChannel(from, {
      can_move_messages_within_channel_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
    });
    expectError(await move(bob, id, { topic: `${topic} x` }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { topic: `${topic} x` }));
    await setChannel(from, { can_move_messages_within_channel_group: { new: await nobody() } });
    await setRealm({ can_move_messages_between_topics_group: { new: await groupId("role:everyone") } });
    expectSuccess(await move(guest, id, { topic: `${topic} y` }));
  });

  it("can_resolve_topics_group decides over the mark of resolved topics alone, with no time limit", async () => {
    const id = await send(bob, "settled?");
    await age([id], 2_000_000);
    await setRealm({ can_resolve_topics_group: { new: await nobody() } });
    expectError(await move(ada, id, { topic: `✔ ${topic}`, propagate_mode: "change_all" }), 400, "BAD_REQUEST");
    await setRealm({ can_resolve_topics_group: { new: await groupId("role:everyone") } });
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

  it("move_messages_within_stream_limit_seconds: old messages stay, but for administrators and moderators", async () => {
    const old = [await send(ada, "old 1"), await send(ada, "old 2")];
    const fresh = await send(ada, "fresh");
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
    expect(await contentsOf(from, `${topic} a`)).toEqual(["old 2", "fresh"]);
  });

  it("topics_policy holds for moves: no empty topic where it is disabled, no named one where it alone is allowed", async () => {
    const id = await send(ada, "where");
    await setChannel(from, { topics_policy: "disable_empty_topic" });
    expectError(await move(ada, id, { topic: "" }), 400, "BAD_REQUEST");
    await setChannel(from, { topics_policy: "allow_empty_topic" });
    expectSuccess(await move(ada, id, { topic: "" }));
    const only = await server.addChannel("only", [ada], { topics_policy: "empty_topic_only" });
    const plain = await send(ada, "plain", "", only);
    expectError(await move(ada, plain, { topic: "named" }), 400, "BAD_REQUEST");
  });

  it("can_create_topic_group: a new topic needs it, one that exists does not", async () => {
    const id = await send(ada, "mover");
    await send(admin, "there", `${topic} there`);
    await setChannel(from, { can_create_topic_group: { new: await groupId("role:administrators") } });
    expectError(await move(ada, id, { topic: `${topic} fresh` }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { topic: `${topic} there` }));
    await setChannel(from, { can_create_topic_group: { new: await groupId("role:everyone") } });
  });

  it("a whole topic takes follows and mutes along, part of one does not", async () => {
    const ids = [await send(ada, "1"), await send(ada, "2")];
    expectSuccess(await bob.client.post("/user_topics", { stream_id: from, topic, visibility_policy: 1 }));
    expectSuccess(await guest.client.post("/user_topics", { stream_id: from, topic, visibility_policy: 3 }));
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
    const id = await send(ada, "noticed");
    await send(ada, "stays");
    expectSuccess(
      await ada.client.patch(`/messages/${id}`, { topic: `${topic} new`, send_notification_to_old_thread: true }),
    );
    const [moved, notice] = await contentsOf(from, `${topic} new`);
    expect(moved).toBe("noticed");
    expect(notice).toContain(`#**from>${topic}**`);
    expect(notice).toContain(`@_**Ada|${ada.id}**`);
    expect((await contentsOf(from, topic))[1]).toContain(`#**from>${topic} new**`);
    const silent = await send(ada, "silent", `${topic} s`);
    expectSuccess(await move(ada, silent, { topic: `${topic} t` }));
    expect(await contentsOf(from, `${topic} t`)).toEqual(["silent"]);
  });
});

describe("between channels", () => {
  it("a move keeps unread what was unread and read what was read", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c"]) ids.push(await send(bob, word));
    expectSuccess(await ada.client.post("/messages/flags", { messages: [ids[1]], op: "add", flag: "read" }));
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, admin.client, moderator.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: into, propagate_mode: "change_all" })),
    });
    expect(eventsOf(ada.client, MODERN)[0]).toMatchObject({
      type: "update_message",
      stream_id: from,
      new_stream_id: into,
      orig_subject: topic,
      propagate_mode: "change_all",
      message_ids: ids,
    });
    expect(eventsOf(ada.client, MODERN)[0]).not.toHaveProperty("subject");
    const unread = expectSuccess(
      await ada.client.post("/register", { fetch_event_types: ["message", "update_message_flags"] }),
    );
    const { streams } = unread["unread_msgs"] as {
      streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
    };
    const bucket = streams.find((one) => one.stream_id === into && one.topic === topic);
    expect(bucket?.unread_message_ids).toEqual([ids[0], ids[2]]);
    expect(await contentsOf(into, topic)).toEqual(["a", "b", "c"]);
    // And back again.
    await assertConverges({
      observers: [ada.client, bob.client, admin.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: from, propagate_mode: "change_all" })),
    });
  });

  it("who is not in the new channel is told that they have read what they can still read there", async () => {
    const zoe = await server.addUser("Zoe");
    expectSuccess(
      await zoe.client.post("/users/me/subscriptions", { subscriptions: [{ name: "from" }], principals: [zoe.id] }),
    );
    const ids: number[] = [];
    for (const word of ["a", "b @**Zoe**", "c"]) ids.push(await send(ada, word));
    expectSuccess(await zoe.client.post("/messages/flags", { messages: [ids[0]], op: "add", flag: "read" }));
    const { eventsOf } = await assertConverges({
      observers: [zoe.client, bob.client, moderator.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: into, propagate_mode: "change_all" })),
    });
    const flagsTold = (person: TestPerson) =>
      eventsOf(person.client, MODERN)
        .filter(({ type }) => type.startsWith("update_message"))
        .map(({ type, op, flag, messages }) => [type, op, flag, messages]);
    const moved = ["update_message", undefined, undefined, undefined];
    expect(flagsTold(zoe)).toEqual([moved, ["update_message_flags", "add", "read", [ids[1], ids[2]]]]);
    expect(flagsTold(bob)).toEqual([moved, ["update_message_flags", "add", "read", ids]]);
    expect(flagsTold(moderator)).toEqual([moved]);
    for (const id of ids) expect((await read(zoe, id))["flags"]).toContain("read");
    expect((await read(zoe, ids[1]!))["flags"]).toContain("mentioned");
    for (const id of ids) expect((await read(moderator, id))["flags"]).not.toContain("read");
    // Read they stay where the person is in again.
    expectSuccess(await move(admin, ids[0]!, { stream_id: from, propagate_mode: "change_all" }));
    for (const id of ids) expect((await read(zoe, id))["flags"]).toContain("read");
  });

  it("for subscribers of the new channel alone the messages are known, and not unread", async () => {
    const lone = await server.addUser(`Lone ${count}`);
    await server.addChannel(`aside ${count}`, [lone, ada]);
    const aside = expectSuccess(await ada.client.get("/get_stream_id", { stream: `aside ${count}` }))[
      "stream_id"
    ] as number;
    await send(ada, "before", "x", aside);
    const id = await send(bob, "arrives");
    const { eventsOf } = await assertConverges({
      observers: [lone.client, ada.client, bob.client],
      act: async () => expectSuccess(await move(admin, id, { stream_id: aside })),
    });
    expect(eventsOf(lone.client).map(({ type }) => type)).toContain("update_message");
    expect((await read(lone, id))["flags"]).toEqual(expect.arrayContaining(["read"]));
  });

  it("into protected history: its subscribers can read what came, as read; others cannot", async () => {
    const safe = await server.addChannel(`safe ${count}`, [admin, ada], {
      invite_only: true,
      history_public_to_subscribers: false,
    });
    const id = await send(bob, "into the safe");
    expectSuccess(
      await admin.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: `safe ${count}` }],
        principals: [moderator.id],
      }),
    );
    const keep = await server.addUser(`Keeper ${count}`);
    expectSuccess(
      await admin.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: `safe ${count}` }],
        principals: [keep.id],
      }),
    );
    expectSuccess(await move(admin, id, { stream_id: safe }));
    expect((await read(ada, id))["flags"]).not.toContain("read");
    expect((await read(keep, id))["flags"]).toContain("read");
    expectError(await bob.client.get(`/messages/${id}`), 400, "BAD_REQUEST");
  });

  it("who cannot read the new channel gets delete_message, and is told nothing of where it went", async () => {
    const locked = await server.addChannel(`locked ${count}`, [admin, ada], { invite_only: true });
    const id = await send(bob, "goes private");
    const second = await send(bob, "so does this");
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, guest.client],
      act: async () => expectSuccess(await move(admin, id, { stream_id: locked, propagate_mode: "change_all" })),
    });
    const told = eventsOf(bob.client, MODERN).filter(({ type }) => type !== "user_topic");
    expect(told).toMatchObject([
      { type: "delete_message", message_type: "stream", stream_id: from, topic, message_ids: [id, second] },
    ]);
    expect(JSON.stringify(eventsOf(bob.client, MODERN))).not.toContain(`"stream_id":${locked}`);
    expect(eventsOf(guest.client, MODERN).map(({ type }) => type)).toEqual(["delete_message"]);
    expect(eventsOf(ada.client, MODERN).map(({ type }) => type)).toContain("update_message");
    expectError(await bob.client.get(`/messages/${id}`), 400, "BAD_REQUEST");
    expect((await read(ada, id))["content"]).toBe("goes private");
  });

  it("permissions: role by role, and the channel's can_move_messages_out_of_channel_group", async () => {
    const id = await send(bob, "who may");
    expectError(await move(guest, id, { stream_id: into }), 400, "BAD_REQUEST");
    await setRealm({ can_move_messages_between_channels_group: { new: await nobody() } });
    for (const person of [ada, moderator, admin])
      expectError(await move(person, id, { stream_id: into }), 400, "BAD_REQUEST");
    await setChannel(from, {
      can_move_messages_out_of_channel_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
    });
    expectError(await move(moderator, id, { stream_id: into }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { stream_id: into }));
    await setChannel(from, { can_move_messages_out_of_channel_group: { new: await nobody() } });
    await setRealm({ can_move_messages_between_channels_group: { new: await groupId("role:members") } });
  });

  it("the target must be a channel the mover sees and may post in", async () => {
    const id = await send(ada, "no way");
    const hidden = await server.addChannel(`hidden ${count}`, [admin], { invite_only: true });
    const unseen = expectError(await move(ada, id, { stream_id: hidden }), 400);
    const absent = expectError(await move(ada, id, { stream_id: 999_999 }), 400);
    expect([unseen["code"], unseen["msg"]]).toEqual([absent["code"], absent["msg"]]);
    await setChannel(into, { can_send_message_group: { new: await groupId("role:administrators") } });
    expectError(await move(ada, id, { stream_id: into }), 400, "BAD_REQUEST");
    expectSuccess(await move(admin, id, { stream_id: into }));
    await setChannel(into, { can_send_message_group: { new: await groupId("role:everyone") } });
  });

  it("move_messages_between_streams_limit_seconds holds for members", async () => {
    const old = await send(ada, "too old");
    const fresh = await send(ada, "young");
    await age([old], 604_800 + 100);
    expectError(await move(ada, old, { stream_id: into }), 400, "BAD_REQUEST");
    const refused = await move(ada, fresh, { stream_id: into, propagate_mode: "change_all" });
    expectError(refused, 400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED");
    expectSuccess(await move(moderator, old, { stream_id: into, propagate_mode: "change_all" }));
  });

  it("first_message_id of both channels follows", async () => {
    const start = await server.addChannel(`start ${count}`, [admin, ada]);
    const end = await server.addChannel(`end ${count}`, [admin, ada]);
    const ids = [await send(ada, "1", "t", start), await send(ada, "2", "t", start)];
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: end })),
    });
    const firsts = eventsOf(ada.client, MODERN).filter((event) => event["property"] === "first_message_id");
    expect(firsts).toMatchObject([
      { stream_id: start, value: ids[1] },
      { stream_id: end, value: ids[0] },
    ]);
  });

  it("to another channel and topic at once: both in one event and one line of history", async () => {
    const id = await send(ada, "far");
    const { eventsOf } = await assertConverges({
      observers: [ada.client],
      act: async () => expectSuccess(await move(admin, id, { stream_id: into, topic: `${topic} far` })),
    });
    expect(eventsOf(ada.client)[0]).toMatchObject({
      new_stream_id: into,
      subject: `${topic} far`,
      orig_subject: topic,
    });
    expect((await read(ada, id))["edit_history"]).toEqual([
      {
        user_id: admin.id,
        timestamp: expect.any(Number),
        prev_topic: topic,
        topic: `${topic} far`,
        prev_stream: from,
        stream: into,
      },
    ]);
  });

  it("out of protected history: only what the mover received moves, only who received it is told", async () => {
    const vault = await server.addChannel(`vault ${count}`, [admin], {
      invite_only: true,
      history_public_to_subscribers: false,
    });
    const early = await send(admin, "early", topic, vault);
    expectSuccess(
      await admin.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: `vault ${count}` }],
        principals: [ada.id, bob.id],
      }),
    );
    const late = await send(admin, "late", topic, vault);
    expectError(await move(ada, early, { stream_id: into }), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [admin.client, ada.client, bob.client, guest.client],
      act: async () => expectSuccess(await move(ada, late, { stream_id: into, propagate_mode: "change_all" })),
    });
    expect(eventsOf(ada.client)[0]!["message_ids"]).toEqual([late]);
    expect(eventsOf(guest.client)).toEqual([]);
    expect(await contentsOf(vault, topic)).toEqual(["early"]);
  });

  it("more messages than the log has places at hand: an older client still hears of each, and the log goes on", async () => {
    const { sql } = server.server.app.system.environment.database;
    const heap = await server.addChannel(`heap ${count}`, [admin, bob]);
    const locked = await server.addChannel(`cellar ${count}`, [admin], { invite_only: true });
    const seed = await send(admin, "seed", topic, heap);
    const extra = 20_500;
    await sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select 1000000 + n, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client
      from messages, generate_series(1, ${extra}) n where id = ${seed}`;
    const queue = cursorOf(await bob.client.register({ event_types: ["delete_message"] }));
    expectSuccess(await move(admin, seed, { stream_id: locked, propagate_mode: "change_all" }));
    const events = await bob.client.drain(queue);
    expect(new Set(events.map((event) => event["message_id"])).size).toBe(extra + 1);
    const [realm] = await sql<{ position_reserved: number; newest: number }[]>`
      select position_reserved, (select max(position) from realm_log) as newest from realms`;
    expect(realm!.position_reserved).toBeGreaterThanOrEqual(realm!.newest);
    await send(admin, "after", topic, from);
  }, 60_000);
});
