/** Settings of an organization that groups hold. https://zulip.com/api/update-realm */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { organizationRoom } from "../../support/rooms/organization.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = organizationRoom(server);
const { owner, adam, mona, mia, gwen } = room;
const { patch, settingOf, group } = room;

describe("settings held by groups", () => {
  it("take {new, old?}: a named group, and an anonymous one", async () => {
    const anonymous = { direct_members: [mia.id], direct_subgroups: [group("role:moderators")] };
    for (const value of [group("role:moderators"), anonymous, group("role:nobody")]) {
      const seen = await assertConverges({
        observers: [mia.client, gwen.client],
        act: async () => void expectSuccess(await patch({ can_add_custom_emoji_group: { new: value } }, adam)),
      });
      for (const { events } of seen.observations) {
        const data = { can_add_custom_emoji_group: value };
        expect(events).toMatchObject([{ type: "realm", op: "update_dict", property: "default", data }]);
      }
      expect(await settingOf("can_add_custom_emoji_group")).toEqual(value);
    }
  });

  it("old that is not in force is EXPECTATION_MISMATCH, compared by value", async () => {
    const value = { direct_members: [mia.id, adam.id], direct_subgroups: [] };
    expectSuccess(await patch({ can_create_bots_group: { new: value } }));
    const stale = { new: group("role:members"), old: group("role:moderators") };
    expectError(await patch({ can_create_bots_group: stale }), 400, "EXPECTATION_MISMATCH");
    const old = { direct_members: [adam.id, mia.id], direct_subgroups: [] };
    expectSuccess(await patch({ can_create_bots_group: { new: group("role:members"), old } }));
  });

  it("role:everyone, role:nobody and role:internet only where the table allows them", async () => {
    const refused: [string, string][] = [
      ["can_create_groups", "role:everyone"],
      ["can_invite_users_group", "role:everyone"],
      ["can_manage_all_groups", "role:nobody"],
      ["can_manage_billing_group", "role:nobody"],
      ["can_access_all_users_group", "role:nobody"],
      ["can_access_all_users_group", "role:moderators"],
      ["can_create_web_public_channel_group", "role:members"],
      ["can_resolve_topics_group", "role:internet"],
      ["can_mention_many_users_group", "role:internet"],
    ];
    for (const [name, value] of refused)
      expectError(await patch({ [name]: { new: group(value) } }), 400, "BAD_REQUEST");
    const allowed: [string, string][] = [
      ["can_delete_own_message_group", "role:nobody"],
      ["can_mention_many_users_group", "role:everyone"],
      ["can_access_all_users_group", "role:members"],
      ["can_create_web_public_channel_group", "role:moderators"],
    ];
    for (const [name, value] of allowed) expectSuccess(await patch({ [name]: { new: group(value) } }));
    expectSuccess(await patch({ can_access_all_users_group: { new: group("role:everyone") } }));
  });

  it("what is no group setting is refused", async () => {
    const wrong = [999_999, "x", null, [], { new: null }, { new: { direct_members: [999_999], direct_subgroups: [] } }];
    for (const value of wrong) {
      const update = typeof value === "object" && value !== null && "new" in value ? value : { new: value };
      expectError(await patch({ can_create_groups: update }), 400, "BAD_REQUEST");
    }
    expectError(await patch({ can_create_groups: group("role:members") }), 400, "BAD_REQUEST");
    expectError(await patch({ can_create_groups: {} }), 400, "BAD_REQUEST");
  });

  it("realm_wildcard_mention_policy is the closest superset of can_mention_many_users_group", async () => {
    const policies: [unknown, number][] = [
      [group("role:everyone"), 1],
      [group("role:members"), 2],
      [group("role:fullmembers"), 3],
      [group("role:administrators"), 5],
      [group("role:owners"), 5],
      [group("role:nobody"), 6],
      [group("role:moderators"), 7],
      [{ direct_members: [adam.id], direct_subgroups: [] }, 5],
      [{ direct_members: [mona.id], direct_subgroups: [group("role:administrators")] }, 7],
      [{ direct_members: [gwen.id], direct_subgroups: [] }, 1],
    ];
    for (const [value, policy] of policies) {
      await assertConverges({
        observers: [mia.client],
        act: async () => void expectSuccess(await patch({ can_mention_many_users_group: { new: value } })),
      });
      expect([value, await settingOf("wildcard_mention_policy")]).toEqual([value, policy]);
    }
  });

  it("what the caller may do follows the groups", async () => {
    const new_ = { new: { direct_members: [mia.id], direct_subgroups: [] } };
    const observers = [mia.client, mona.client, gwen.client];
    const names = ["can_create_public_channel_group", "can_create_private_channel_group", "can_invite_users_group"];
    const change = Object.fromEntries(names.map((name) => [name, new_]));
    await assertConverges({ observers, act: async () => void expectSuccess(await patch(change)) });
    const state = (person: Person) => person.client.register({ fetch_event_types: ["realm_user"], event_types: [] });
    expect(await state(mia)).toMatchObject({ can_create_streams: true, can_invite_others_to_realm: true });
    expect(await state(mona)).toMatchObject({ can_create_streams: false, can_invite_others_to_realm: false });
    const members = { new: group("role:members") };
    expectSuccess(await patch(Object.fromEntries(names.map((name) => [name, members]))));
  });
});

describe("can_access_all_users_group", () => {
  it("guests come to know everybody, or only the people of their channels", async () => {
    await server.addChannel("with a guest", [adam, gwen]);
    expectSuccess(
      await owner.client.delete("/users/me/subscriptions", { subscriptions: ["general"], principals: [gwen.id] }),
    );
    const observers = [gwen.client, mia.client];
    const set = (name: string) => async () =>
      void expectSuccess(await patch({ can_access_all_users_group: { new: group(name) } }));
    const limited = await assertConverges({ observers, act: set("role:members") });
    const people = limited.eventsOf(gwen.client, MODERN).filter((event) => event.type === "realm_user");
    expect(people.map((event) => (event["person"] as { user_id: number }).user_id)).toContain(mia.id);
    expect(people.map((event) => (event["person"] as { user_id: number }).user_id)).not.toContain(adam.id);
    expect(people.every((event) => event.op === "remove")).toBe(true);
    expect(limited.eventsOf(mia.client).map((event) => event.type)).toEqual(["realm"]);
    const opened = await assertConverges({ observers, act: set("role:everyone") });
    expect(opened.eventsOf(gwen.client)).toContainEqual(
      expect.objectContaining({ type: "realm_user", op: "add", person: expect.objectContaining({ user_id: mia.id }) }),
    );
  });
});

describe("full members", () => {
  it("a longer waiting period takes new members out of role:fullmembers, none lets them in", async () => {
    const observers = [owner.client, gwen.client];
    const longer = await assertConverges({
      observers,
      act: async () => void expectSuccess(await patch({ waiting_period_threshold: 30 })),
    });
    for (const { events } of longer.observations) {
      expect(events).toMatchObject([
        { type: "realm", op: "update", property: "waiting_period_threshold", value: 30 },
        { type: "user_group", op: "remove_members", group_id: group("role:fullmembers"), user_ids: [mia.id] },
      ]);
    }
    const none = await assertConverges({
      observers,
      act: async () => void expectSuccess(await patch({ waiting_period_threshold: 0 })),
    });
    for (const { events } of none.observations) {
      expect(events).toMatchObject([
        { type: "realm", op: "update", property: "waiting_period_threshold", value: 0 },
        { type: "user_group", op: "add_members", group_id: group("role:fullmembers"), user_ids: [mia.id] },
      ]);
    }
  });

  it("a private channel that full members may join comes into sight and leaves it with the waiting period", async () => {
    await server.addChannel("for full members", [owner], {
      invite_only: true,
      can_subscribe_group: group("role:fullmembers"),
    });
    for (const waiting_period_threshold of [5, 0]) {
      const seen = await assertConverges({
        observers: [mia.client, gwen.client],
        act: async () => void expectSuccess(await patch({ waiting_period_threshold })),
      });
      const op = waiting_period_threshold > 0 ? "delete" : "create";
      expect(seen.eventsOf(mia.client)).toContainEqual(expect.objectContaining({ type: "stream", op }));
      expect(seen.eventsOf(gwen.client).some((event) => event.type === "stream")).toBe(false);
    }
  });
});
