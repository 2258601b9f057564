/** Who may set which flags, and what is answered and told. https://zulip.com/api/update-message-flags */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "streams"] });
const [ann, bob, cid] = server.people("Ann", "Bob", "Cid");
const team = server.channel("team", [ann, bob]);
const other = server.channel("other", [bob]);
const closed = server.channel("closed", [bob], { invite_only: true });

describe("POST /messages/flags", () => {
  it("read: added and removed, with the answer's two fields", async () => {
    const id = await send(bob, inTeam());
    expect(await flagsOf(ann, id)).toEqual([]);
    const { result } = await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "add", "read", [id])),
    });
    expect(result).toMatchObject({ messages: [id], ignored_because_not_subscribed_channels: [] });
    expect(await flagsOf(ann, id)).toEqual(["read"]);
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "remove", "read", [id])),
    });
    expect(await flagsOf(ann, id)).toEqual([]);
  });

  it("read: only the person themself is told, and only of what changed", async () => {
    const ids = [await send(bob, inTeam()), await send(bob, inTeam("rest")), await send(bob, toPeople(ann))];
    expectSuccess(await setFlag(ann, "add", "read", [ids[0]!]));
    const { eventsOf } = await assertConverges({
      observers: [ann.client, bob.client],
      profiles: [MODERN],
      act: async () => expectSuccess(await setFlag(ann, "add", "read", [...ids, ids[1]!])),
    });
    expect(eventsOf(bob.client)).toEqual([]);
    expect(eventsOf(ann.client)).toMatchObject([
      {
        type: "update_message_flags",
        op: "add",
        operation: "add",
        flag: "read",
        messages: [ids[1], ids[2]],
        all: false,
      },
    ]);
  });

  it("read: unread again carries details of channel, group, pair and self", async () => {
    const ids = [
      await send(bob, { ...inTeam("details"), content: `@**Ann|${ann.id}** and all` }),
      await send(bob, toPeople(ann, cid)),
      await send(bob, toPeople(ann)),
      await send(ann, { ...toPeople(ann), read_by_sender: true }),
      await send(bob, inTeam("")),
    ];
    expectSuccess(await setFlag(ann, "add", "read", ids));
    const { eventsOf } = await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "remove", "read", ids)),
    });
    expect(eventsOf(ann.client, MODERN)[0]).toMatchObject({
      message_details: {
        [ids[0]!]: { type: "stream", mentioned: true, stream_id: team.id, topic: "details" },
        [ids[1]!]: { type: "private", user_ids: [bob.id, cid.id].sort((a, b) => a - b) },
        [ids[2]!]: { type: "private", user_ids: [bob.id] },
        [ids[3]!]: { type: "private", user_ids: [] },
        [ids[4]!]: { type: "stream", stream_id: team.id, topic: "" },
      },
    });
    expect(eventsOf(ann.client, LEGACY)[0]).toMatchObject({
      message_details: { [ids[4]!]: { topic: "general chat" } },
    });
    expect(await flagsOf(ann, ids[3]!)).toEqual([]);
  });

  it("read: messages of channels without a subscription stay read, and the channels are named", async () => {
    const id = await send(bob, { type: "channel", to: other.id, topic: "t" });
    const reply = expectSuccess(await setFlag(ann, "remove", "read", [id]));
    expect(reply["ignored_because_not_subscribed_channels"]).toEqual([other.id]);
    expect(await flagsOf(ann, id)).toEqual(["read", "historical"]);
  });

  it("read: ids that are unknown or cannot be read are passed over", async () => {
    const hidden = await send(bob, { type: "channel", to: closed.id, topic: "t" });
    const { eventsOf } = await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "add", "read", [hidden, 999_999_999])),
    });
    expect(eventsOf(ann.client)).toEqual([]);
  });

  it("starred: converges, in order, and leaves the read flag alone", async () => {
    const ids = [await send(bob, inTeam()), await send(bob, toPeople(ann)), await send(bob, inTeam())];
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "add", "starred", [ids[2]!, ids[0]!])),
    });
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "add", "starred", ids)),
    });
    expect(await flagsOf(ann, ids[0]!)).toEqual(["starred"]);
    expect(await flagsOf(bob, ids[0]!)).not.toContain("starred");
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "remove", "starred", [ids[0]!])),
    });
    expect(await flagsOf(ann, ids[0]!)).toEqual([]);
    const { messages } = expectSuccess(
      await ann.client.get("/messages", {
        anchor: "oldest",
        num_before: 0,
        num_after: 100,
        narrow: [["is", "starred"]],
      }),
    ) as { messages: { id: number }[] };
    expect(messages.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
  });

  it("starred: a message of a public channel that was never received is historical", async () => {
    const id = await send(bob, { type: "channel", to: other.id, topic: "t" });
    expectSuccess(await setFlag(ann, "add", "starred", [id]));
    expect(await flagsOf(ann, id)).toEqual(["read", "starred", "historical"]);
    const { messages } = expectSuccess(
      await ann.client.get("/messages", { anchor: id, num_before: 0, num_after: 0, narrow: [["is", "starred"]] }),
    ) as { messages: { id: number }[] };
    expect(messages.map((message) => message.id)).toEqual([id]);
  });

  it("collapsed: is a flag like starred, without a list in the state", async () => {
    const id = await send(bob, inTeam());
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await setFlag(ann, "add", "collapsed", [id])),
    });
    expectSuccess(await setFlag(ann, "add", "starred", [id]));
    expect(await flagsOf(ann, id)).toEqual(["starred", "collapsed"]);
    expectSuccess(await setFlag(ann, "remove", "collapsed", [id]));
    expect(await flagsOf(ann, id)).toEqual(["starred"]);
  });

  it("starred and collapsed: an id that is unknown or cannot be read refuses all", async () => {
    const fine = await send(bob, inTeam());
    const hidden = await send(bob, { type: "channel", to: closed.id, topic: "t" });
    for (const flag of ["starred", "collapsed"])
      for (const bad of [hidden, 999_999_999])
        expectError(await setFlag(ann, "add", flag, [fine, bad]), 400, "BAD_REQUEST");
    expect(await flagsOf(ann, fine)).toEqual([]);
  });

  it.each([
    "mentioned",
    "has_alert_word",
    "wildcard_mentioned",
    "stream_wildcard_mentioned",
    "historical",
    "active",
    "nonsense",
  ])("flag %s cannot be set", async (flag) => {
    expectError(await setFlag(ann, "add", flag, [await send(bob, inTeam())]), 400, "BAD_REQUEST");
  });

  it("an unknown op, and a missing parameter", async () => {
    expectError(await setFlag(ann, "toggle", "read", []), 400, "BAD_REQUEST");
    const error = expectError(
      await ann.client.post("/messages/flags", { op: "add", flag: "read" }),
      400,
      "REQUEST_VARIABLE_MISSING",
    );
    expect(error["var_name"]).toBe("messages");
    expectError(
      await ann.client.post("/messages/flags", { op: "add", flag: "read", messages: ["1"] }),
      400,
      "BAD_REQUEST",
    );
  });
});

describe("POST /messages/flags/narrow", () => {
  it("processes what the narrow finds around the anchor, and counts what changed", async () => {
    const ids: number[] = [];
    for (let index = 0; index < 6; index++) ids.push(await send(bob, inTeam("narrowed")));
    const narrow = [
      ["channel", "team"],
      ["topic", "narrowed"],
    ];
    expectSuccess(await setFlag(ann, "add", "read", [ids[1]!]));
    const { result } = await assertConverges({
      observers: [ann.client],
      act: async () =>
        expectSuccess(
          await ann.client.post("/messages/flags/narrow", {
            anchor: "oldest",
            num_before: 0,
            num_after: 4,
            narrow,
            op: "add",
            flag: "read",
          }),
        ),
    });
    expect(result).toMatchObject({
      processed_count: 4,
      updated_count: 3,
      first_processed_id: ids[0],
      last_processed_id: ids[3],
      found_oldest: true,
      found_newest: false,
      ignored_because_not_subscribed_channels: [],
    });
    const rest = expectSuccess(
      await ann.client.post("/messages/flags/narrow", {
        anchor: ids[3],
        include_anchor: false,
        num_before: 0,
        num_after: 100,
        narrow: [...narrow, ["is", "unread"]],
        op: "add",
        flag: "read",
      }),
    );
    expect(rest).toMatchObject({
      processed_count: 2,
      updated_count: 2,
      first_processed_id: ids[4],
      found_newest: true,
    });
  });

  it("nothing found: null ids", async () => {
    const reply = expectSuccess(
      await ann.client.post("/messages/flags/narrow", {
        anchor: "newest",
        num_before: 10,
        num_after: 0,
        narrow: [["topic", "there is none"]],
        op: "add",
        flag: "starred",
      }),
    );
    expect(reply).toMatchObject({
      processed_count: 0,
      updated_count: 0,
      first_processed_id: null,
      last_processed_id: null,
    });
  });

  it("unread is refused for channels without a subscription", async () => {
    await send(bob, { type: "channel", to: other.id, topic: "narrow" });
    const reply = expectSuccess(
      await ann.client.post("/messages/flags/narrow", {
        anchor: "newest",
        num_before: 10,
        num_after: 0,
        narrow: [["channel", other.id]],
        op: "remove",
        flag: "read",
      }),
    );
    expect(reply).toMatchObject({ updated_count: 0, ignored_because_not_subscribed_channels: [other.id] });
  });

  it("BAD_NARROW, too many messages, and a count that is none", async () => {
    const params = { anchor: "newest", num_before: 10, num_after: 0, narrow: [], op: "add", flag: "read" };
    expectError(await ann.client.post("/messages/flags/narrow", { ...params, narrow: [["x", 1]] }), 400, "BAD_NARROW");
    expectError(await ann.client.post("/messages/flags/narrow", { ...params, num_before: 5001 }), 400, "BAD_REQUEST");
    expectError(
      await ann.client.post("/messages/flags/narrow", { ...params, num_after: -5 }),
      400,
      "REQUEST_VARIABLE_INVALID",
    );
  });
});

describe("marking everything read", () => {
  it("mark_topic_as_read reads that topic, without regard to case", async () => {
    const ids = [await send(bob, inTeam("Whole")), await send(bob, inTeam("part"))];
    const { eventsOf } = await assertConverges({
      observers: [ann.client],
      act: async () =>
        expectSuccess(await ann.client.post("/mark_topic_as_read", { stream_id: team.id, topic_name: "whole" })),
    });
    expect(eventsOf(ann.client)).toMatchObject([{ messages: [ids[0]], all: false }]);
    expect(await flagsOf(ann, ids[1]!)).toEqual([]);
  });

  it("mark_stream_as_read reads the channel and nothing else", async () => {
    const inside = await send(bob, inTeam("a"));
    const outside = await send(bob, toPeople(ann));
    await assertConverges({
      observers: [ann.client],
      act: async () => expectSuccess(await ann.client.post("/mark_stream_as_read", { stream_id: team.id })),
    });
    expect(await flagsOf(ann, inside)).toEqual(["read"]);
    expect(await flagsOf(ann, outside)).toEqual([]);
    const later = await send(bob, inTeam("a"));
    expect(await flagsOf(ann, later)).toEqual([]);
  });

  it("both refuse a channel that the user cannot see", async () => {
    for (const stream_id of [closed.id, 999_999]) {
      expectError(await ann.client.post("/mark_stream_as_read", { stream_id }), 400, "BAD_REQUEST");
      expectError(await ann.client.post("/mark_topic_as_read", { stream_id, topic_name: "t" }), 400, "BAD_REQUEST");
    }
  });

  it("mark_all_as_read: one event with all and no ids, complete in the answer", async () => {
    const ids = [await send(bob, inTeam("b")), await send(bob, toPeople(ann)), await send(bob, toPeople(ann, cid))];
    const { result, eventsOf } = await assertConverges({
      observers: [ann.client, cid.client],
      act: async () => expectSuccess(await ann.client.post("/mark_all_as_read")),
    });
    expect(result["complete"]).toBe(true);
    expect(eventsOf(ann.client)).toMatchObject([{ op: "add", flag: "read", messages: [], all: true }]);
    expect(eventsOf(cid.client)).toEqual([]);
    for (const id of ids) expect(await flagsOf(ann, id)).toEqual(["read"]);
    expect(await flagsOf(cid, ids[2]!)).toEqual([]);
    expect(await flagsOf(ann, await send(bob, toPeople(ann)))).toEqual([]);
  });
});

const send = async (from: Person, params: Record<string, unknown>): Promise<number> =>
  expectSuccess(await from.client.post("/messages", { content: "hello", ...params }))["id"] as number;
const inTeam = (topic = "work") => ({ type: "channel", to: team.id, topic });
const toPeople = (...people: Person[]) => ({ type: "direct", to: people.map(({ id }) => id) });

const setFlag = (who: Person, op: string, flag: string, messages: number[]) =>
  who.client.post("/messages/flags", { messages, op, flag });

async function flagsOf(who: Person, id: number): Promise<string[]> {
  const { message } = expectSuccess(await who.client.get(`/messages/${id}`)) as { message: { flags: string[] } };
  return message.flags;
}
