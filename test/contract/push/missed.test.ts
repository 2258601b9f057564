/** Notifications on phones: who gets which, once, and no longer. https://zulip.com/api/mobile-notifications */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient, cursorOf, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { TestRelay } from "../../support/server/push-relay.ts";
import { testServer } from "../../support/server/server.ts";
import { allAreTold } from "../../support/server/told.ts";
import { until } from "../../support/time/until.ts";

const relay = new TestRelay();
beforeAll(() => relay.start());
const server = testServer({ environment: () => ({ PARLEY_PUSH_RELAY_URL: relay.url }), nodeCount: 2 });
const { owner } = server;
const [ada] = server.people("Ada");
beforeEach(() => void (relay.answer = () => ({ status: 200, body: {} })));
afterAll(() => relay.stop());

describe("a phone", () => {
  it("gets a direct message sealed, and loses it when it is read elsewhere", async () => {
    const bob = await someone();
    const phone = await relay.phoneOf(bob);
    const first = await send(ada, { type: "direct", to: [bob.id], content: "**hi** & ||`x`" });
    const second = await send(ada, { type: "direct", to: [bob.id, owner.id], content: "all three" });
    const got = await phone.get(2);
    const about = (id: number) => got.find(({ says }) => says["message_id"] === id)!;
    expect(about(first).says).toEqual({
      type: "message",
      recipient_type: "direct",
      recipient_user_ids: [ada.id, bob.id].sort((a, b) => a - b),
      message_id: first,
      content: "hi & ||x",
      time: expect.any(Number),
      sender_id: ada.id,
      sender_full_name: "Ada",
      sender_avatar_url: expect.stringMatching(/^https?:\/\//),
      realm_name: "Parley",
      realm_url: server.nodes[0]!.app.config.externalUrl,
      user_id: bob.id,
    });
    const everybody = [ada.id, bob.id, owner.id].sort((a, b) => a - b);
    expect(about(second).says).toMatchObject({ content: "all three", recipient_user_ids: everybody });
    expect(about(first).sees).toMatchObject({ priority: "high", id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(JSON.stringify(relay.taken)).not.toContain("all three");
    expect((await counts(bob)).shown).toBe(2);
    await read(bob, first);
    const removal = (await phone.get(3))[2]!;
    expect(removal.says).toEqual({
      type: "remove",
      message_ids: [first],
      realm_name: "Parley",
      realm_url: expect.any(String),
      user_id: bob.id,
    });
    expect(removal.sees).toMatchObject({ priority: "normal", badge: 1 });
    expectSuccess(await owner.client.delete(`/messages/${second}`));
    expect((await phone.get(4))[3]).toMatchObject({ says: { message_ids: [second] }, sees: { badge: 0 } });
    expect(await counts(bob)).toEqual({ shown: 0, waiting: 0 });
  });

  it("gets a channel's message with its place, the group that mentions its owner, and what is hidden left out", async () => {
    const bob = await someone();
    const phone = await relay.phoneOf(bob);
    const room = await server.addChannel("plans", [ada, bob]);
    expectSuccess(
      await owner.client.post("/user_groups/create", { name: "crew", description: "", members: [bob.id, ada.id] }),
    );
    const { user_groups } = expectSuccess(await owner.client.get("/user_groups"));
    const group = (user_groups as { id: number; name: string }[]).find(({ name }) => name === "crew")!;
    await send(ada, { type: "channel", to: room, topic: "x", content: "@*crew*\n```spoiler top\nsecret\n```" });
    const [got] = await phone.get(1);
    expect(got!.says).toMatchObject({
      recipient_type: "channel",
      channel_id: room,
      channel_name: "plans",
      topic: "x",
      mentioned_user_group_id: group.id,
      mentioned_user_group_name: "crew",
      content: "@crew\ntop\n(…)",
    });
    await send(ada, { type: "channel", to: room, topic: "x", content: `@**${bob.name}** @*crew* ${"é".repeat(300)}` });
    const { says } = (await phone.get(2))[1]!;
    expect(says["mentioned_user_group_id"]).toBeUndefined();
    expect([...(says["content"] as string)]).toHaveLength(201);
  });

  it("without a key gets both older forms, with a badge; not the words where those are to be sealed", async () => {
    const bob = await someone();
    expectSuccess(await bob.client.post("/users/me/android_gcm_reg_id", { token: `fcm ${bob.id}` }));
    expectSuccess(await bob.client.post("/users/me/apns_device_token", { token: "c0ffee", appid: "org.zulip.Zulip" }));
    const room = await server.addChannel("older", [ada, bob]);
    const id = await send(ada, { type: "channel", to: room, topic: "t", content: `@**${bob.name}** look` });
    const [body] = await tokensOf(bob, 1);
    (body!["tokens"] as { kind: string }[]).sort((a, b) => (a.kind < b.kind ? -1 : 1));
    const shared = {
      server: new URL(server.nodes[0]!.app.config.externalUrl).host,
      realm_id: expect.any(Number),
      realm_name: "Parley",
      realm_uri: body!["realm_url"],
      realm_url: body!["realm_url"],
      user_id: bob.id,
      sender_id: ada.id,
      sender_email: expect.stringContaining("@"),
      time: expect.any(Number),
      recipient_type: "stream",
      stream: "older",
      stream_id: room,
      topic: "t",
    };
    expect(body).toEqual({
      id: expect.any(String),
      realm_url: expect.stringMatching(/^http/),
      tokens: [
        { kind: "apns", token: "c0ffee", appid: "org.zulip.Zulip" },
        { kind: "fcm", token: `fcm ${bob.id}`, appid: null },
      ],
      gcm_options: { priority: "high" },
      gcm_payload: {
        ...shared,
        event: "message",
        zulip_message_id: id,
        content: `@${bob.name} look`,
        content_truncated: false,
        sender_full_name: "Ada",
        sender_avatar_url: expect.stringMatching(/^http/),
      },
      apns_payload: {
        alert: { title: "#older > t", subtitle: "Ada mentioned you:", body: `@${bob.name} look` },
        sound: "default",
        badge: 1,
        custom: { zulip: { ...shared, message_ids: [id] } },
      },
    });
    await read(bob, id);
    const removal = (await tokensOf(bob, 2))[1]!;
    expect(removal["gcm_payload"]).toMatchObject({ event: "remove", zulip_message_ids: String(id) });
    expect(removal["apns_payload"]).toMatchObject({ badge: 0, custom: { zulip: { event: "remove" } } });
    expectSuccess(await owner.client.patch("/realm", { require_e2ee_push_notifications: true }));
    await send(ada, { type: "direct", to: [bob.id], content: "for nobody else" });
    expect((await tokensOf(bob, 3))[2]!["gcm_payload"]).toMatchObject({ content: "New message" });
    expectSuccess(await owner.client.patch("/realm", { require_e2ee_push_notifications: false }));
  });

  it("is told by its owner's settings of channels, topics, mentions, words and people, here or away", async () => {
    const room = await server.addChannel("settings", [ada]);
    const none = { enable_offline_push_notifications: false, automatically_follow_topics_where_mentioned: false };
    const isHere = (bob: Person) => bob.client.post("/users/me/presence", { status: "active", new_user_input: true });
    const cases: [name: string, settle: (bob: Person) => Promise<unknown>, content: string, isTold: boolean][] = [
      ["a plain message", async () => {}, "plain", false],
      ["@all", async () => {}, "@**all**", true],
      ["@all in a muted channel", (bob) => subscription(bob, room, "is_muted", true), "@**all**", false],
      ["@all, not wanted", (bob) => settings(bob, { wildcard_mentions_notify: false }), "@**all**", false],
      ["@all, not wanted here", (bob) => subscription(bob, room, "wildcard_mentions_notify", false), "@**all**", false],
      ["a mention", async () => {}, "@**BOB**", true],
      ["a mention in a muted topic", (bob) => topicPolicy(bob, room, 1), "@**BOB**", true],
      ["a mention, not wanted", (bob) => settings(bob, none), "@**BOB**", false],
      ["a silent mention", async () => {}, "@_**BOB**", false],
      ["a mention by somebody muted", (bob) => bob.client.post(`/users/me/muted_users/${ada.id}`), "@**BOB**", false],
      ["a word", (bob) => bob.client.post("/users/me/alert_words", { alert_words: ["lunch"] }), "Lunch?", true],
      [
        "a word in a muted topic",
        async (bob) => {
          await bob.client.post("/users/me/alert_words", { alert_words: ["lunch"] });
          await topicPolicy(bob, room, 1);
        },
        "Lunch?",
        false,
      ],
      ["a followed topic", (bob) => topicPolicy(bob, room, 3), "plain", true],
      [
        "a followed topic, not wanted",
        async (bob) => {
          await topicPolicy(bob, room, 3);
          await settings(bob, { enable_followed_topic_push_notifications: false });
        },
        "plain",
        false,
      ],
      ["a channel", (bob) => subscription(bob, room, "push_notifications", true), "plain", true],
      ["every channel", (bob) => settings(bob, { enable_stream_push_notifications: true }), "plain", true],
      ["a mention while here", isHere, "@**BOB**", true],
      [
        "a mention while here, not wanted",
        async (bob) => {
          await settings(bob, { enable_online_push_notifications: false });
          await isHere(bob);
        },
        "@**BOB**",
        false,
      ],
    ];
    const told: [string, boolean][] = [];
    for (const [name, settle, content] of cases) {
      const bob = await someone();
      const phone = await relay.phoneOf(bob);
      await subscribe(bob, "settings");
      await settle(bob);
      const words = content.replace("BOB", bob.name);
      const id = await send(ada, { type: "channel", to: room, topic: "case", content: words });
      await sent();
      told.push([name, phone.got().some(({ says }) => says["message_id"] === id)]);
      // Nobody is told of what the next one is about.
      await unsubscribe(bob, "settings");
    }
    expect(told).toEqual(cases.map(([name, , , isTold]) => [name, isTold]));
  });

  it("is told of nothing that is read, or not theirs to read any more, when the relay is back; each once", async () => {
    const bob = await someone();
    const phone = await relay.phoneOf(bob);
    await server.addChannel("secret", [ada, bob], { invite_only: true });
    relay.answer = () => ({ status: 503, body: {} });
    const left = await send(ada, { type: "channel", to: "secret", topic: "t", content: `left @**${bob.name}**` });
    const seen = await send(ada, { type: "direct", to: [bob.id], content: "read meanwhile" });
    const asked = relay.asked;
    await send(ada, { type: "direct", to: [bob.id], content: "this one" });
    await until("the relay to be asked", () => relay.asked > asked, 120_000);
    await read(bob, seen);
    await unsubscribe(bob, "secret");
    // What was begun before that is refused first: it is its node's for half a minute, and waits for less after that.
    await until("nothing to be under way", async () => {
      const begun = await server.database.sql`
        select from push_notifications where next_attempt_at > extract(epoch from clock_timestamp()) + 15`;
      return begun.length === 0;
    });
    relay.answer = () => ({ status: 200, body: {} });
    await sent();
    const ids = phone.got().map(({ says }) => says["message_id"]);
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain(left);
    expect(phone.got()[0]!.says["content"]).toBe("this one");
  });

  it("that the relay does not know any more is forgotten, which its client is told; so is a token", async () => {
    const bob = await someone();
    const phone = await relay.phoneOf(bob);
    const kept = await relay.phoneOf(bob);
    for (const token of ["gone", "kept"])
      expectSuccess(await bob.client.post("/users/me/android_gcm_reg_id", { token: `${token} ${bob.id}` }));
    const { email, apiKey } = bob;
    const mobile = new ApiClient({ url: server.url, email, apiKey, userAgent: "ZulipFlutter/1.0" });
    const queue = cursorOf(await mobile.register());
    relay.answer = (body) =>
      body["devices"]
        ? { status: 200, body: { delete_device_ids: [phone.id, owner.id] } }
        : { status: 200, body: { deleted_devices: { android_devices: [`gone ${bob.id}`], apple_devices: "no list" } } };
    await send(ada, { type: "direct", to: [bob.id], content: "hello" });
    await phone.get(1);
    await sent();
    const events = (await mobile.drain(queue)).filter(({ type }) => type === "device");
    expect(events).toEqual([{ type: "device", op: "remove", device_id: phone.id, id: expect.any(Number) }]);
    const state = await bob.client.register({ fetch_event_types: ["device"] });
    expect(Object.keys(state["devices"] as object)).toEqual([String(kept.id)]);
    const tokens = await server.database.sql`select token from push_tokens where user_id = ${bob.id}`;
    expect(tokens).toEqual([{ token: `kept ${bob.id}` }]);
  });
});

let people = 0;
/** Somebody who has never been seen online. */
const someone = () => server.addUser(`Person ${++people}`);
const settings = async (bob: Person, values: JsonObject) => expectSuccess(await bob.client.patch("/settings", values));
const topicPolicy = async (bob: Person, stream_id: number, visibility_policy: number) =>
  expectSuccess(await bob.client.post("/user_topics", { stream_id, topic: "case", visibility_policy }));
const subscription = async (bob: Person, stream_id: number, property: string, value: boolean) =>
  expectSuccess(
    await bob.client.post("/users/me/subscriptions/properties", {
      subscription_data: [{ stream_id, property, value }],
    }),
  );
const subscribe = async (bob: Person, name: string) =>
  expectSuccess(
    await owner.client.post("/users/me/subscriptions", { subscriptions: [{ name }], principals: [bob.id] }),
  );
const unsubscribe = async (bob: Person, name: string) =>
  expectSuccess(await owner.client.delete("/users/me/subscriptions", { subscriptions: [name], principals: [bob.id] }));
const send = async (by: Person, params: JsonObject) =>
  expectSuccess(await by.client.post("/messages", params))["id"] as number;
const read = async (bob: Person, id: number) =>
  expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));

/** What the relay got for somebody's tokens, when there is as much. */
async function tokensOf(bob: Person, count: number): Promise<JsonObject[]> {
  const got = () =>
    relay.taken.filter((body) => (body["gcm_payload"] as JsonObject | undefined)?.["user_id"] === bob.id);
  await until(`${count} for their tokens`, () => got().length >= count, 120_000);
  return got();
}

/** What somebody's phones show, and what waits for them, when all is quiet. */
async function counts(bob: Person): Promise<{ shown: number; waiting: number }> {
  await sent();
  const [row] = await server.database.sql<{ shown: number; waiting: number }[]>`
    select (select count(*)::int from shown_notifications where user_id = ${bob.id}) as shown,
      (select count(*)::int from push_notifications where user_id = ${bob.id}) as waiting`;
  return row!;
}

const sent = () => allAreTold(server.database.sql);
