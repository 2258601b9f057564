import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { RegisterState, WireEvent } from "../../support/convergence/client-state.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const [ann, bob] = server.people("Ann", "Bob");
const hall = server.channel("hall", [ann, bob]);
const attic = server.channel("attic", [bob]);
const cellar = server.channel("cellar", [bob], { invite_only: true });

describe("POST /register", () => {
  it("returns queue_id, last_event_id, idle_queue_timeout_secs and the feature level 496", async () => {
    const state = await queue();
    expect(state["queue_id"]).toBeTypeOf("string");
    expect(state["last_event_id"]).toBeTypeOf("number");
    expect(state).toMatchObject({ idle_queue_timeout_secs: 600, zulip_feature_level: 496 });
  });

  it("apply_markdown: Markdown by default, HTML when true", async () => {
    const [source, html] = [await queue(), await queue({ apply_markdown: true })];
    await say(hall.id, "**bold**");
    expect(messagesIn(await eventsOf(source))).toEqual(["**bold**"]);
    expect(messagesIn(await eventsOf(html))).toEqual(["<p><strong>bold</strong></p>"]);
  });

  it("client_gravatar: true by default, so that avatar_url of a gravatar is null", async () => {
    const avatarOf = async (params: JsonObject) => {
      const { realm_users } = await register({ event_types: [], fetch_event_types: ["realm_user"], ...params });
      return (realm_users as { user_id: number; avatar_url: unknown }[]).find(({ user_id }) => user_id === bob.id)!
        .avatar_url;
    };
    for (const params of [{}, { client_gravatar: true }, { client_gravatar: "null" }])
      expect(await avatarOf(params)).toBeNull();
    expect(await avatarOf({ client_gravatar: false })).toMatch(/^https:/);
  });

  it("include_subscribers: true, false or partial; false by default", async () => {
    const fieldsFor = async (params: JsonObject) => {
      const { subscriptions } = await register({ fetch_event_types: ["subscription"], ...params });
      return Object.keys((subscriptions as object[])[0]!).filter((name) => /^(partial_)?subscribers$/.test(name));
    };
    expect(await fieldsFor({})).toEqual([]);
    expect(await fieldsFor({ include_subscribers: "null" })).toEqual([]);
    expect(await fieldsFor({ include_subscribers: "true" })).toEqual(["subscribers"]);
    expect(await fieldsFor({ include_subscribers: "partial" })).toEqual(["subscribers"]);
    for (const wrong of ["yes", "", "1", "[]"])
      expectError(await ann.client.post("/register", { include_subscribers: wrong }), 400, "BAD_REQUEST");
  });

  it("event_types: the queue gets no other events, and unsupported types are ignored", async () => {
    const state = await queue({ event_types: ["typing", "no_such_type", ""] });
    await say(hall.id, "not for this queue");
    expectSuccess(await bob.client.post("/typing", { op: "start", to: [ann.id] }));
    expect((await eventsOf(state, 1)).map(({ type }) => type)).toEqual(["typing"]);
    for (const wrong of ["message", '"message"', "[5]", "[null]", "{}", "7"])
      expectError(await ann.client.post("/register", { event_types: wrong }), 400, "BAD_REQUEST");
  });

  it("fetch_event_types: what is fetched; falls back to event_types, and without either everything is", async () => {
    expect(partsOf(await register({ event_types: ["saved_snippets"] }))).toEqual(["saved_snippets"]);
    expect(
      partsOf(await register({ event_types: ["saved_snippets"], fetch_event_types: ["navigation_views"] })),
    ).toEqual(["navigation_views"]);
    expect(partsOf(await register({ event_types: ["message"], fetch_event_types: ["no_such_type"] }))).toEqual([]);
    const everything = partsOf(await register());
    expect(everything.length).toBeGreaterThan(150);
    expect(partsOf(await register({ event_types: "null", fetch_event_types: "null" }))).toEqual(everything);
  });

  it.each(["recent_private_conversations", "navigation_views", "saved_snippets", "subscriptions"])(
    "Register response: the list %s is present when its name is among the fetched types",
    async (name) => {
      expect((await register({ event_types: [], fetch_event_types: [name] }))[name]).toBeInstanceOf(Array);
      expect(await register({ event_types: [name], fetch_event_types: ["realm"] })).not.toHaveProperty(name);
    },
  );

  it("all_public_streams: messages of public channels that the user is not in, and of no others", async () => {
    const [own, all] = [await queue({ event_types: ["message"] }), await queue({ all_public_streams: true })];
    await say(attic.id, "in public");
    await say(cellar.id, "in private");
    await say(hall.id, "among us");
    expect(messagesIn(await eventsOf(own))).toEqual(["among us"]);
    expect(messagesIn(await eventsOf(all))).toEqual(["in public", "among us"]);
  });

  it("all_public_streams: a guest, who has no public channels but their own, gets nothing more", async () => {
    const gus = await server.addUser("Gus Guest", { role: 600 });
    const state = await register({ fetch_event_types: [], all_public_streams: true }, gus);
    await say(attic.id, "not for guests");
    expect(messagesIn(await gus.drain(cursorOf(state)))).toEqual([]);
    // Neither when the queue is brought back from the log.
    const again = await gus.client.events(state["queue_id"] as string, -1, { dontBlock: true });
    expect(messagesIn(again)).toEqual([]);
  });

  it.each<[string, unknown[], string[]]>([
    ["channel", [["channel", "hall"]], ["one", "two", "empty"]],
    ["channel, in another case", [["stream", "HALL"]], ["one", "two", "empty"]],
    ["a channel that the user is not in", [["channel", "attic"]], []],
    ["topic", [["topic", "Two"]], ["two"]],
    ["the empty topic, under the name that it is shown by", [["topic", "general chat"]], ["empty"]],
    ["is dm", [["is", "dm"]], ["direct"]],
    [
      "two pairs",
      [
        ["channel", "hall"],
        ["topic", "one"],
      ],
      ["one"],
    ],
    ["sender", [["sender", "bob@example.com"]], ["one", "two", "empty", "direct"]],
    ["dm with somebody", [["dm", "bob@example.com"]], ["direct"]],
    [
      "what leaves nothing",
      [
        ["is", "dm"],
        ["channel", "hall"],
      ],
      [],
    ],
    [
      "a word of is that a newer server knows",
      [["is", "nothing"], { operator: "is", operand: "new", negated: true }],
      ["one", "two", "empty", "direct"],
    ],
    ["the other way round", [{ operator: "is", operand: "dm", negated: true }], ["one", "two", "empty"]],
  ])("narrow by %s", async (_what, narrow, expected) => {
    const state = await queue({ narrow });
    await say(hall.id, "one", "one");
    await say(hall.id, "two", "two");
    await say(hall.id, "empty", "");
    await say(attic.id, "elsewhere");
    await say([ann.id], "direct");
    const events = await eventsOf(state);
    expect(messagesIn(events)).toEqual(expected);
  });

  it("narrow by dm: the reader is in it, named or not", async () => {
    const { id: me, email: mine } = ann;
    const { id: other, email } = bob;
    const finding = [other, [other], [other, me], [me, other], email, `${email}, ${mine}`, [email, mine]];
    const queues = await Promise.all(finding.map((operand) => queue({ narrow: [["dm", operand]] })));
    const own = await queue({ narrow: [["dm", [me]]] });
    await say([ann.id], "direct");
    for (const state of queues) expect(messagesIn(await eventsOf(state))).toEqual(["direct"]);
    await ann.say([ann], "to myself");
    expect(messagesIn(await eventsOf(own))).toEqual(["to myself"]);
  });

  it("narrow by is:muted: topics and channels, as the reader has them when the message comes", async () => {
    const muted = await queue({ narrow: [["is", "muted"]] });
    const others = await queue({ narrow: [{ operator: "is", operand: "muted", negated: true }] });
    const policy = async (topic: string, visibility_policy: number) =>
      expectSuccess(await ann.client.post("/user_topics", { stream_id: hall.id, topic, visibility_policy }));
    const mute = async (value: boolean) => {
      const subscription_data = [{ stream_id: hall.id, property: "is_muted", value }];
      expectSuccess(await ann.client.post("/users/me/subscriptions/properties", { subscription_data }));
    };
    await policy("Noise", 1);
    await say(hall.id, "muted topic", "noise");
    await say(hall.id, "plain", "plain");
    await mute(true);
    await policy("wanted", 2);
    await say(hall.id, "muted channel", "plain");
    await say(hall.id, "unmuted topic", "WANTED");
    await say([ann.id], "direct");
    await mute(false);
    for (const topic of ["Noise", "wanted"]) await policy(topic, 0);
    expect(messagesIn(await eventsOf(muted))).toEqual(["muted topic", "muted channel"]);
    expect(messagesIn(await eventsOf(others))).toEqual(["plain", "unmuted topic", "direct"]);
  });

  it("narrow is about messages alone", async () => {
    const state = await queue({ narrow: [["channel", "attic"]], event_types: ["message", "typing"] });
    expectSuccess(await bob.client.post("/typing", { op: "start", to: [ann.id] }));
    expect((await eventsOf(state, 1)).map(({ type }) => type)).toEqual(["typing"]);
  });

  it("narrow: what a queue cannot be narrowed by is BAD_NARROW, what is no list of pairs BAD_REQUEST", async () => {
    const refused = (narrow: unknown) => ann.client.post("/register", { fetch_event_types: [], narrow });
    for (const term of [
      ["search", "x"],
      ["channel", {}],
      ["channel", ["hall"]],
      ["sender", null],
    ])
      expect(expectError(await refused([term]), 400, "BAD_NARROW")["desc"]).toBeTypeOf("string");
    expectError(await refused(Array(101).fill(["is", "dm"])), 400, "BAD_NARROW");
    for (const wrong of ["x", {}, ["is", "dm"], [["is", "dm", "x"]], [[1, 2]], [[]]])
      expectError(await refused(wrong), 400, "BAD_REQUEST");
  });

  it("idle_queue_timeout: seconds, echoed, at most a week; or mobile", async () => {
    const granted = async (idle_queue_timeout: unknown) =>
      (await queue({ idle_queue_timeout }))["idle_queue_timeout_secs"];
    for (const [asked, secs] of [
      [3, 3],
      [604_800, 604_800],
      [604_801, 604_800],
      ["mobile", 43_200],
      ['"mobile"', 43_200],
      ["null", 600],
    ])
      expect(await granted(asked)).toBe(secs);
    for (const wrong of [0, -1, 1.5, "soon", "true", "[]", ""])
      expectError(await ann.client.post("/register", { idle_queue_timeout: wrong }), 400, "BAD_REQUEST");
  });

  it("client_capabilities: booleans; those of later servers are ignored, anything else is refused", async () => {
    await queue({ client_capabilities: { archived_channels: true, of_some_later_level: true } });
    for (const wrong of ["[]", "true", "7", '{"archived_channels":"true"}', '{"archived_channels":1}'])
      expectError(await ann.client.post("/register", { client_capabilities: wrong }), 400, "BAD_REQUEST");
  });
});

describe("the events of a queue", () => {
  it("2. a poll that hears nothing else is told so by a heartbeat within a minute", async () => {
    const state = await queue({ event_types: ["saved_snippets"] });
    const { environment } = server.server.app.system;
    const steady = environment.steady;
    const queues = memoryOf(await server.realm(), eventQueues);
    const registered = () => queues.census().live + queues.census().idle;
    const before = registered();
    await queue({ idle_queue_timeout: 20 });
    let isAnswered = false;
    const answered = ann.client.events(state["queue_id"] as string, state["last_event_id"] as number).finally(() => {
      isAnswered = true;
    });
    // Until the poll waits, no time passes for it.
    await expect.poll(() => queues.census().parked).toBe(1);
    try {
      environment.steady = () => steady() + 30;
      // The other queue is collected: whatever is due after half a minute has happened.
      await expect.poll(registered, { timeout: 60_000 }).toBeLessThanOrEqual(before);
      expect(isAnswered).toBe(false);
      environment.steady = () => steady() + 56;
      expect(await answered).toEqual([{ type: "heartbeat", id: expect.any(Number) }]);
    } finally {
      environment.steady = steady;
    }
  });
});

const register = (params: JsonObject = {}, person = ann) => person.client.register(params);
/** A queue and nothing else. */
const queue = (params: JsonObject = {}) => register({ fetch_event_types: [], ...params });
const say = async (to: number | number[], content: string, topic = "t", from = bob) => {
  const type = Array.isArray(to) ? "direct" : "channel";
  return expectSuccess(await from.client.post("/messages", { type, to, topic, content }))["id"] as number;
};
const eventsOf = (state: RegisterState, least?: number) => ann.drain(cursorOf(state), least);
const messagesIn = (events: WireEvent[]) =>
  events.filter(({ type }) => type === "message").map((event) => (event["message"] as { content: string }).content);
/** The fields of an answer that are not about the queue. */
const partsOf = (state: RegisterState) =>
  Object.keys(state).filter(
    (name) => !/^(result|msg|zulip_.*|queue_id|last_event_id|idle_queue_timeout_secs)$/.test(name),
  );
