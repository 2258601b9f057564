/** PATCH /messages/{id}: moving to other channels. https://zulip.com/api/update-message */
import { beforeEach, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { moveRoom } from "../../support/rooms/moves.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = moveRoom(server);
const { admin, moderator, ada, bob, guest, from, into } = room;
const { move, read, contentsOf, setChannel, groupId, nobody, age } = room;
beforeEach(() => {
  topic = `topic ${++count}`;
});

describe("between channels", () => {
  it("a move keeps unread what was unread and read what was read", async () => {
    const ids: number[] = [];
    for (const word of ["a", "b", "c"]) ids.push(await bob.say(from, word, topic));
    expectSuccess(await ada.client.post("/messages/flags", { messages: [ids[1]], op: "add", flag: "read" }));
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, admin.client, moderator.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: into.id, propagate_mode: "change_all" })),
    });
    expect(eventsOf(ada.client, MODERN)[0]).toMatchObject({
      type: "update_message",
      stream_id: from.id,
      new_stream_id: into.id,
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
    const bucket = streams.find((one) => one.stream_id === into.id && one.topic === topic);
    expect(bucket?.unread_message_ids).toEqual([ids[0], ids[2]]);
    expect(await contentsOf(into.id, topic)).toEqual(["a", "b", "c"]);
    // And back again.
    await assertConverges({
      observers: [ada.client, bob.client, admin.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: from.id, propagate_mode: "change_all" })),
    });
  });

  it("who is not in the new channel is told that they have read what they can still read there", async () => {
    const zoe = await server.addUser("Zoe");
    expectSuccess(
      await zoe.client.post("/users/me/subscriptions", { subscriptions: [{ name: "from" }], principals: [zoe.id] }),
    );
    const ids: number[] = [];
    for (const word of ["a", "b @**Zoe**", "c"]) ids.push(await ada.say(from, word, topic));
    expectSuccess(await zoe.client.post("/messages/flags", { messages: [ids[0]], op: "add", flag: "read" }));
    const { eventsOf } = await assertConverges({
      observers: [zoe.client, bob.client, moderator.client],
      act: async () => expectSuccess(await move(admin, ids[0]!, { stream_id: into.id, propagate_mode: "change_all" })),
    });
    const flagsTold = (person: Person) =>
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
    expectSuccess(await move(admin, ids[0]!, { stream_id: from.id, propagate_mode: "change_all" }));
    for (const id of ids) expect((await read(zoe, id))["flags"]).toContain("read");
  });

  it("for subscribers of the new channel alone the messages are known, and not unread", async () => {
    const lone = await server.addUser(`Lone ${count}`);
    await server.addChannel(`aside ${count}`, [lone, ada]);
    const aside = expectSuccess(await ada.client.get("/get_stream_id", { stream: `aside ${count}` }))[
      "stream_id"
    ] as number;
    await ada.say(aside, "before", "x");
    const id = await bob.say(from, "arrives", topic);
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
    const id = await bob.say(from, "into the safe", topic);
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
    const id = await bob.say(from, "goes private", topic);
    const second = await bob.say(from, "so does this", topic);
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client, guest.client],
      act: async () => expectSuccess(await move(admin, id, { stream_id: locked, propagate_mode: "change_all" })),
    });
    const told = eventsOf(bob.client, MODERN).filter(({ type }) => type !== "user_topic");
    expect(told).toMatchObject([
      { type: "delete_message", message_type: "stream", stream_id: from.id, topic, message_ids: [id, second] },
    ]);
    expect(JSON.stringify(eventsOf(bob.client, MODERN))).not.toContain(`"stream_id":${locked}`);
    expect(eventsOf(guest.client, MODERN).map(({ type }) => type)).toEqual(["delete_message"]);
    expect(eventsOf(ada.client, MODERN).map(({ type }) => type)).toContain("update_message");
    expectError(await bob.client.get(`/messages/${id}`), 400, "BAD_REQUEST");
    expect((await read(ada, id))["content"]).toBe("goes private");
  });

  it("permissions: role by role, and the channel's can_move_messages_out_of_channel_group", async () => {
    const id = await bob.say(from, "who may", topic);
    expectError(await move(guest, id, { stream_id: into.id }), 400, "BAD_REQUEST");
    await server.owner.setRealm({ can_move_messages_between_channels_group: { new: await nobody() } });
    for (const person of [ada, moderator, admin])
      expectError(await move(person, id, { stream_id: into.id }), 400, "BAD_REQUEST");
    await setChannel(from.id, {
      can_move_messages_out_of_channel_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
    });
    expectError(await move(moderator, id, { stream_id: into.id }), 400, "BAD_REQUEST");
    expectSuccess(await move(ada, id, { stream_id: into.id }));
    await setChannel(from.id, { can_move_messages_out_of_channel_group: { new: await nobody() } });
    await server.owner.setRealm({ can_move_messages_between_channels_group: { new: await groupId("role:members") } });
  });

  it("the target must be a channel the mover sees and may post in", async () => {
    const id = await ada.say(from, "no way", topic);
    const hidden = await server.addChannel(`hidden ${count}`, [admin], { invite_only: true });
    const unseen = expectError(await move(ada, id, { stream_id: hidden }), 400);
    const absent = expectError(await move(ada, id, { stream_id: 999_999 }), 400);
    expect([unseen["code"], unseen["msg"]]).toEqual([absent["code"], absent["msg"]]);
    await setChannel(into.id, { can_send_message_group: { new: await groupId("role:administrators") } });
    expectError(await move(ada, id, { stream_id: into.id }), 400, "BAD_REQUEST");
    expectSuccess(await move(admin, id, { stream_id: into.id }));
    await setChannel(into.id, { can_send_message_group: { new: await groupId("role:everyone") } });
  });

  it("move_messages_between_streams_limit_seconds holds for members", async () => {
    const old = await ada.say(from, "too old", topic);
    const fresh = await ada.say(from, "young", topic);
    await age([old], 604_800 + 100);
    expectError(await move(ada, old, { stream_id: into.id }), 400, "BAD_REQUEST");
    const refused = await move(ada, fresh, { stream_id: into.id, propagate_mode: "change_all" });
    expectError(refused, 400, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED");
    expectSuccess(await move(moderator, old, { stream_id: into.id, propagate_mode: "change_all" }));
  });

  it("first_message_id of both channels follows", async () => {
    const start = await server.addChannel(`start ${count}`, [admin, ada]);
    const end = await server.addChannel(`end ${count}`, [admin, ada]);
    const ids = [await ada.say(start, "1", "t"), await ada.say(start, "2", "t")];
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
    const id = await ada.say(from, "far", topic);
    const { eventsOf } = await assertConverges({
      observers: [ada.client],
      act: async () => expectSuccess(await move(admin, id, { stream_id: into.id, topic: `${topic} far` })),
    });
    expect(eventsOf(ada.client)[0]).toMatchObject({
      new_stream_id: into.id,
      subject: `${topic} far`,
      orig_subject: topic,
    });
    expect((await read(ada, id))["edit_history"]).toEqual([
      {
        user_id: admin.id,
        timestamp: expect.any(Number),
        prev_topic: topic,
        topic: `${topic} far`,
        prev_stream: from.id,
        stream: into.id,
      },
    ]);
  });

  it("out of protected history: only what the mover received moves, only who received it is told", async () => {
    const vault = await server.addChannel(`vault ${count}`, [admin], {
      invite_only: true,
      history_public_to_subscribers: false,
    });
    const early = await admin.say(vault, "early", topic);
    expectSuccess(
      await admin.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: `vault ${count}` }],
        principals: [ada.id, bob.id],
      }),
    );
    const late = await admin.say(vault, "late", topic);
    expectError(await move(ada, early, { stream_id: into.id }), 400, "BAD_REQUEST");
    const { eventsOf } = await assertConverges({
      observers: [admin.client, ada.client, bob.client, guest.client],
      act: async () => expectSuccess(await move(ada, late, { stream_id: into.id, propagate_mode: "change_all" })),
    });
    expect(eventsOf(ada.client)[0]!["message_ids"]).toEqual([late]);
    expect(eventsOf(guest.client)).toEqual([]);
    expect(await contentsOf(vault, topic)).toEqual(["early"]);
  });

  it("more messages than go at once: an older client hears of each, and the log goes on", async () => {
    const { sql } = server.database;
    const heap = await server.addChannel(`heap ${count}`, [admin, bob]);
    const locked = await server.addChannel(`cellar ${count}`, [admin], { invite_only: true });
    const seed = await admin.say(heap, "seed", topic);
    const extra = 1_200;
    await sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select 1000000 + n, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client
      from messages, generate_series(1, ${extra}) n where id = ${seed}`;
    const queue = await bob.queue({ event_types: ["delete_message"] });
    expectSuccess(await move(admin, seed, { stream_id: locked, propagate_mode: "change_all" }));
    const events = await bob.drain(queue);
    expect(new Set(events.map((event) => event["message_id"])).size).toBe(extra + 1);
    const [realm] = await sql<{ position_reserved: number; newest: number }[]>`
      select position_reserved, (select max(position) from realm_log) as newest from realms`;
    expect(realm!.position_reserved).toBeGreaterThanOrEqual(realm!.newest);
    await admin.say(from.id, "after", topic);
  });
});

let count = 0;
/** A topic of its own for each test. */
let topic: string;
