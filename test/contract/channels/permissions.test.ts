import { describe, expect, it } from "vitest";
import { type ApiResponse, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { channelRoom } from "../../support/rooms/channels.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = channelRoom(server);
const { owner, admin, moderator, creator, subscriber, other, guest, groups } = room;
const { newName, newChannel, update } = room;

describe("PATCH /streams: who may", () => {
  for (const [who, person, isAllowed] of people()) {
    it.each(actions())(`${who} ${isAllowed ? "may" : "may not"} %s`, async (_what, params) => {
      const { id } = await newChannel();
      judge(await update(person(), id, filled(params)), isAllowed);
    });
    it(`${who} ${isAllowed ? "may" : "may not"} archive`, async () => {
      const { id } = await newChannel();
      judge(await person().client.delete(`/streams/${id}`), isAllowed);
      expect((await owner.channelOf(id))["is_archived"]).toBe(isAllowed);
    });
  }

  it("a private channel that the caller may not know of answers like one that does not exist", async () => {
    const { id } = await newChannel({ invite_only: true });
    const unseen = expectError(await update(other, id, { description: "x" }), 400, "BAD_REQUEST");
    const absent = expectError(await update(other, 999_999, { description: "x" }), 400, "BAD_REQUEST");
    expect(unseen).toEqual(absent);
    expect(expectError(await other.client.delete(`/streams/${id}`), 400)).toEqual(absent);
  });

  it("a guest whom can_administer_channel_group names administers nothing", async () => {
    const { id } = await newChannel({
      subscribers: [creator.id, guest.id],
      can_administer_channel_group: { direct_members: [creator.id, guest.id], direct_subgroups: [] },
    });
    expectError(await update(guest, id, { description: "x" }), 400, "BAD_REQUEST");
  });
});

const groupSettings = [
  "can_add_subscribers_group",
  "can_administer_channel_group",
  "can_create_topic_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_remove_subscribers_group",
  "can_resolve_topics_group",
  "can_send_message_group",
  "can_subscribe_group",
];

describe("PATCH /streams: group settings", () => {
  it.each(groupSettings)("%s takes {new, old}, and refuses a stale old without a change", async (name) => {
    const { id } = await newChannel();
    const current = (await owner.channelOf(id))[name];
    const moderators = groups["role:moderators"]!;
    const next = { direct_members: [other.id, subscriber.id], direct_subgroups: [moderators] };
    expectError(
      await update(owner, id, { [name]: { new: next, old: moderators }, description: "no" }),
      400,
      "EXPECTATION_MISMATCH",
    );
    expect(await owner.channelOf(id)).toMatchObject({ [name]: current, description: "" });
    expectSuccess(await update(owner, id, { [name]: { new: next, old: current } }));
    const reversed = { direct_members: [subscriber.id, other.id], direct_subgroups: [moderators] };
    expectSuccess(await update(owner, id, { [name]: { new: moderators, old: reversed } }));
    expect((await owner.channelOf(id))[name]).toBe(moderators);
    expectSuccess(await update(owner, id, { [name]: { new: { direct_members: [], direct_subgroups: [] } } }));
    expect((await owner.channelOf(id))[name]).toBe(groups["role:nobody"]);
    expectError(await update(owner, id, { [name]: moderators }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { old: moderators } }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { new: groups["role:internet"] } }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { new: 999_999 } }), 400, "BAD_REQUEST");
  });

  it("of several who expect the same old value at once, one changes it", async () => {
    const { id } = await newChannel();
    const old = groups["role:everyone"];
    const wanted = ["role:members", "role:moderators", "role:administrators"].map((name) => groups[name]);
    const people = [owner, admin, creator];
    const answers = await Promise.all(
      people.map((person, index) => update(person, id, { can_send_message_group: { new: wanted[index], old } })),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [wanted[index]] : []));
    expect(winners).toEqual([(await owner.channelOf(id))["can_send_message_group"]]);
    for (const answer of answers) if (answer.status !== 200) expectError(answer, 400, "EXPECTATION_MISMATCH");
  });

  it.each(["can_add_subscribers_group", "can_administer_channel_group", "can_subscribe_group"])(
    "%s cannot be everyone",
    async (name) => {
      const { id } = await newChannel();
      expectError(await update(owner, id, { [name]: { new: groups["role:everyone"] } }), 400, "BAD_REQUEST");
    },
  );

  it.each(["can_add_subscribers_group", "can_subscribe_group"])(
    "%s gives content access, so it takes content access to change it",
    async (name) => {
      const { id } = await newChannel({ invite_only: true });
      const change = { [name]: { new: groups["role:moderators"] } };
      expectError(await update(admin, id, change), 400, "BAD_REQUEST");
      expectSuccess(await update(creator, id, change));
    },
  );

  it("can_remove_subscribers_group and can_send_message_group take only metadata access", async () => {
    const { id } = await newChannel({ invite_only: true });
    for (const name of ["can_remove_subscribers_group", "can_send_message_group"])
      expectSuccess(await update(admin, id, { [name]: { new: groups["role:moderators"] } }));
  });

  it.each(["can_delete_any_message_group", "can_delete_own_message_group"])(
    "%s takes can_set_delete_message_policy_group",
    async (name) => {
      const { id } = await newChannel();
      const change = { [name]: { new: groups["role:members"] } };
      expectError(await update(creator, id, change), 400, "BAD_REQUEST");
      await owner.setRealm({ can_set_delete_message_policy_group: { new: groups["role:members"] } });
      expectSuccess(await update(creator, id, change));
      await owner.setRealm({ can_set_delete_message_policy_group: { new: groups["role:moderators"] } });
    },
  );

  it("deactivated users never appear, and comparing with old leaves them out", async () => {
    const leaver = await server.addUser(`Leaver of ${newName()}`);
    const value = (ids: number[]) => ({ direct_members: ids, direct_subgroups: [groups["role:moderators"]!] });
    const { id } = await newChannel({ can_send_message_group: value([creator.id, leaver.id]) });
    expectSuccess(await owner.client.delete(`/users/${leaver.id}`));
    expect((await creator.channelOf(id))["can_send_message_group"]).toEqual(value([creator.id]));
    expectSuccess(
      await update(creator, id, {
        can_send_message_group: { new: groups["role:members"], old: value([creator.id]) },
      }),
    );
  });
});

function actions(): [string, JsonObject][] {
  return [
    ["rename", { new_name: "?" }],
    ["describe", { description: "changed" }],
    ["make private", { is_private: true }],
    ["change who may post", { can_send_message_group: { new: "moderators" } }],
    ["set the topics policy", { topics_policy: "disable_empty_topic" }],
  ];
}

function people(): [string, () => Person, boolean][] {
  return [
    ["an owner", () => owner, true],
    ["an administrator", () => admin, true],
    ["a moderator", () => moderator, false],
    ["whom can_administer_channel_group names", () => creator, true],
    ["a subscriber", () => subscriber, false],
    ["another member", () => other, false],
    ["a guest", () => guest, false],
  ];
}

const filled = (params: JsonObject): JsonObject => {
  if ("new_name" in params) return { new_name: newName() };
  return "can_send_message_group" in params ? { can_send_message_group: { new: groups["role:moderators"] } } : params;
};

const judge = (response: ApiResponse, isAllowed: boolean) =>
  isAllowed ? expectSuccess(response) : expectError(response, 400, "BAD_REQUEST");
