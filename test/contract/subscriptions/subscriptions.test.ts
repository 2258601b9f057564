import { describe, expect, it } from "vitest";
import { subscriptionNotificationSettings } from "../../../storage/rows.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN, registerParams } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { registerProblems } from "../../support/convergence/event-shapes.ts";
import type { Person } from "../../support/people/person.ts";
import { subscriptionRoom } from "../../support/rooms/subscriptions.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "streams"] });
const room = subscriptionRoom(server);
const { owner, admin, anna, bert, guest, gone } = room;
const { fresh, subscribe, unsubscribe, isSubscribed, idOf, group, kinds, everyone } = room;

describe("POST /users/me/subscriptions", () => {
  it("subscribes the caller, and answers by user ID", async () => {
    const name = fresh("open");
    await server.addChannel(name, [owner]);
    const reply = expectSuccess(await subscribe(anna, [name]));
    expect(reply).toMatchObject({ subscribed: { [anna.id]: [name] }, already_subscribed: {} });
    const again = expectSuccess(await subscribe(anna, [name.toUpperCase()]));
    expect(again).toMatchObject({ subscribed: {}, already_subscribed: { [anna.id]: [name] } });
  });

  it("takes the multipart body of the JavaScript client", async () => {
    const name = fresh("multipart");
    const response = await anna.client.post(
      "/users/me/subscriptions",
      { subscriptions: [{ name }] },
      { encoding: "multipart" },
    );
    expect(expectSuccess(response)["subscribed"]).toEqual({ [anna.id]: [name] });
  });

  it("makes a channel that does not exist, with the options of the request", async () => {
    const name = fresh("made");
    const nobody = await group("role:nobody");
    const reply = await anna.client.post("/users/me/subscriptions", {
      subscriptions: [{ name, description: "What for", color: "#AbC" }],
      invite_only: true,
      history_public_to_subscribers: false,
      can_remove_subscribers_group: nobody,
    });
    expectSuccess(reply);
    const { subscriptions } = expectSuccess(await anna.client.get("/users/me/subscriptions"));
    const mine = (subscriptions as JsonObject[]).find((one) => one["name"] === name);
    expect(mine).toMatchObject({
      description: "What for",
      color: "#aabbcc",
      invite_only: true,
      history_public_to_subscribers: false,
      creator_id: anna.id,
      can_remove_subscribers_group: nobody,
      subscriber_count: 1,
    });
  });

  it("principals: by id or by email, active people whom the caller may know", async () => {
    const name = fresh("principals");
    await server.addChannel(name, [owner]);
    expect(expectSuccess(await subscribe(anna, [name], { principals: [bert.id] }))["subscribed"]).toEqual({
      [bert.id]: [name],
    });
    expect(expectSuccess(await subscribe(anna, [name], { principals: [guest.email] }))["subscribed"]).toEqual({
      [guest.id]: [name],
    });
    for (const principals of [[gone.id], [gone.email], [999_999], ["nobody@example.com"], [[1]], "x"])
      expectError(await subscribe(anna, [name], { principals }), 400, "BAD_REQUEST");
    expect(await isSubscribed(anna, await idOf(name))).toBe(false);
  });

  it("principals: an empty list means the caller, for subscribing and unsubscribing", async () => {
    const name = fresh("nobody named");
    await server.addChannel(name, [owner]);
    expect(expectSuccess(await subscribe(anna, [name], { principals: [] }))["subscribed"]).toEqual({
      [anna.id]: [name],
    });
    expect(expectSuccess(await unsubscribe(anna, [name], { principals: [] }))["removed"]).toEqual([name]);
  });

  it("an update is atomic: one bad name or color changes nothing", async () => {
    const name = fresh("atomic");
    const bad = [{ name }, { name: "" }];
    expectError(await anna.client.post("/users/me/subscriptions", { subscriptions: bad }), 400, "BAD_REQUEST");
    const color = [{ name, color: "red" }];
    expectError(await anna.client.post("/users/me/subscriptions", { subscriptions: color }), 400, "BAD_REQUEST");
    expectError(await anna.client.get("/get_stream_id", { stream: name }), 400);
  });

  it("a private channel is joined by those whom can_subscribe_group or can_add_subscribers_group names", async () => {
    const name = fresh("private");
    await server.addChannel(name, [owner], { invite_only: true });
    expectError(await subscribe(bert, [name]), 400, "BAD_REQUEST");
    expectError(await subscribe(admin, [name]), 400, "BAD_REQUEST");
    for (const setting of ["can_subscribe_group", "can_add_subscribers_group"]) {
      const joinable = fresh("joinable");
      const value = { direct_members: [bert.id], direct_subgroups: [] };
      await server.addChannel(joinable, [owner], { invite_only: true, [setting]: value });
      expectSuccess(await subscribe(bert, [joinable]));
    }
  });

  it("authorization_errors_fatal=false names what could not be joined and joins the rest", async () => {
    const secret = fresh("secret");
    const open = fresh("open");
    await server.addChannel(secret, [owner], { invite_only: true });
    await server.addChannel(open, [owner]);
    const reply = expectSuccess(await subscribe(bert, [secret, open], { authorization_errors_fatal: false }));
    expect(reply).toMatchObject({ subscribed: { [bert.id]: [open] }, unauthorized: [secret] });
    expectError(await subscribe(bert, [secret, open], { authorization_errors_fatal: true }), 400, "BAD_REQUEST");
  });

  it("adding others takes the organization's or the channel's can_add_subscribers_group", async () => {
    const name = fresh("adding");
    await server.addChannel(name, [owner]);
    const state = await server.state();
    expect(state.groupSetting("can_add_subscribers_group")).toBe(await group("role:members"));
    expectError(await subscribe(guest, [name], { principals: [bert.id] }), 400, "BAD_REQUEST");
    expectSuccess(await subscribe(anna, [name], { principals: [bert.id] }));
  });

  it("a guest cannot join a public channel or make one, but can be added", async () => {
    const name = fresh("for members");
    await server.addChannel(name, [owner]);
    expectError(await subscribe(guest, [name]), 400, "BAD_REQUEST");
    expectError(await subscribe(guest, [fresh("by guest")]), 400, "BAD_REQUEST");
    expectSuccess(await subscribe(owner, [name], { principals: [guest.id] }));
    expect(await isSubscribed(guest, await idOf(name))).toBe(true);
  });

  it("the notification bot tells those who were subscribed by others, unless told not to", async () => {
    const name = fresh("told");
    await server.addChannel(name, [owner]);
    const silent = expectSuccess(
      await subscribe(anna, [name], { principals: [bert.id], send_new_subscription_messages: false }),
    );
    expect(silent).not.toHaveProperty("new_subscription_messages_sent");
    expectSuccess(await unsubscribe(bert, [name]));
    const { observations, result } = await assertConverges({
      observers: [bert.client, anna.client],
      act: async () => expectSuccess(await subscribe(anna, [name], { principals: [bert.id, anna.id] })),
    });
    expect(result["new_subscription_messages_sent"]).toBe(true);
    for (const { observer, events } of observations) {
      const messages = events.filter(({ type }) => type === "message");
      expect(messages).toHaveLength(observer === bert.client ? 1 : 0);
    }
  });

  it("converges for every observer, for a public, a private and two new channels", async () => {
    const open = fresh("open");
    const secret = fresh("secret");
    await server.addChannel(open, [owner]);
    await server.addChannel(secret, [owner], { invite_only: true });
    const names = [open, secret, fresh("new a"), fresh("new b")];
    const { eventsOf } = await assertConverges({
      observers: everyone(),
      act: async () => expectSuccess(await subscribe(owner, names, { principals: [anna.id, guest.id] })),
    });
    expect(kinds(eventsOf(anna.client)).filter((kind) => kind === "subscription/add")).toHaveLength(1);
    const told = JSON.stringify([eventsOf(bert.client), eventsOf(bert.client, MODERN)]);
    expect(told).not.toContain(secret);
    expect(told).not.toContain(`[${await idOf(secret)}]`);
    const peers = eventsOf(bert.client).filter(({ op }) => op === "peer_add");
    expect(peers.flatMap((event) => event["stream_ids"] as number[]).sort()).toEqual(
      (await Promise.all([open, names[2]!, names[3]!].map(idOf))).sort(),
    );
    expect(kinds(eventsOf(guest.client))).not.toContain("subscription/peer_add");
  });

  it("a late joiner of a channel with protected history receives only what comes after", async () => {
    const name = fresh("protected");
    const channelId = await server.addChannel(name, [owner], {
      invite_only: true,
      history_public_to_subscribers: false,
    });
    const send = (content: string) =>
      owner.client.post("/messages", { type: "channel", to: channelId, topic: "t", content });
    expectSuccess(await send("before"));
    expectSuccess(await subscribe(owner, [name], { principals: [anna.id] }));
    const after = expectSuccess(await send("after"))["id"];
    const { sql } = server.database;
    const rows = await sql<{ id: number }[]>`
      select m.id from messages m join received r on r.recipient_id = m.recipient_id and r.ids @> m.id
      where r.user_id = ${anna.id} and m.channel_id = ${channelId}`;
    expect(rows.map(({ id }) => id)).toEqual([after]);
  });
});

describe("a subscription", () => {
  it.each([LEGACY, MOBILE, MODERN])("has exactly the fields of a client that is $name", async (profile) => {
    const name = fresh("record");
    const channelId = await server.addChannel(name, [anna, bert]);
    const answer = await anna.client.register(registerParams(profile));
    const mine = answer.subscriptions!.find(({ stream_id }) => stream_id === channelId)!;
    expect(registerProblems(answer, profile)).toEqual([]);
    expect(mine).toMatchObject({
      name,
      pin_to_top: false,
      is_muted: false,
      in_home_view: true,
      is_announcement_only: false,
      stream_post_policy: 1,
      stream_weekly_traffic: null,
      is_recently_active: true,
      can_remove_subscribers_group: await group("role:administrators"),
      can_add_subscribers_group: await group("role:nobody"),
    });
  });

  it("its notification settings are null until they are set, and then what was set", async () => {
    const name = fresh("settings");
    const channelId = await server.addChannel(name, [anna]);
    const settings = async () => {
      const { subscriptions } = await anna.client.register(registerParams(MODERN));
      const mine = subscriptions!.find(({ stream_id }) => stream_id === channelId)! as JsonObject;
      return subscriptionNotificationSettings.map((setting) => mine[setting]);
    };
    expect(await settings()).toEqual(subscriptionNotificationSettings.map(() => null));
    for (const property of subscriptionNotificationSettings)
      expectSuccess(await anna.client.patch(`/users/me/subscriptions/${channelId}`, { property, value: true }));
    expect(await settings()).toEqual(subscriptionNotificationSettings.map(() => true));
  });
});

describe("PATCH and GET /users/me/subscriptions", () => {
  it("PATCH takes delete and add in one, all or nothing", async () => {
    const [a, b] = [fresh("left"), fresh("joined")];
    await server.addChannel(a, [anna]);
    await server.addChannel(b, [owner]);
    const patch = (params: JsonObject) => anna.client.patch("/users/me/subscriptions", params);
    expectError(await patch({}), 400, "BAD_REQUEST");
    expectError(await patch({ delete: [a], add: [{ name: a }] }), 400, "BAD_REQUEST");
    expectError(await patch({ delete: ["no such channel"], add: [{ name: b }] }), 400, "STREAM_DOES_NOT_EXIST");
    const { result } = await assertConverges({
      observers: [anna.client, bert.client],
      act: async () => expectSuccess(await patch({ delete: [a], add: [{ name: b }] })),
    });
    expect(result).toMatchObject({ removed: [a], not_removed: [], subscribed: { [anna.id]: [b] } });
  });

  it("GET lists the caller's channels, with subscribers when asked", async () => {
    const name = fresh("listed");
    await server.addChannel(name, [owner, anna]);
    for (const [include, field] of [
      [undefined, undefined],
      ["false", undefined],
      ["true", [owner.id, anna.id]],
      ["partial", [owner.id, anna.id]],
    ] as const) {
      const { subscriptions } = expectSuccess(
        await anna.client.get("/users/me/subscriptions", { include_subscribers: include }),
      );
      const mine = (subscriptions as JsonObject[]).find((one) => one["name"] === name)!;
      expect(mine["subscribers"]).toEqual(field);
      expect(mine["desktop_notifications"]).toBeNull();
    }
    expectError(await anna.client.get("/users/me/subscriptions", { include_subscribers: "some" }), 400, "BAD_REQUEST");
  });

  it("GET /users/{id}/subscriptions/{stream_id} says whether, for channels that the caller sees", async () => {
    const hidden = await server.addChannel(fresh("hidden"), [owner], { invite_only: true });
    const status = (person: Person, userId: number, channelId: number) =>
      person.client.get(`/users/${userId}/subscriptions/${channelId}`);
    expect(expectSuccess(await status(owner, owner.id, hidden))["is_subscribed"]).toBe(true);
    expect(expectSuccess(await status(owner, anna.id, hidden))["is_subscribed"]).toBe(false);
    expectError(await status(anna, owner.id, hidden), 400, "BAD_REQUEST");
    expectError(await status(owner, 999_999, hidden), 400, "BAD_REQUEST");
  });
});
