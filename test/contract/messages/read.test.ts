/** GET /messages, matches_narrow and render: anchors and shapes. https://zulip.com/api/get-messages */
import { describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type ReadMessages, readingRoom } from "../../support/rooms/reading.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner, ann, bob, team, ten, ask, get, post, idsOf } = readingRoom(server);

describe("Anchor rules", () => {
  it("newest: the last ones, num_after counts as 0, anchor is the newest value", async () => {
    const answer = await get(bob, { anchor: "newest", num_before: 3, num_after: 50 });
    expect(idsOf(answer)).toEqual(ten.slice(7));
    expect(answer).toMatchObject({ anchor: NEWEST, found_anchor: false, found_oldest: false, found_newest: true });
    expect(answer.history_limited).toBe(false);
  });

  it("larger numbers are clipped to the newest value, negative ones to 0", async () => {
    for (const anchor of [NEWEST, 1e17, "99999999999999999999"])
      expect(await get(bob, { anchor, num_before: 1, num_after: 1 })).toMatchObject({
        anchor: NEWEST,
        found_newest: true,
      });
    expect(await get(bob, { anchor: -7, num_after: 2 })).toMatchObject({ anchor: 0, found_oldest: true });
  });

  it("oldest: the first ones, anchor 0", async () => {
    const answer = await get(bob, { anchor: "oldest", num_before: 5, num_after: 2 });
    expect(idsOf(answer)).toEqual(ten.slice(0, 2));
    expect(answer).toMatchObject({ anchor: 0, found_anchor: false, found_oldest: true, found_newest: false });
  });

  it("an id: both sides of it, and itself", async () => {
    const answer = await get(bob, { anchor: ten[4], num_before: 2, num_after: 3 });
    expect(idsOf(answer)).toEqual(ten.slice(2, 8));
    expect(answer).toMatchObject({ anchor: ten[4], found_anchor: true, found_oldest: false, found_newest: false });
  });

  it("an id that does not fit the narrow, or does not exist", async () => {
    const beside = ten[4]! + 1;
    const answer = await get(bob, { anchor: beside, num_before: 2, num_after: 2 });
    expect(idsOf(answer)).toEqual([ten[3], ten[4], ten[5], ten[6]]);
    expect(answer).toMatchObject({ anchor: beside, found_anchor: false });
    expect(await get(bob, { anchor: 1, num_before: 1, num_after: 1 })).toMatchObject({ found_oldest: true });
  });

  it("found_oldest and found_newest: fewer than asked for lay there", async () => {
    expect(await get(bob, { anchor: ten[2], num_before: 2 })).toMatchObject({ found_oldest: false });
    expect(await get(bob, { anchor: ten[2], num_before: 3 })).toMatchObject({ found_oldest: true });
    expect(await get(bob, { anchor: ten[7], num_after: 2 })).toMatchObject({ found_newest: false });
    expect(await get(bob, { anchor: ten[7], num_after: 3 })).toMatchObject({ found_newest: true });
  });

  it("include_anchor=false leaves it out, at an end only", async () => {
    const answer = await get(bob, { anchor: ten[4], num_after: 2, include_anchor: false });
    expect(idsOf(answer)).toEqual([ten[5], ten[6]]);
    expect(answer.found_anchor).toBe(false);
    expectError(
      await ask(bob, { anchor: ten[4], num_before: 1, num_after: 1, include_anchor: false }),
      400,
      "BAD_REQUEST",
    );
  });

  it("first_unread: the lowest unread message of the narrow, or the newest value", async () => {
    expectSuccess(await bob.client.post("/messages/flags", { messages: ten.slice(0, 6), op: "add", flag: "read" }));
    for (const params of [
      { anchor: "first_unread" },
      { anchor: 0, use_first_unread_anchor: true },
      { use_first_unread_anchor: true },
    ])
      expect(await get(bob, { ...params, num_before: 1, num_after: 1 })).toMatchObject({
        anchor: ten[6],
        found_anchor: true,
        messages: [{ id: ten[5] }, { id: ten[6] }, { id: ten[7] }],
      });
    expect((await get(bob, { anchor: "first_unread", narrow: [], num_after: 1 })).anchor).toBe(ten[0]! + 1);
    const read = await get(owner, { anchor: "first_unread", num_before: 2 });
    expect(read).toMatchObject({ anchor: NEWEST, found_newest: true });
    expect(idsOf(read)).toEqual(ten.slice(8));
  });

  it("first_unread passes over what the reader muted, in a channel only muted topics", async () => {
    const cid = await server.addUser("Cid");
    const room = await server.addChannel("loud", [ann, cid]);
    const [noise, plain] = [await ann.say(room, "n", "noise"), await ann.say(room, "p", "plain")];
    const direct = await ann.say([cid], "d");
    // From memory and from PostgreSQL.
    const anchors = async (narrow: unknown[] = []) => {
      const both = [narrow, [...narrow, { operator: "search", operand: "nowhere", negated: true }]];
      return Promise.all(both.map(async (one) => (await get(cid, { anchor: "first_unread", narrow: one })).anchor));
    };
    const channel = [["channel", room]];
    expect(await anchors()).toEqual([noise, noise]);
    expectSuccess(await cid.client.post("/user_topics", { stream_id: room, topic: "NOISE", visibility_policy: 1 }));
    expect(await anchors()).toEqual([plain, plain]);
    expect(await anchors(channel)).toEqual([plain, plain]);
    const subscription_data = [{ stream_id: room, property: "is_muted", value: true }];
    expectSuccess(await cid.client.post("/users/me/subscriptions/properties", { subscription_data }));
    expect(await anchors()).toEqual([direct, direct]);
    expect(await anchors(channel)).toEqual([plain, plain]);
    expectSuccess(await cid.client.post("/user_topics", { stream_id: room, topic: "plain", visibility_policy: 2 }));
    expect(await anchors()).toEqual([plain, plain]);
    await cid.unsubscribe("loud");
    expect(await anchors()).toEqual([direct, direct]);
  });

  it("is:unread is found on both sides of every anchor", async () => {
    const dan = await server.addUser("Dan");
    const room = await server.addChannel("unread", [ann, dan]);
    const ids: number[] = [];
    for (const text of ["a", "b", "c"]) ids.push(await ann.say(room, text));
    expectSuccess(await dan.client.post("/messages/flags", { messages: [ids[1]], op: "add", flag: "read" }));
    const sides = { num_before: 5, num_after: 5 };
    for (const narrow of [
      [["is", "unread"]],
      [
        ["channel", room],
        ["is", "unread"],
      ],
      [
        ["is", "unread"],
        ["sender", ann.id],
      ],
    ])
      for (const anchor of [
        { anchor: ids[1] },
        { anchor: "first_unread" },
        { anchor: "date", anchor_date: "2026-01-01" },
      ])
        expect(idsOf(await get(dan, { ...anchor, ...sides, narrow }))).toEqual([ids[0], ids[2]]);
    const flags = { narrow: [["is", "unread"]], anchor: ids[1], ...sides, op: "add", flag: "read" };
    expect(expectSuccess(await dan.client.post("/messages/flags/narrow", flags))["processed_count"]).toBe(2);
  });

  it("null stands for a parameter that is left out", async () => {
    expect(
      await get(bob, { anchor: null, use_first_unread_anchor: true, narrow: null, message_ids: null }),
    ).toMatchObject({
      found_anchor: true,
    });
    expectError(await ask(bob, { anchor: null }), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("at most 5000 messages", async () => {
    expectSuccess(await ask(bob, { anchor: "newest", num_before: 5000 }));
    expectError(await ask(bob, { anchor: "newest", num_before: 4000, num_after: 1001 }), 400, "BAD_REQUEST");
  });

  it("parameters that are missing or do not parse", async () => {
    const error = expectError(await ask(bob, {}), 400, "REQUEST_VARIABLE_MISSING");
    expect(error["var_name"]).toBe("anchor");
    for (const name of ["num_before", "num_after"]) {
      const missing = expectError(
        await ask(bob, { anchor: "newest", [name]: undefined }),
        400,
        "REQUEST_VARIABLE_MISSING",
      );
      expect(missing["var_name"]).toBe(name);
      const invalid = expectError(await ask(bob, { anchor: "newest", [name]: -5 }), 400, "REQUEST_VARIABLE_INVALID");
      expect(invalid).toMatchObject({ var_name: name, bad_value: "-5" });
    }
    expectError(await ask(bob, { anchor: "somewhere" }), 400);
    expectError(await ask(bob, { anchor: 1.5 }), 400);
  });

  it("message_ids: those that may be read, ascending, without an anchor", async () => {
    const direct = await post(ann, { type: "direct", to: [ann.id] });
    const answer = expectSuccess(
      await bob.client.get("/messages", { message_ids: [ten[3], ten[1], direct, 999_999_999, ten[1]] }),
    ) as unknown as ReadMessages;
    expect(idsOf(answer)).toEqual([ten[1], ten[3]]);
    const narrowed = expectSuccess(
      await bob.client.get("/messages", { message_ids: [ten[3]! + 1, ten[1]], narrow: [["topic", "ten"]] }),
    ) as unknown as ReadMessages;
    expect(idsOf(narrowed)).toEqual([ten[1]]);
  });

  it("message_ids are in place of a range: an anchor or numbers beside them are BAD_REQUEST", async () => {
    const ranges = [
      { anchor: "newest" },
      { num_before: 0 },
      { num_after: 1 },
      { use_first_unread_anchor: true },
      { include_anchor: false },
    ];
    for (const range of ranges)
      expectError(await bob.client.get("/messages", { message_ids: [ten[1]], ...range }), 400, "BAD_REQUEST");
    const plain = { anchor: null, num_before: null, use_first_unread_anchor: false, include_anchor: true };
    expectSuccess(await bob.client.get("/messages", { message_ids: [ten[1]], ...plain }));
  });
});

describe("Message", () => {
  const channelFields = [
    "avatar_url",
    "client",
    "content",
    "content_type",
    "display_recipient",
    "flags",
    "id",
    "is_me_message",
    "reactions",
    "recipient_id",
    "sender_email",
    "sender_full_name",
    "sender_id",
    "sender_realm_str",
    "stream_id",
    "subject",
    "submessages",
    "timestamp",
    "topic_links",
    "type",
  ];

  it("a channel message has exactly its fields", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "shape", content: "**bold** :tada:" });
    const [message] = (await get(bob, { anchor: id, narrow: [] })).messages;
    expect(Object.keys(message!).sort()).toEqual(channelFields);
    expect(message).toMatchObject({
      id,
      type: "stream",
      stream_id: team.id,
      display_recipient: "team",
      subject: "shape",
      sender_id: ann.id,
      sender_email: ann.email,
      sender_full_name: "Ann",
      content_type: "text/html",
      avatar_url: null,
      client: "ParleyTest",
      is_me_message: false,
      reactions: [],
      submessages: [],
      topic_links: [],
      flags: [],
    });
    expect(message!["content"]).toContain("<strong>bold</strong>");
  });

  it("a direct message names everyone in it, and has no channel", async () => {
    const id = await post(ann, { type: "direct", to: [bob.id] });
    const [message] = (await get(bob, { anchor: id, narrow: [] })).messages;
    expect(Object.keys(message!).sort()).toEqual(channelFields.filter((field) => field !== "stream_id"));
    expect(message).toMatchObject({
      type: "private",
      subject: "",
      display_recipient: [
        { id: ann.id, email: ann.email, full_name: "Ann", is_mirror_dummy: false },
        { id: bob.id, email: bob.email, full_name: "Bob", is_mirror_dummy: false },
      ],
    });
  });

  it("avatar_url is null only where a client can compute it: from a sender_email that is the real one", async () => {
    const shy = await server.addUser("Shy");
    const room = await server.addChannel("of the shy", [shy, bob]);
    expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 3 }));
    const queue = await bob.queue({ event_types: ["message"], client_gravatar: true });
    const { id } = expectSuccess(
      await shy.client.post("/messages", { type: "stream", to: room, topic: "here", content: "x" }),
    );
    const event = await bob.client.nextEvent(queue, ({ type }) => type === "message");
    expect(event["message"]).toMatchObject({ id, avatar_url: expect.stringContaining("identicon") });
    // An administrator knows the real address, but the message does not carry it.
    for (const [reader, picture] of [
      [bob, "/identicon.png"],
      [server.owner, "https://secure.gravatar.com/"],
    ] as const) {
      const { message } = expectSuccess(await reader.client.get(`/messages/${id}`)) as { message: JsonObject };
      expect(message["sender_email"]).not.toBe(shy.email);
      expect(message["avatar_url"]).toContain(picture);
    }
    expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 1 }));
    const { message } = expectSuccess(await bob.client.get(`/messages/${id}`)) as { message: JsonObject };
    expect(message).toMatchObject({ sender_email: shy.email, avatar_url: null });
  });

  it("apply_markdown=false gives the source, client_gravatar=false the avatar's address", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "shape", content: "**bold**" });
    const [message] = (await get(bob, { anchor: id, narrow: [], apply_markdown: false, client_gravatar: false }))
      .messages;
    expect(message).toMatchObject({ content: "**bold**", content_type: "text/x-markdown" });
    expect(message!["avatar_url"]).toMatch(/^https:\/\/secure\.gravatar\.com\//);
  });

  it("client_gravatar: where the sender's address is not shown, avatar_url is always there", async () => {
    const cursor = cursorOf(
      expectSuccess(await bob.client.post("/register", { event_types: ["message"], client_gravatar: true })),
    );
    for (const [visibility, avatar] of [
      [4, expect.stringContaining("identicon")],
      [1, null],
    ]) {
      expectSuccess(await ann.client.patch("/settings", { email_address_visibility: visibility }));
      const id = await post(ann, { type: "channel", to: team.id, topic: "shape", content: "look" });
      const [message] = (await get(bob, { anchor: id, narrow: [] })).messages;
      const [event] = await bob.drain(cursor);
      expect([message!["avatar_url"], (event!["message"] as Record<string, unknown>)["avatar_url"]]).toEqual([
        avatar,
        avatar,
      ]);
    }
  });

  it("allow_empty_topic_name: an empty topic is shown as such or under its display name", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "" });
    expect((await get(bob, { anchor: id, narrow: [] })).messages[0]!["subject"]).toBe("general chat");
    expect((await get(bob, { anchor: id, narrow: [], allow_empty_topic_name: true })).messages[0]!["subject"]).toBe("");
  });

  it("mention flags: by name, and channel wildcards for who received them", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "m", content: `@**Bob|${bob.id}** @**all**` });
    expect((await get(bob, { anchor: id, narrow: [] })).messages[0]!.flags).toEqual([
      "mentioned",
      "stream_wildcard_mentioned",
      "wildcard_mentioned",
    ]);
    expect((await get(owner, { anchor: id, narrow: [["channel", team.id]] })).messages[0]!.flags).toEqual([
      "read",
      "historical",
    ]);
  });

  it("topic wildcards reach who took part in the topic", async () => {
    await post(bob, { type: "channel", to: team.id, topic: "tw" });
    const id = await post(ann, { type: "channel", to: team.id, topic: "tw", content: "@**topic** hello" });
    expect((await get(bob, { anchor: id, narrow: [] })).messages[0]!.flags).toEqual([
      "topic_wildcard_mentioned",
      "wildcard_mentioned",
    ]);
  });

  it("the sender's copy is read if read_by_sender says so, for everyone else it is not", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "r", read_by_sender: true });
    expect((await get(ann, { anchor: id, narrow: [] })).messages[0]!.flags).toEqual(["read"]);
    expect((await get(bob, { anchor: id, narrow: [] })).messages[0]!.flags).toEqual([]);
    const unread = await post(ann, { type: "channel", to: team.id, topic: "r", read_by_sender: false });
    expect((await get(ann, { anchor: unread, narrow: [] })).messages[0]!.flags).toEqual([]);
  });

  it("has what people added: submessages of a widget", async () => {
    const widget_content = JSON.stringify({ widget_type: "poll", extra_data: { question: "?", options: [] } });
    const id = await post(ann, { type: "channel", to: team.id, topic: "w", content: "poll", widget_content });
    const [message] = (await get(bob, { anchor: id, narrow: [] })).messages;
    expect(message!["submessages"]).toEqual([
      { id: expect.any(Number), message_id: id, sender_id: ann.id, msg_type: "widget", content: widget_content },
    ]);
  });

  it("traps 9: a message can be fetched as soon as the send was answered", async () => {
    for (let index = 0; index < 5; index++) {
      const id = await post(ann, { type: "channel", to: team.id, topic: "now" });
      expect((await get(bob, { anchor: "newest", narrow: [], num_before: 1 })).messages[0]!.id).toBe(id);
    }
  });
});

const NEWEST = 10_000_000_000_000_000;
