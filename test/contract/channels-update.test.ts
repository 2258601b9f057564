import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { receivedBy } from "../../actors/realm/recipients.ts";
import { type ApiResponse, cursorOf, expectError, expectSuccess, type JsonObject } from "../support/api.ts";
import { LEGACY, MODERN } from "../support/client-profile.ts";
import type { WireEvent } from "../support/client-state.ts";
import { assertConverges } from "../support/converge.ts";
import { startTestServer, type TestPerson, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: TestPerson;
let admin: TestPerson;
let moderator: TestPerson;
let creator: TestPerson;
let subscriber: TestPerson;
let other: TestPerson;
let guest: TestPerson;
let groups: Record<string, number>;
let names = 0;

beforeAll(async () => {
  server = await startTestServer();
  owner = server.owner;
  admin = await server.addUser("Adele Admin", { role: 200 });
  moderator = await server.addUser("Momo Moderator", { role: 300 });
  creator = await server.addUser("Carla Creator");
  subscriber = await server.addUser("Sam Subscriber");
  other = await server.addUser("Otto Other");
  guest = await server.addUser("Gus Guest", { role: 600 });
  const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"] });
  groups = Object.fromEntries(state.realm_user_groups!.map((group) => [group.name, group.id as number]));
});
afterAll(() => server?.stop());

const newName = () => `channel ${++names}`;
/** A channel of the creator, in which the creator and the subscriber are. */
const newChannel = async (params: JsonObject = {}) => {
  const name = newName();
  const subscribers = [creator.id, subscriber.id];
  const reply = expectSuccess(await creator.client.post("/channels/create", { name, subscribers, ...params }));
  return { id: reply["id"] as number, name };
};
const update = (person: TestPerson, id: number, params: JsonObject) => person.client.patch(`/streams/${id}`, params);
const channelOf = async (person: TestPerson, id: number) =>
  expectSuccess(await person.client.get(`/streams/${id}`))["stream"] as JsonObject;
const setRealm = async (params: JsonObject) => expectSuccess(await owner.client.patch("/realm", params));
const send = async (person: TestPerson, to: number, topic: string) =>
  expectSuccess(await person.client.post("/messages", { type: "stream", to, topic, content: "Hello" }))["id"] as number;
const kindsOf = (events: readonly WireEvent[]) => events.map(({ type, op }) => `${type}/${String(op)}`);
const isDefault = async (id: number) =>
  (await server.server.app.system.realmByHost("localhost")).state.defaultChannels.has(id);

describe("http-api PATCH /streams: properties", () => {
  it("the envelope is all that it answers, and nothing to change is fine", async () => {
    const { id } = await newChannel();
    expect(expectSuccess(await update(owner, id, {}))).toEqual({ result: "success", msg: "" });
  });

  it("new_name renames, within the limits of names, and another channel's name is refused ignoring case", async () => {
    const { id, name } = await newChannel();
    const taken = await newChannel();
    for (const bad of ["", " ", "n".repeat(61), taken.name.toUpperCase()])
      expectError(await update(creator, id, { new_name: bad }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { new_name: name.toUpperCase() }));
    const renamed = newName();
    expectSuccess(await update(creator, id, { new_name: ` ${renamed} ` }));
    expect((await channelOf(other, id))["name"]).toBe(renamed);
    expectSuccess(await other.client.get("/get_stream_id", { stream: renamed }));
    expectError(await other.client.get("/get_stream_id", { stream: name }), 400, "STREAM_DOES_NOT_EXIST");
  });

  it("description is Markdown of at most 1024 code points", async () => {
    const { id } = await newChannel();
    expectError(await update(creator, id, { description: "é".repeat(1025) }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { description: "*new*" }));
    expect(await channelOf(other, id)).toMatchObject({
      description: "*new*",
      rendered_description: "<p><em>new</em></p>",
    });
    expectSuccess(await update(creator, id, { description: "" }));
    expect(await channelOf(other, id)).toMatchObject({ description: "", rendered_description: "" });
  });

  it("message_retention_days takes a number, realm_default or unlimited, and is for owners to set", async () => {
    const { id } = await newChannel();
    const days = async () => (await channelOf(owner, id))["message_retention_days"];
    expectSuccess(await update(owner, id, { message_retention_days: 7 }));
    expect(await days()).toBe(7);
    expectSuccess(await update(owner, id, { message_retention_days: '"unlimited"' }));
    expect(await days()).toBe(-1);
    expectSuccess(await update(owner, id, { message_retention_days: "realm_default" }));
    expect(await days()).toBe(null);
    for (const bad of [0, -2, "forever", "null "])
      expectError(await update(owner, id, { message_retention_days: bad }), 400, "BAD_REQUEST");
    expectError(await update(admin, id, { message_retention_days: 7 }), 400, "UNAUTHORIZED_PRINCIPAL");
  });

  it("is_default_stream adds and removes a default channel, by administrators, and never a private one", async () => {
    const { id } = await newChannel();
    expectSuccess(await update(admin, id, { is_default_stream: true }));
    expect(await isDefault(id)).toBe(true);
    expectError(await update(creator, id, { is_default_stream: false }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await update(admin, id, { is_private: true }), 400, "BAD_REQUEST");
    expectSuccess(await update(admin, id, { is_private: true, is_default_stream: false }));
    expect(await isDefault(id)).toBe(false);
    expectError(await update(creator, id, { is_default_stream: true }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await update(owner, id, { is_default_stream: true }), 400, "BAD_REQUEST");
  });

  it("folder_id puts the channel in a folder that is not archived, null takes it out", async () => {
    const { id } = await newChannel();
    const folder = async () =>
      expectSuccess(await admin.client.post("/channel_folders/create", { name: newName() }))["channel_folder_id"];
    const first = await folder();
    const archived = await folder();
    expectSuccess(await admin.client.patch(`/channel_folders/${archived as number}`, { is_archived: true }));
    expectSuccess(await update(creator, id, { folder_id: first }));
    expect((await channelOf(other, id))["folder_id"]).toBe(first);
    expectError(await update(creator, id, { folder_id: archived }), 400, "BAD_REQUEST");
    expectError(await update(creator, id, { folder_id: 999_999 }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { folder_id: null }));
    expect((await channelOf(other, id))["folder_id"]).toBe(null);
  });

  it("topics_policy is empty_topic_only only while every message is in the empty topic", async () => {
    const { id } = await newChannel();
    await send(creator, id, "");
    expectSuccess(await update(creator, id, { topics_policy: "empty_topic_only" }));
    expectSuccess(await update(creator, id, { topics_policy: "inherit" }));
    await send(creator, id, "something");
    expectError(await update(creator, id, { topics_policy: "empty_topic_only" }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { topics_policy: "disable_empty_topic" }));
    expectError(await update(creator, id, { topics_policy: "whatever" }), 400, "BAD_REQUEST");
    expect((await channelOf(creator, id))["topics_policy"]).toBe("disable_empty_topic");
  });

  it("topics_policy needs can_set_topics_policy_group", async () => {
    const { id } = await newChannel();
    await setRealm({ can_set_topics_policy_group: { new: groups["role:administrators"] } });
    try {
      expectError(await update(creator, id, { topics_policy: "disable_empty_topic" }), 400, "BAD_REQUEST");
      expectSuccess(await update(creator, id, { topics_policy: "inherit" }));
      expectSuccess(await update(admin, id, { topics_policy: "disable_empty_topic" }));
    } finally {
      await setRealm({ can_set_topics_policy_group: { new: groups["role:members"] } });
    }
  });
});

describe("Decided: topic policies hold when sending", () => {
  it("disable_empty_topic refuses the empty topic, empty_topic_only a named one", async () => {
    const { id } = await newChannel({ topics_policy: "disable_empty_topic" });
    const post = (topic: string) => creator.client.post("/messages", { type: "stream", to: id, topic, content: "Hi" });
    expectError(await post(""), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { topics_policy: "empty_topic_only" }));
    expectError(await post("named"), 400, "BAD_REQUEST");
    expectSuccess(await post(""));
  });
});

describe("http-api PATCH /streams: privacy", () => {
  const privacy = async (id: number) => {
    const { invite_only, is_web_public, history_public_to_subscribers } = await channelOf(creator, id);
    return { invite_only, is_web_public, history_public_to_subscribers };
  };

  it("is_private makes a channel private, its history protected unless told otherwise, and public again", async () => {
    const { id } = await newChannel();
    expectSuccess(await update(creator, id, { is_private: true }));
    expect(await privacy(id)).toEqual({
      invite_only: true,
      is_web_public: false,
      history_public_to_subscribers: false,
    });
    expectError(await other.client.get(`/streams/${id}`), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { history_public_to_subscribers: true }));
    expectSuccess(await update(creator, id, { is_private: true }));
    expect(await privacy(id)).toEqual({ invite_only: true, is_web_public: false, history_public_to_subscribers: true });
    expectSuccess(await update(creator, id, { is_private: false }));
    expect(await privacy(id)).toEqual({
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
    });
    expectSuccess(await other.client.get(`/streams/${id}`));
  });

  it("history_public_to_subscribers=false is an error for a public channel and where is_private is false", async () => {
    const { id } = await newChannel();
    expectError(await update(creator, id, { history_public_to_subscribers: false }), 400, "BAD_REQUEST");
    expectError(
      await update(creator, id, { is_private: false, history_public_to_subscribers: false }),
      400,
      "BAD_REQUEST",
    );
    expectSuccess(await update(creator, id, { is_private: true, history_public_to_subscribers: true }));
    // Not ignored although neither of the other two is sent (feature level 136).
    expectSuccess(await update(creator, id, { history_public_to_subscribers: false }));
    expect((await privacy(id)).history_public_to_subscribers).toBe(false);
    expectError(
      await update(creator, id, { is_private: false, history_public_to_subscribers: false }),
      400,
      "BAD_REQUEST",
    );
  });

  it("history is protected only where everybody may create topics, whichever of the two changes", async () => {
    const members = groups["role:members"];
    const { id } = await newChannel({ invite_only: true });
    const topics = (value: unknown) => ({ can_create_topic_group: { new: value } });
    expectError(await update(creator, id, topics(members)), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { history_public_to_subscribers: true, ...topics(members) }));
    expectError(await update(creator, id, { history_public_to_subscribers: false }), 400, "BAD_REQUEST");
    expectSuccess(
      await update(creator, id, { history_public_to_subscribers: false, ...topics(groups["role:everyone"]) }),
    );
  });

  it("an administrator who is not subscribed cannot change the privacy of a private channel, but its name", async () => {
    const { id } = await newChannel({ invite_only: true });
    for (const params of [{ is_private: false }, { history_public_to_subscribers: true }])
      expectError(await update(admin, id, params), 400, "BAD_REQUEST");
    expectSuccess(await update(admin, id, { description: "seen by an administrator" }));
    expectSuccess(await update(admin, id, { is_private: true }));
    expectSuccess(
      await creator.client.post("/users/me/subscriptions", {
        subscriptions: [{ name: (await channelOf(creator, id))["name"] }],
        principals: [admin.id],
      }),
    );
    expectSuccess(await update(admin, id, { is_private: false }));
  });

  it("neither can somebody who administers the channel without being in it", async () => {
    const { id } = await newChannel({ invite_only: true, subscribers: [subscriber.id] });
    expectError(await update(creator, id, { is_private: false }), 400, "BAD_REQUEST");
    expectError(
      await update(creator, id, { can_add_subscribers_group: { new: groups["role:moderators"] } }),
      400,
      "BAD_REQUEST",
    );
    expectSuccess(await update(creator, id, { new_name: newName() }));
  });

  it("is_web_public needs spectator access and can_create_web_public_channel_group", async () => {
    const { id } = await newChannel();
    expectError(await update(owner, id, { is_web_public: true }), 400, "BAD_REQUEST");
    await setRealm({ enable_spectator_access: true });
    try {
      expectError(await update(admin, id, { is_web_public: true }), 400, "BAD_REQUEST");
      expectError(await update(owner, id, { is_web_public: true, is_private: true }), 400, "BAD_REQUEST");
      expectError(
        await update(owner, id, { is_web_public: true, history_public_to_subscribers: false }),
        400,
        "BAD_REQUEST",
      );
      expectSuccess(await update(owner, id, { is_web_public: true }));
      expect(await privacy(id)).toEqual({
        invite_only: false,
        is_web_public: true,
        history_public_to_subscribers: true,
      });
      expectSuccess(await guest.client.get(`/streams/${id}`));
      expectSuccess(await update(creator, id, { is_private: true }));
      expect(await privacy(id)).toEqual({
        invite_only: true,
        is_web_public: false,
        history_public_to_subscribers: false,
      });
    } finally {
      await setRealm({ enable_spectator_access: false });
    }
  });

  it("an archived channel's privacy can be edited (feature level 362)", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectSuccess(await update(creator, id, { is_private: true }));
    expect((await privacy(id)).invite_only).toBe(true);
  });
});

describe("http-api PATCH /streams: is_archived", () => {
  it("true is refused and archives nothing, whatever comes with it", async () => {
    const { id, name } = await newChannel();
    expectError(await update(owner, id, { is_archived: true, new_name: newName() }), 400, "BAD_REQUEST");
    expect(await channelOf(owner, id)).toMatchObject({ is_archived: false, name });
  });

  it("false brings an archived channel back, for administrators of the organization", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expect(await channelOf(creator, id)).toMatchObject({ is_archived: true });
    expectError(await update(creator, id, { is_archived: false }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await update(admin, id, { is_archived: false }));
    expect(await channelOf(creator, id)).toMatchObject({ is_archived: false });
    await send(subscriber, id, "back");
  });

  it("a channel whose name was taken meanwhile comes back only under another", async () => {
    const { id, name } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    await newChannel({ name });
    expectError(await update(admin, id, { is_archived: false }), 400, "BAD_REQUEST");
    expectSuccess(await update(admin, id, { is_archived: false, new_name: newName() }));
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

describe("http-api PATCH /streams: group settings", () => {
  it.each(groupSettings)("%s takes {new, old}, and refuses a stale old without a change", async (name) => {
    const { id } = await newChannel();
    const current = (await channelOf(owner, id))[name];
    const moderators = groups["role:moderators"]!;
    const next = { direct_members: [other.id, subscriber.id], direct_subgroups: [moderators] };
    expectError(
      await update(owner, id, { [name]: { new: next, old: moderators }, description: "no" }),
      400,
      "EXPECTATION_MISMATCH",
    );
    expect(await channelOf(owner, id)).toMatchObject({ [name]: current, description: "" });
    expectSuccess(await update(owner, id, { [name]: { new: next, old: current } }));
    const reversed = { direct_members: [subscriber.id, other.id], direct_subgroups: [moderators] };
    expectSuccess(await update(owner, id, { [name]: { new: moderators, old: reversed } }));
    expect((await channelOf(owner, id))[name]).toBe(moderators);
    expectSuccess(await update(owner, id, { [name]: { new: { direct_members: [], direct_subgroups: [] } } }));
    expect((await channelOf(owner, id))[name]).toBe(groups["role:nobody"]);
    expectError(await update(owner, id, { [name]: moderators }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { old: moderators } }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { new: groups["role:internet"] } }), 400, "BAD_REQUEST");
    expectError(await update(owner, id, { [name]: { new: 999_999 } }), 400, "BAD_REQUEST");
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
      await setRealm({ can_set_delete_message_policy_group: { new: groups["role:members"] } });
      expectSuccess(await update(creator, id, change));
      await setRealm({ can_set_delete_message_policy_group: { new: groups["role:moderators"] } });
    },
  );

  it("deactivated users never appear, and comparing with old leaves them out", async () => {
    const leaver = await server.addUser(`Leaver ${++names}`);
    const value = (ids: number[]) => ({ direct_members: ids, direct_subgroups: [groups["role:moderators"]!] });
    const { id } = await newChannel({ can_send_message_group: value([creator.id, leaver.id]) });
    expectSuccess(await owner.client.delete(`/users/${leaver.id}`));
    expect((await channelOf(creator, id))["can_send_message_group"]).toEqual(value([creator.id]));
    expectSuccess(
      await update(creator, id, {
        can_send_message_group: { new: groups["role:members"], old: value([creator.id]) },
      }),
    );
  });
});

describe("http-api PATCH /streams: who may", () => {
  const actions: [string, JsonObject][] = [
    ["rename", { new_name: "?" }],
    ["describe", { description: "changed" }],
    ["make private", { is_private: true }],
    ["change who may post", { can_send_message_group: { new: "moderators" } }],
    ["set the topics policy", { topics_policy: "disable_empty_topic" }],
  ];
  const people: [string, () => TestPerson, boolean][] = [
    ["an owner", () => owner, true],
    ["an administrator", () => admin, true],
    ["a moderator", () => moderator, false],
    ["whom can_administer_channel_group names", () => creator, true],
    ["a subscriber", () => subscriber, false],
    ["another member", () => other, false],
    ["a guest", () => guest, false],
  ];
  const filled = (params: JsonObject): JsonObject => {
    if ("new_name" in params) return { new_name: newName() };
    return "can_send_message_group" in params ? { can_send_message_group: { new: groups["role:moderators"] } } : params;
  };
  const judge = (response: ApiResponse, isAllowed: boolean) =>
    isAllowed ? expectSuccess(response) : expectError(response, 400, "BAD_REQUEST");

  for (const [who, person, isAllowed] of people) {
    it.each(actions)(`${who} ${isAllowed ? "may" : "may not"} %s`, async (_what, params) => {
      const { id } = await newChannel();
      judge(await update(person(), id, filled(params)), isAllowed);
    });
    it(`${who} ${isAllowed ? "may" : "may not"} archive`, async () => {
      const { id } = await newChannel();
      judge(await person().client.delete(`/streams/${id}`), isAllowed);
      expect((await channelOf(owner, id))["is_archived"]).toBe(isAllowed);
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

describe("Decided: every update is atomic", () => {
  it("one bad parameter changes nothing", async () => {
    const { id, name } = await newChannel();
    const good = { new_name: newName(), description: "new", is_private: true };
    for (const bad of [
      { folder_id: 999_999 },
      { message_retention_days: "never" },
      { topics_policy: "none" },
      { can_subscribe_group: { new: 999_999 } },
      { is_default_stream: true },
      { is_archived: true },
    ]) {
      expectError(await update(owner, id, { ...good, ...bad }), 400, "BAD_REQUEST");
    }
    expect(await channelOf(owner, id)).toMatchObject({ name, description: "", invite_only: false });
  });
});

describe("PATCH /streams: convergence and audience", () => {
  const everybody = () => [admin, creator, subscriber, other, guest].map(({ client }) => client);

  it.each<[string, JsonObject]>([
    ["a name", { new_name: "a new name" }],
    ["a description", { description: "**important**" }],
    ["who may post", { can_send_message_group: { new: "administrators" } }],
    ["several at once", { description: "all", new_name: "several", topics_policy: "disable_empty_topic" }],
  ])("%s", async (_what, params) => {
    const { id } = await newChannel({ subscribers: [creator.id, subscriber.id, guest.id] });
    await send(creator, id, "before");
    const given =
      "can_send_message_group" in params ? { can_send_message_group: { new: groups["role:administrators"] } } : params;
    await assertConverges({
      observers: everybody(),
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await update(creator, id, given)),
    });
  });

  it("an event for each property, with what belongs to it, to those who see the channel", async () => {
    const { id, name } = await newChannel({ invite_only: true });
    const watch = async (person: TestPerson) =>
      cursorOf(await person.client.register({ event_types: ["stream"], client_capabilities: {} }));
    const [mine, theirs] = [await watch(subscriber), await watch(other)];
    expectSuccess(
      await update(creator, id, {
        new_name: `${name} renamed`,
        description: "*new*",
        history_public_to_subscribers: true,
        can_send_message_group: { new: groups["role:administrators"] },
      }),
    );
    const events = (await subscriber.client.drain(mine)).filter(({ property }) => property !== "first_message_id");
    expect(events.map(({ id: _, ...event }) => event)).toEqual([
      { type: "stream", op: "update", stream_id: id, name, property: "name", value: `${name} renamed` },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "description",
        value: "*new*",
        rendered_description: "<p><em>new</em></p>",
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "invite_only",
        value: true,
        history_public_to_subscribers: true,
        is_web_public: false,
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "can_send_message_group",
        value: groups["role:administrators"],
      },
      {
        type: "stream",
        op: "update",
        stream_id: id,
        name: `${name} renamed`,
        property: "stream_post_policy",
        value: 2,
      },
    ]);
    expect(await other.client.drain(theirs)).toEqual([]);
  });

  it("a public channel that becomes private is gone for those who are not in it", async () => {
    const { id } = await newChannel();
    const seen = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: true })),
    });
    expect(kindsOf(seen.eventsOf(other.client))).toEqual(["stream/delete"]);
    expect(kindsOf(seen.eventsOf(guest.client))).toEqual([]);
    expect(kindsOf(seen.eventsOf(admin.client))).toContain("stream/update");
    expect(kindsOf(seen.eventsOf(admin.client))).not.toContain("stream/delete");
  });

  it("a private channel that becomes public appears to members, with its subscribers, and not to guests", async () => {
    const { id } = await newChannel({ invite_only: true });
    const seen = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: false })),
    });
    expect(kindsOf(seen.eventsOf(other.client)).slice(0, 2)).toEqual(["stream/create", "subscription/peer_add"]);
    expect(kindsOf(seen.eventsOf(guest.client))).toEqual([]);
  });

  it("a permission that gives sight of a private channel shows it, and taking it back hides it", async () => {
    const { id } = await newChannel({ invite_only: true });
    const name = "can_add_subscribers_group";
    const allow = { new: { direct_members: [other.id], direct_subgroups: [] } };
    const shown = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { [name]: allow })),
    });
    expect(kindsOf(shown.eventsOf(other.client))).toContain("stream/create");
    expect(kindsOf(shown.eventsOf(guest.client))).toEqual([]);
    const hidden = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { [name]: { new: groups["role:nobody"] } })),
    });
    expect(kindsOf(hidden.eventsOf(other.client))).toEqual(["stream/delete"]);
  });

  it("a web-public channel appears to guests", async () => {
    const { id } = await newChannel();
    await setRealm({ enable_spectator_access: true });
    try {
      const seen = await assertConverges({
        observers: everybody(),
        act: async () => expectSuccess(await update(owner, id, { is_web_public: true })),
      });
      expect(kindsOf(seen.eventsOf(guest.client)).slice(0, 2)).toEqual(["stream/create", "subscription/peer_add"]);
    } finally {
      await setRealm({ enable_spectator_access: false });
    }
  });

  it("archiving and unarchiving", async () => {
    const { id } = await newChannel();
    expectSuccess(await update(admin, id, { is_default_stream: true }));
    const archived = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await creator.client.delete(`/streams/${id}`)),
    });
    expect(kindsOf(archived.eventsOf(other.client))).toContain("stream/delete");
    expect(await isDefault(id)).toBe(false);
    const back = await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(admin, id, { is_archived: false })),
    });
    expect(kindsOf(back.eventsOf(other.client))).toEqual(
      expect.arrayContaining(["stream/create", "subscription/peer_add"]),
    );
    expect(kindsOf(back.eventsOf(subscriber.client))).toEqual(
      expect.arrayContaining(["stream/create", "subscription/add"]),
    );
  });

  it("an archived channel's changes are not told to clients that do not know of archived channels", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(creator, id, { is_private: true, description: "put away" })),
    });
    await assertConverges({
      observers: everybody(),
      act: async () => expectSuccess(await update(admin, id, { is_archived: false })),
    });
  });

  it("a client that hears of subscriptions alone leaves the archived channel and is in it again", async () => {
    const { id, name } = await newChannel();
    const queue = cursorOf(await subscriber.client.register({ event_types: ["subscription"] }));
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectSuccess(await update(admin, id, { is_archived: false }));
    const [left, joined] = await subscriber.client.drain(queue);
    expect(left).toMatchObject({ type: "subscription", op: "remove", subscriptions: [{ stream_id: id, name }] });
    expect(joined).toMatchObject({ type: "subscription", op: "add", subscriptions: [{ stream_id: id, name }] });
  });
});

describe("audiences: what the log gives back to a queue that returns", () => {
  it("is what it was given live, while people gained and lost sight of channels", async () => {
    const realm = await server.server.app.system.realmByHost("localhost");
    const people = [admin, creator, subscriber, other, guest];
    const { id, name } = await newChannel();
    const start = realm.position;
    const queues = await Promise.all(
      people.map(async ({ client }) => cursorOf(await client.register({ event_types: ["stream", "subscription"] }))),
    );
    const subscribe = { subscriptions: [{ name }], principals: [other.id, guest.id] };
    const unsubscribe = { subscriptions: [name], principals: [other.id, guest.id] };
    expectSuccess(await update(creator, id, { is_private: true }));
    expectSuccess(await creator.client.post("/users/me/subscriptions", subscribe));
    expectSuccess(await update(creator, id, { description: "seen by five" }));
    expectSuccess(await creator.client.delete("/users/me/subscriptions", unsubscribe));
    expectSuccess(await update(creator, id, { description: "seen by three" }));
    const invite = { direct_members: [other.id], direct_subgroups: [] };
    expectSuccess(await update(creator, id, { can_subscribe_group: { new: invite } }));
    expectSuccess(await update(creator, id, { is_private: false }));
    expectSuccess(await update(creator, id, { is_private: true, can_subscribe_group: { new: groups["role:nobody"] } }));
    expectSuccess(await update(creator, id, { description: "seen by three again" }));
    const entries = (await realm.entriesAfter(start, 10_000))!;
    // Between leaving a private channel and being told that it is gone, who else left makes no difference.
    const matters = (event: { type: string; op?: unknown }) =>
      ["stream", "subscription"].includes(event.type) && event.op !== "peer_remove";
    for (const [index, person] of people.entries()) {
      const live = await person.client.drain(queues[index]!);
      const user = realm.state.users.get(person.id)!;
      const again = receivedBy(realm.state, entries, user, false).filter(({ event }) => matters(event!));
      expect(again.map(({ position }) => position)).toEqual(live.filter(matters).map((event) => event.id));
    }
  });
});

describe("DELETE /streams", () => {
  it("archives: nobody posts there, the name is free, and the second time is an error", async () => {
    const { id, name } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectError(await creator.client.delete(`/streams/${id}`), 400, "BAD_REQUEST");
    expectError(
      await creator.client.post("/messages", { type: "stream", to: id, topic: "t", content: "Hi" }),
      400,
      "BAD_REQUEST",
    );
    await newChannel({ name });
  });

  it("announcements no longer go to an archived channel", async () => {
    const { id } = await newChannel();
    await setRealm({ new_stream_announcements_stream_id: id });
    const queue = cursorOf(await other.client.register({ event_types: ["realm"] }));
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    const events = await other.client.drain(queue);
    expect(events).toEqual([
      expect.objectContaining({
        type: "realm",
        op: "update",
        property: "new_stream_announcements_stream_id",
        value: -1,
      }),
    ]);
  });
});

describe("notices of the notification bot", () => {
  const noticesOf = async (id: number, act: () => Promise<unknown>): Promise<JsonObject[]> => {
    const queue = cursorOf(await subscriber.client.register({ event_types: ["message"] }));
    await act();
    const messages = (await subscriber.client.drain(queue)).map((event) => event["message"] as JsonObject);
    return messages.filter((message) => message["stream_id"] === id);
  };

  it("say in 'channel events' who renamed, described, hid or archived the channel, once each", async () => {
    const { id, name } = await newChannel();
    const said = async (act: () => Promise<ApiResponse>) => {
      const [notice, ...more] = await noticesOf(id, async () => expectSuccess(await act()));
      expect(more).toEqual([]);
      expect(notice).toMatchObject({ subject: "channel events", sender_full_name: "Notification Bot" });
      return notice!["content"] as string;
    };
    expect(await said(() => update(creator, id, { new_name: `${name}!` }))).toContain(`**${name}!**`);
    expect(await said(() => update(creator, id, { description: "new purpose" }))).toContain("> new purpose");
    expect(await said(() => update(creator, id, { is_private: true }))).toContain("**Private, protected history**");
    expect(await said(() => creator.client.delete(`/streams/${id}`))).toContain(`|${creator.id}**`);
    expect(await said(() => update(admin, id, { is_archived: false }))).toContain(`|${admin.id}**`);
  });

  it("mention nobody, whatever a name or description says", async () => {
    const { id } = await newChannel();
    const queue = cursorOf(await subscriber.client.register({ event_types: ["message"], apply_markdown: true }));
    const evil = `x** @**all** @**${subscriber.email}`;
    const description = "@**all** \r@**Sam Subscriber** \n\r\n@**topic**";
    expectSuccess(await update(creator, id, { new_name: evil.slice(0, 60), description }));
    const events = (await subscriber.client.drain(queue)).filter(
      (event) => (event["message"] as JsonObject)["stream_id"] === id,
    );
    expect(events).toHaveLength(2);
    for (const event of events) {
      expect(event["flags"]).toEqual([]);
      const html = (event["message"] as JsonObject)["content"] as string;
      for (const mention of html.match(/class="(user|topic)-mention[^"]*"/g) ?? []) expect(mention).toContain("silent");
    }
  });

  it("are not sent where nothing changed, nor where the organization wants none", async () => {
    const { id, name } = await newChannel();
    expect(await noticesOf(id, () => update(creator, id, { new_name: name, description: "" }))).toEqual([]);
    await setRealm({ send_channel_events_messages: false });
    try {
      expect(await noticesOf(id, () => update(creator, id, { new_name: newName() }))).toEqual([]);
    } finally {
      await setRealm({ send_channel_events_messages: true });
    }
  });

  it("go to the empty topic where no other is allowed, and are read by who caused them", async () => {
    const { id } = await newChannel({ topics_policy: "empty_topic_only" });
    const [notice] = await noticesOf(id, () => update(creator, id, { description: "quiet" }));
    expect(notice!["subject"]).toBe("general chat");
    const unread = async (person: TestPerson) => {
      const state = await person.client.register({ fetch_event_types: ["message", "update_message_flags"] });
      return state
        .unread_msgs!.streams.flatMap((bucket) => bucket.unread_message_ids)
        .includes(notice!["id"] as number);
    };
    expect(await unread(creator)).toBe(false);
    expect(await unread(subscriber)).toBe(true);
  });
});
