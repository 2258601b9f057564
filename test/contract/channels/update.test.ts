import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { channelRoom } from "../../support/rooms/channels.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = channelRoom(server);
const { owner, admin, creator, subscriber, other, guest, groups } = room;
const { newName, newChannel, update, isDefault } = room;

describe("PATCH /streams: properties", () => {
  it("the envelope is all that it answers, and nothing to change is fine", async () => {
    const { id } = await newChannel();
    expect(expectSuccess(await update(owner, id, {}))).toEqual({ result: "success", msg: "" });
  });

  it("new_name renames, within the limits of names, and another channel's name is refused ignoring case", async () => {
    const { id, name } = await newChannel();
    const taken = await newChannel();
    for (const bad of ["", " ", "n".repeat(61), taken.name.toUpperCase(), name, ` ${name} `])
      expectError(await update(creator, id, { new_name: bad }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { new_name: name.toUpperCase() }));
    const renamed = newName();
    expectSuccess(await update(creator, id, { new_name: ` ${renamed} ` }));
    expect((await other.channelOf(id))["name"]).toBe(renamed);
    expectSuccess(await other.client.get("/get_stream_id", { stream: renamed }));
    expectError(await other.client.get("/get_stream_id", { stream: name }), 400, "STREAM_DOES_NOT_EXIST");
  });

  it("description is Markdown of at most 1024 code points", async () => {
    const { id } = await newChannel();
    expectError(await update(creator, id, { description: "é".repeat(1025) }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { description: "*new*" }));
    expect(await other.channelOf(id)).toMatchObject({
      description: "*new*",
      rendered_description: "<p><em>new</em></p>",
    });
    expectSuccess(await update(creator, id, { description: "" }));
    expect(await other.channelOf(id)).toMatchObject({ description: "", rendered_description: "" });
  });

  it("message_retention_days takes a number, realm_default or unlimited, and is for administrators to set", async () => {
    const { id } = await newChannel();
    const days = async () => (await owner.channelOf(id))["message_retention_days"];
    expectSuccess(await update(admin, id, { message_retention_days: 7 }));
    expect(await days()).toBe(7);
    expectSuccess(await update(owner, id, { message_retention_days: '"unlimited"' }));
    // Null is accepted wherever a parameter is optional.
    expectSuccess(await update(owner, id, { message_retention_days: "null" }));
    expect(await days()).toBe(-1);
    expectSuccess(await update(owner, id, { message_retention_days: "realm_default" }));
    expect(await days()).toBe(null);
    for (const bad of [0, -2, "forever", "[]"])
      expectError(await update(owner, id, { message_retention_days: bad }), 400, "BAD_REQUEST");
    // Who administers the channel alone may not: messages are deleted by it.
    expectError(await update(creator, id, { message_retention_days: 7 }), 400, "UNAUTHORIZED_PRINCIPAL");
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
    expect((await other.channelOf(id))["folder_id"]).toBe(first);
    expectError(await update(creator, id, { folder_id: archived }), 400, "BAD_REQUEST");
    expectError(await update(creator, id, { folder_id: 999_999 }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { folder_id: null }));
    expect((await other.channelOf(id))["folder_id"]).toBe(null);
  });

  it("topics_policy is empty_topic_only only while every message is in the empty topic", async () => {
    const { id } = await newChannel();
    await creator.say(id, "Hello", "");
    expectSuccess(await update(creator, id, { topics_policy: "empty_topic_only" }));
    expectSuccess(await update(creator, id, { topics_policy: "inherit" }));
    await creator.say(id, "Hello", "something");
    expectError(await update(creator, id, { topics_policy: "empty_topic_only" }), 400, "BAD_REQUEST");
    expectSuccess(await update(creator, id, { topics_policy: "disable_empty_topic" }));
    expectError(await update(creator, id, { topics_policy: "whatever" }), 400, "BAD_REQUEST");
    expect((await creator.channelOf(id))["topics_policy"]).toBe("disable_empty_topic");
  });

  it("topics_policy needs can_set_topics_policy_group", async () => {
    const { id } = await newChannel();
    await owner.setRealm({ can_set_topics_policy_group: { new: groups["role:administrators"] } });
    try {
      expectError(await update(creator, id, { topics_policy: "disable_empty_topic" }), 400, "BAD_REQUEST");
      expectSuccess(await update(creator, id, { topics_policy: "inherit" }));
      expectSuccess(await update(admin, id, { topics_policy: "disable_empty_topic" }));
    } finally {
      await owner.setRealm({ can_set_topics_policy_group: { new: groups["role:members"] } });
    }
  });
});

describe("PATCH /streams: administrators edit any property", () => {
  it.each<[string, () => JsonObject, JsonObject]>([
    ["description", () => ({ description: "by an administrator" }), { description: "by an administrator" }],
    ["message_retention_days", () => ({ message_retention_days: 9 }), { message_retention_days: 9 }],
    ["topics_policy", () => ({ topics_policy: "allow_empty_topic" }), { topics_policy: "allow_empty_topic" }],
    ["privacy", () => ({ is_private: true }), { invite_only: true, history_public_to_subscribers: false }],
    [
      "a permission",
      () => ({ can_send_message_group: { new: groups["role:moderators"] } }),
      { stream_post_policy: 4, is_announcement_only: false },
    ],
  ])("%s of a public channel that they are not in", async (_what, params, expected) => {
    const { id } = await newChannel();
    expectSuccess(await update(admin, id, params()));
    expect(await admin.channelOf(id)).toMatchObject(expected);
  });

  it("the limits are those that register tells", async () => {
    const state = await admin.client.register({ fetch_event_types: ["realm"] });
    const { id } = await newChannel();
    const limits = { new_name: "max_stream_name_length", description: "max_stream_description_length" };
    for (const [param, limit] of Object.entries(limits)) {
      const longest = "\u{1f600}".repeat(state[limit] as number);
      expectSuccess(await update(admin, id, { [param]: longest }));
      expectError(await update(admin, id, { [param]: `${longest}x` }), 400, "BAD_REQUEST");
    }
  });

  it("a channel that does not exist, or is no number, is BAD_REQUEST", async () => {
    for (const id of ["999999", "0", "-1", "abc", "1.5", "99999999999999999999", "general"])
      expectError(await admin.client.patch(`/streams/${id}`, { description: "x" }), 400, "BAD_REQUEST");
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

describe("PATCH /streams: privacy", () => {
  const privacy = async (id: number) => {
    const { invite_only, is_web_public, history_public_to_subscribers } = await creator.channelOf(id);
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
        subscriptions: [{ name: (await creator.channelOf(id))["name"] }],
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

  it("is_web_public needs the server's setting, spectator access and can_create_web_public_channel_group", async () => {
    const { id } = await newChannel();
    expectError(await update(owner, id, { is_web_public: true }), 400, "BAD_REQUEST");
    await owner.setRealm({ enable_spectator_access: true });
    try {
      expectError(await update(admin, id, { is_web_public: true }), 400, "BAD_REQUEST");
      expectError(await update(owner, id, { is_web_public: true, is_private: true }), 400, "BAD_REQUEST");
      expectError(
        await update(owner, id, { is_web_public: true, history_public_to_subscribers: false }),
        400,
        "BAD_REQUEST",
      );
      server.allowWebPublicChannels(false);
      const refusal = await update(owner, id, { is_web_public: true });
      server.allowWebPublicChannels(true);
      expectError(refusal, 400, "BAD_REQUEST");
      expectSuccess(await update(owner, id, { is_web_public: true }));
      expect(await privacy(id)).toEqual({
        invite_only: false,
        is_web_public: true,
        history_public_to_subscribers: true,
      });
      // Each of the two turns the other off, when nothing is said of it.
      const { id: closed } = await newChannel({ invite_only: true, subscribers: [creator.id, owner.id] });
      expectSuccess(await update(owner, closed, { is_web_public: true }));
      expect(await privacy(closed)).toEqual(await privacy(id));
      expectSuccess(await guest.client.get(`/streams/${id}`));
      expectSuccess(await update(creator, id, { is_private: true }));
      expect(await privacy(id)).toEqual({
        invite_only: true,
        is_web_public: false,
        history_public_to_subscribers: false,
      });
    } finally {
      await owner.setRealm({ enable_spectator_access: false });
    }
  });

  it("an archived channel's privacy can be edited (feature level 362)", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expectSuccess(await update(creator, id, { is_private: true }));
    expect((await privacy(id)).invite_only).toBe(true);
  });
});

describe("PATCH /streams: is_archived", () => {
  it("true is refused and archives nothing, whatever comes with it", async () => {
    const { id, name } = await newChannel();
    expectError(await update(owner, id, { is_archived: true, new_name: newName() }), 400, "BAD_REQUEST");
    expect(await owner.channelOf(id)).toMatchObject({ is_archived: false, name });
  });

  it("false brings an archived channel back, for administrators of the organization", async () => {
    const { id } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    expect(await creator.channelOf(id)).toMatchObject({ is_archived: true });
    expectError(await update(creator, id, { is_archived: false }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await update(admin, id, { is_archived: false }));
    expect(await creator.channelOf(id)).toMatchObject({ is_archived: false });
    await subscriber.say(id, "Hello", "back");
  });

  it("a channel whose name was taken meanwhile comes back only under another", async () => {
    const { id, name } = await newChannel();
    expectSuccess(await creator.client.delete(`/streams/${id}`));
    await newChannel({ name });
    expectError(await update(admin, id, { is_archived: false }), 400, "BAD_REQUEST");
    expectSuccess(await update(admin, id, { is_archived: false, new_name: newName() }));
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
    expect(await owner.channelOf(id)).toMatchObject({ name, description: "", invite_only: false });
  });
});
