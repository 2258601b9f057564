/** DELETE /users/me/subscriptions. https://zulip.com/api/unsubscribe */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { subscriptionRoom } from "../../support/rooms/subscriptions.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const room = subscriptionRoom(server);
const { owner, admin, anna, bert, guest, gone } = room;
const { fresh, subscribe, unsubscribe, isSubscribed, idOf, group, kinds, everyone } = room;

describe("DELETE /users/me/subscriptions", () => {
  it("removes the caller, and answers removed and not_removed", async () => {
    const [a, b] = [fresh("leave"), fresh("never")];
    await server.addChannel(a, [anna]);
    await server.addChannel(b, [owner]);
    expect(expectSuccess(await unsubscribe(anna, [a, b]))).toMatchObject({ removed: [a], not_removed: [b] });
    expect(expectSuccess(await unsubscribe(anna, [a]))).toMatchObject({ removed: [], not_removed: [a] });
  });

  it("takes its parameters from the query, as the JavaScript client sends them", async () => {
    const name = fresh("query");
    await server.addChannel(name, [anna]);
    const response = await anna.client.delete(
      "/users/me/subscriptions",
      { subscriptions: [name] },
      { encoding: "query" },
    );
    expect(expectSuccess(response)["removed"]).toEqual([name]);
  });

  it("a channel that does not exist, or cannot be seen, is STREAM_DOES_NOT_EXIST with its name", async () => {
    const hidden = fresh("hidden");
    await server.addChannel(hidden, [owner], { invite_only: true });
    for (const name of ["no such channel", hidden])
      expect(expectError(await unsubscribe(anna, [name]), 400, "STREAM_DOES_NOT_EXIST")["stream"]).toBe(name);
  });

  it("subscriptions is required, a list of names, which are found in whatever case and each once", async () => {
    expect(
      expectError(await anna.client.delete("/users/me/subscriptions"), 400, "REQUEST_VARIABLE_MISSING")["var_name"],
    ).toBe("subscriptions");
    const name = fresh("listed");
    const channelId = await server.addChannel(name, [anna]);
    for (const subscriptions of [name, "null", "{}", [channelId], [null], [{ name }]])
      expectError(await anna.client.delete("/users/me/subscriptions", { subscriptions }), 400, "BAD_REQUEST");
    expect(expectSuccess(await unsubscribe(anna, []))).toMatchObject({ removed: [], not_removed: [] });
    expect(await isSubscribed(anna, channelId)).toBe(true);
    expect(expectSuccess(await unsubscribe(anna, [name.toUpperCase(), ` ${name} `]))).toEqual({
      result: "success",
      msg: "",
      removed: [name],
      not_removed: [],
    });
  });

  it("principals: all ids or all addresses, placeholders too, each person once", async () => {
    const name = fresh("named");
    const state = await server.state();
    await server.addChannel(name, [owner, anna, bert, guest]);
    for (const principals of [anna.id, anna.email, "{}", [null], [1.5], [anna.id, bert.email], [`${anna.id}`]])
      expectError(await unsubscribe(owner, [name], { principals }), 400, "BAD_REQUEST");
    const reply = async (principals: unknown) => {
      const { removed, not_removed } = expectSuccess(await unsubscribe(owner, [name], { principals }));
      return { removed, not_removed };
    };
    const removed = { removed: [name], not_removed: [] };
    expect(await reply([anna.id, anna.id])).toEqual(removed);
    expect(await reply([bert.email.toUpperCase()])).toEqual(removed);
    expect(await reply([`user${guest.id}@${state.host}`])).toEqual(removed);
    // Nobody but the owner is left, and nobody named means the caller.
    expect(await reply([anna.id, owner.id])).toEqual({ removed: [name], not_removed: [name] });
    expect(await reply(null)).toEqual({ removed: [], not_removed: [name] });
  });

  it("the caller may name themselves, guests too, and a deactivated account removes nobody", async () => {
    const name = fresh("oneself");
    await server.addChannel(name, [guest, anna]);
    expect(expectSuccess(await unsubscribe(guest, [name], { principals: [guest.id] }))["removed"]).toEqual([name]);
    expectError(await unsubscribe(gone, [name], { principals: [anna.id] }), 401, "USER_DEACTIVATED");
  });

  it("a deactivated or nonexistent principal is BAD_REQUEST", async () => {
    const name = fresh("principals");
    await server.addChannel(name, [owner]);
    for (const principals of [[gone.id], [gone.email], [999_999], ["nobody@example.com"]])
      expectError(await unsubscribe(owner, [name], { principals }), 400, "BAD_REQUEST");
  });

  it("1. organization administrators may remove anybody from any channel, 3. so may can_remove_subscribers_group", async () => {
    const name = fresh("removing");
    const value = { direct_members: [bert.id], direct_subgroups: [] };
    await server.addChannel(name, [owner, anna, bert, guest], {
      invite_only: true,
      can_remove_subscribers_group: value,
    });
    expectError(await unsubscribe(anna, [name], { principals: [bert.id] }), 400, "BAD_REQUEST");
    expectError(await unsubscribe(guest, [name], { principals: [bert.id] }), 400, "BAD_REQUEST");
    expect(expectSuccess(await unsubscribe(bert, [name], { principals: [anna.id] }))["removed"]).toEqual([name]);
    // The administrator is not subscribed to it.
    expect(
      expectSuccess(await unsubscribe(admin, [name], { principals: [bert.email, guest.email] }))["removed"],
    ).toEqual([name]);
  });

  it("3. membership may come through a group, and without access to the channel it is worth nothing", async () => {
    const [open, secret] = [fresh("open to the group"), fresh("closed to the group")];
    const members = { can_remove_subscribers_group: await group("role:members") };
    await server.addChannel(open, [owner, bert, guest], members);
    await server.addChannel(secret, [owner, bert], { invite_only: true, ...members });
    // Anna is in neither, and may not even know of the second.
    expect(expectSuccess(await unsubscribe(anna, [open], { principals: [bert.id] }))["removed"]).toEqual([open]);
    const refusal = await unsubscribe(anna, [secret], { principals: [bert.id] });
    expect(expectError(refusal, 400, "STREAM_DOES_NOT_EXIST")["stream"]).toBe(secret);
    expectError(await unsubscribe(guest, [open], { principals: [owner.id] }), 400, "BAD_REQUEST");
  });

  it("3. whoever administers the channel may remove others too", async () => {
    const name = fresh("administered");
    const value = { direct_members: [bert.id], direct_subgroups: [] };
    await server.addChannel(name, [owner, anna], { can_administer_channel_group: value });
    expectSuccess(await unsubscribe(bert, [name], { principals: [anna.id] }));
  });

  it("a refusal for one person or channel changes nothing", async () => {
    const name = fresh("atomic");
    const channelId = await server.addChannel(name, [owner, anna]);
    expectError(await unsubscribe(anna, [name, "no such channel"]), 400, "STREAM_DOES_NOT_EXIST");
    expectError(await unsubscribe(anna, [name], { principals: [anna.id, owner.id] }), 400, "BAD_REQUEST");
    expect(await isSubscribed(anna, channelId)).toBe(true);
  });

  it("converges for those who leave and those who stay, in public and private channels", async () => {
    const open = fresh("open");
    const secret = fresh("secret");
    await server.addChannel(open, [owner, anna, bert, guest]);
    await server.addChannel(secret, [owner, anna, bert, guest], { invite_only: true });
    const { eventsOf } = await assertConverges({
      observers: everyone(),
      act: async () =>
        expectSuccess(await unsubscribe(owner, [open, secret], { principals: [anna.id, bert.id, guest.id] })),
    });
    expect(kinds(eventsOf(anna.client))).toEqual(["subscription/remove", "subscription/peer_remove", "stream/delete"]);
    // Anna left too: her copy leaves her out.
    expect(eventsOf(anna.client)[1]).toMatchObject({ stream_ids: [await idOf(open)], user_ids: [bert.id, guest.id] });
    expect(kinds(eventsOf(guest.client))).toEqual(["subscription/remove", "stream/delete"]);
  });

  it("who comes back keeps colour and settings", async () => {
    const name = fresh("back");
    const channelId = await server.addChannel(name, [owner, anna]);
    const set = (property: string, value: unknown) =>
      anna.client.patch(`/users/me/subscriptions/${channelId}`, { property, value });
    expectSuccess(await set("color", "#123456"));
    expectSuccess(await set("pin_to_top", true));
    expectSuccess(await unsubscribe(anna, [name]));
    const { eventsOf } = await assertConverges({
      observers: [anna.client, owner.client],
      act: async () => expectSuccess(await subscribe(anna, [name])),
    });
    for (const profile of [LEGACY, MOBILE, MODERN]) {
      const [event] = eventsOf(anna.client, profile);
      expect(event).toMatchObject({ op: "add", subscriptions: [{ color: "#123456", pin_to_top: true }] });
    }
  });
});
