/** What the register answer says of messages. https://zulip.com/api/register-queue */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN, registerParams } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ann, bob, cid] = server.people("Ann", "Bob", "Cid");
const team = server.channel("team", [ann, bob]);
const quiet = server.channel("quiet", [ann, bob]);
const closed = server.channel("closed", [ann, bob, cid], { invite_only: true });

describe("unread_msgs", () => {
  it("somebody without messages has empty lists, and -1 as max_message_id", async () => {
    const eve = await server.addUser("Eve");
    const state = await stateOf(eve);
    expect(state.unread_msgs).toMatchObject({ pms: [], huddles: [], mentions: [], old_unreads_missing: false });
    expect(state["recent_private_conversations"]).toEqual([]);
    expect(state.starred_messages).toEqual([]);
  });

  it("messages to channels, people, groups and oneself, with mentions and wildcards", async () => {
    const ids: Record<string, number> = {};
    await observe(async () => {
      ids["plain"] = await post(bob, toChannel(team.id, "t"));
      ids["named"] = await post(bob, { ...toChannel(team.id, "T"), content: `@**Ann|${ann.id}**` });
      ids["all"] = await post(bob, { ...toChannel(team.id, "u"), content: "@**all**" });
      ids["empty"] = await post(bob, toChannel(team.id, ""));
      ids["pair"] = await post(bob, toPeople(ann));
      ids["group"] = await post(bob, { ...toPeople(ann, cid), content: `@**Ann|${ann.id}**` });
      ids["self"] = await post(ann, { ...toPeople(ann), read_by_sender: false });
      ids["own"] = await post(ann, { ...toChannel(team.id, "t"), read_by_sender: true });
    });
    const unread = await unreadOf(ann);
    const huddle = [ann.id, bob.id, cid.id].sort((a, b) => a - b).join(",");
    expect(unread).toEqual({
      count: 7,
      pms: expect.arrayContaining([
        { other_user_id: bob.id, sender_id: bob.id, unread_message_ids: [ids["pair"]] },
        { other_user_id: ann.id, sender_id: ann.id, unread_message_ids: [ids["self"]] },
      ]),
      huddles: [{ user_ids_string: huddle, unread_message_ids: [ids["group"]] }],
      streams: expect.arrayContaining([
        { stream_id: team.id, topic: "t", unread_message_ids: [ids["plain"], ids["named"]] },
        { stream_id: team.id, topic: "u", unread_message_ids: [ids["all"]] },
        { stream_id: team.id, topic: "", unread_message_ids: [ids["empty"]] },
      ]),
      mentions: [ids["named"], ids["all"], ids["group"]],
      old_unreads_missing: false,
    });
    const legacy = await unreadOf(ann, LEGACY);
    expect(legacy.streams.map(({ topic }) => topic)).toContain("general chat");
  });

  it("reading and unreading, one by one and all", async () => {
    const ids = [
      await post(bob, toChannel(team.id, "r")),
      await post(bob, toPeople(ann)),
      await post(bob, toChannel(team.id, "")),
    ];
    const flag = (op: string, messages: number[]) => async () =>
      expectSuccess(await ann.client.post("/messages/flags", { messages, op, flag: "read" }));
    await observe(flag("add", [ids[0]!]));
    await observe(flag("add", ids));
    await observe(flag("remove", ids));
    await observe(async () => expectSuccess(await ann.client.post("/mark_all_as_read")));
    expect(await unreadOf(ann)).toMatchObject({ count: 0, pms: [], streams: [], huddles: [], mentions: [] });
    await observe(flag("remove", [ids[1]!]));
    expect((await unreadOf(ann)).pms).toEqual([
      { other_user_id: bob.id, sender_id: bob.id, unread_message_ids: [ids[1]] },
    ]);
  });

  it("count leaves muted topics and channels out, the lists do not", async () => {
    await post(bob, toChannel(quiet.id, "hush"));
    const id = await post(bob, { ...toChannel(quiet.id, "loud"), content: "@**all**" });
    const before = (await unreadOf(ann)).count;
    await observe(async () =>
      expectSuccess(
        await ann.client.post("/user_topics", { stream_id: quiet.id, topic: "hush", visibility_policy: 1 }),
      ),
    );
    expect((await unreadOf(ann)).count).toBe(before - 1);
    await observe(async () =>
      expectSuccess(
        await ann.client.post("/users/me/subscriptions/properties", {
          subscription_data: [{ stream_id: quiet.id, property: "is_muted", value: true }],
        }),
      ),
    );
    expect(await unreadOf(ann)).toMatchObject({ count: before - 2, mentions: expect.arrayContaining([id]) });
    await observe(async () => {
      await post(bob, { ...toChannel(quiet.id, "loud"), content: "@**all** again" });
      await post(bob, toChannel(quiet.id, "hush"));
    });
    await observe(async () =>
      expectSuccess(
        await ann.client.post("/user_topics", { stream_id: quiet.id, topic: "loud", visibility_policy: 2 }),
      ),
    );
    expect((await unreadOf(ann)).count).toBe(before);
  });

  it("leaving a channel leaves nothing unread in it, coming back brings nothing back", async () => {
    const id = await post(cid, toChannel(closed.id, "c"));
    const other = await post(bob, toChannel(team.id, "c"));
    const { eventsOf } = await observe(async () =>
      expectSuccess(await ann.client.delete("/users/me/subscriptions", { subscriptions: ["closed"] })),
    );
    expect(eventsOf(ann.client, MODERN)).toContainEqual(
      expect.objectContaining({ type: "update_message_flags", op: "add", flag: "read", messages: [id] }),
    );
    await post(cid, toChannel(closed.id, "while away"));
    const streams = (await unreadOf(ann)).streams;
    expect(streams.some(({ stream_id }) => stream_id === closed.id)).toBe(false);
    expect(streams.some(({ unread_message_ids }) => unread_message_ids.includes(other))).toBe(true);
    await observe(async () =>
      expectSuccess(
        await cid.client.post("/users/me/subscriptions", { subscriptions: [{ name: "closed" }], principals: [ann.id] }),
      ),
    );
    expect((await unreadOf(ann)).streams.some(({ stream_id }) => stream_id === closed.id)).toBe(false);
    await observe(() => post(cid, toChannel(closed.id, "back")));
    expect((await unreadOf(ann)).streams.some(({ stream_id }) => stream_id === closed.id)).toBe(true);
  });

  it("edits, moves and deletions take unread messages along", async () => {
    const ids = [await post(bob, toChannel(team.id, "e")), await post(bob, toChannel(team.id, "e"))];
    const edit = (id: number, params: Record<string, unknown>) => async () =>
      expectSuccess(await bob.client.patch(`/messages/${id}`, params));
    await observe(edit(ids[0]!, { content: `now @**Ann|${ann.id}**` }));
    expect((await unreadOf(ann)).mentions).toContain(ids[0]);
    await observe(edit(ids[0]!, { content: "no more" }));
    await observe(edit(ids[0]!, { topic: "elsewhere" }));
    await observe(edit(ids[1]!, { stream_id: quiet.id }));
    await observe(async () => expectSuccess(await server.owner.client.delete(`/messages/${ids[1]!}`)));
  });

  it("a message that was never received becomes unread where the user is subscribed", async () => {
    const hall = await server.addChannel("hall", [bob]);
    const id = await post(bob, toChannel(hall, "h"));
    // The newest message that Ann received is to stay the same.
    await post(bob, toPeople(ann));
    expectSuccess(await ann.client.post("/users/me/subscriptions", { subscriptions: [{ name: "hall" }] }));
    expect((await unreadOf(ann)).streams.some(({ stream_id }) => stream_id === hall)).toBe(false);
    await observe(async () =>
      expectSuccess(await ann.client.post("/messages/flags", { messages: [id], op: "remove", flag: "read" })),
    );
    expect((await unreadOf(ann)).streams).toContainEqual({ stream_id: hall, topic: "h", unread_message_ids: [id] });
  });
});

describe("the other parts", () => {
  it("max_message_id is the newest message that the user received", async () => {
    const id = await post(bob, toChannel(team.id, "m"));
    await post(cid, toPeople(bob));
    expect((await stateOf(ann)).max_message_id).toBe(id);
  });

  it("recent_private_conversations: newest first, without the user; empty for oneself", async () => {
    const own = await post(ann, toPeople(ann));
    const group = await post(cid, toPeople(ann, bob));
    const pair = await post(ann, toPeople(bob));
    const recent = (await stateOf(ann))["recent_private_conversations"] as {
      max_message_id: number;
      user_ids: number[];
    }[];
    expect(recent.slice(0, 3)).toEqual([
      { max_message_id: pair, user_ids: [bob.id] },
      { max_message_id: group, user_ids: [bob.id, cid.id].sort((a, b) => a - b) },
      { max_message_id: own, user_ids: [] },
    ]);
    await observe(() => post(bob, toPeople(ann)), ann, bob, cid);
  });

  it("starred_messages ascend", async () => {
    const ids = [
      await post(bob, toChannel(team.id, "s")),
      await post(bob, toPeople(ann)),
      await post(bob, toChannel(team.id, "s")),
    ];
    expectSuccess(await ann.client.post("/messages/flags", { messages: [ids[2], ids[0]], op: "add", flag: "starred" }));
    await observe(async () =>
      expectSuccess(await ann.client.post("/messages/flags", { messages: [ids[1]], op: "add", flag: "starred" })),
    );
    expect((await stateOf(ann)).starred_messages).toEqual(ids);
  });

  it("starred_messages lose what is deleted", async () => {
    const ids = [await post(bob, toChannel(team.id, "s")), await post(bob, toChannel(team.id, "s"))];
    expectSuccess(await ann.client.post("/messages/flags", { messages: ids, op: "add", flag: "starred" }));
    expect((await stateOf(ann)).starred_messages).toEqual(expect.arrayContaining(ids));
    expectSuccess(await server.owner.client.delete(`/messages/${ids[0]!}`));
    expect((await stateOf(ann)).starred_messages).not.toContain(ids[0]);
    expect((await stateOf(ann)).starred_messages).toContain(ids[1]);
  });
});

interface Unread {
  count: number;
  pms: { other_user_id: number; sender_id: number; unread_message_ids: number[] }[];
  streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
  huddles: { user_ids_string: string; unread_message_ids: number[] }[];
  mentions: number[];
  old_unreads_missing: boolean;
}

const post = async (from: Person, params: Record<string, unknown>): Promise<number> =>
  expectSuccess(await from.client.post("/messages", { content: "hello", ...params }))["id"] as number;
const toChannel = (to: number, topic: string) => ({ type: "channel", to, topic });
const toPeople = (...people: Person[]) => ({ type: "direct", to: people.map(({ id }) => id) });
const stateOf = async (who: Person, profile = MODERN) => who.client.register(registerParams(profile));
const unreadOf = async (who: Person, profile = MODERN) =>
  (await stateOf(who, profile)).unread_msgs as unknown as Unread;
const observe = <T>(act: () => Promise<T>, ...people: Person[]) =>
  assertConverges({ observers: (people.length > 0 ? people : [ann, bob]).map(({ client }) => client), act });
