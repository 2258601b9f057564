import { beforeAll, describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [admin, member, other, guest] = server.people(["Adele Admin", 200], "Mia Member", "Otto Other", [
  "Gus Guest",
  600,
]);
beforeAll(setUp);

describe("POST /channels/create", () => {
  it("answers the id, and the channel has the defaults of every option", async () => {
    const name = newName();
    const reply = expectSuccess(await create(member, { name }));
    expect(Object.keys(reply).sort()).toEqual(["id", "msg", "result"]);
    const nobody = groups["role:nobody"];
    expect(await member.channelOf(reply["id"] as number)).toMatchObject({
      name,
      description: "",
      rendered_description: "",
      creator_id: member.id,
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
      is_archived: false,
      message_retention_days: null,
      topics_policy: "inherit",
      folder_id: null,
      first_message_id: null,
      is_recently_active: true,
      stream_weekly_traffic: null,
      stream_post_policy: 1,
      is_announcement_only: false,
      subscriber_count: 1,
      can_add_subscribers_group: nobody,
      can_administer_channel_group: { direct_members: [member.id], direct_subgroups: [] },
      can_create_topic_group: groups["role:everyone"],
      can_delete_any_message_group: nobody,
      can_delete_own_message_group: nobody,
      can_move_messages_out_of_channel_group: nobody,
      can_move_messages_within_channel_group: nobody,
      can_remove_subscribers_group: groups["role:administrators"],
      can_resolve_topics_group: nobody,
      can_send_message_group: groups["role:everyone"],
      can_subscribe_group: nobody,
    });
  });

  it("name and subscribers are required", async () => {
    expect(
      expectError(await member.client.post("/channels/create", { subscribers: [] }), 400, "REQUEST_VARIABLE_MISSING")[
        "var_name"
      ],
    ).toBe("name");
    expect(
      expectError(await member.client.post("/channels/create", { name: "x" }), 400, "REQUEST_VARIABLE_MISSING")[
        "var_name"
      ],
    ).toBe("subscribers");
  });

  it("the name is trimmed, not empty, at most 60 code points, without control characters", async () => {
    expectError(await create(member, { name: "   " }), 400, "BAD_REQUEST");
    expectError(await create(member, { name: "𝒳".repeat(61) }), 400, "BAD_REQUEST");
    expectError(await create(member, { name: "a\u0007b" }), 400, "BAD_REQUEST");
    const id = await created(member, { name: `  ${"𝒳".repeat(60)} ` });
    expect((await member.channelOf(id))["name"]).toBe("𝒳".repeat(60));
  });

  it("a name that an active channel has, ignoring case, is refused", async () => {
    const name = newName();
    await created(member, { name });
    expectError(await create(other, { name: name.toUpperCase() }), 409, "CHANNEL_ALREADY_EXISTS");
  });

  it("names that only PostgreSQL takes for the same are refused too, and others go on", async () => {
    await created(member, { name: "ΑΣ" });
    const [same, fine] = await Promise.all([create(member, { name: "ασ" }), create(member)]);
    expectError(same, 400, "BAD_REQUEST");
    expectSuccess(fine);
  });

  it("the description is Markdown of at most 1024 code points, and renders without its script", async () => {
    expectError(await create(member, { description: "d".repeat(1025) }), 400, "BAD_REQUEST");
    const id = await created(member, { description: "**bold** <script>alert(1)</script>" });
    const channel = await member.channelOf(id);
    expect(channel["description"]).toBe("**bold** <script>alert(1)</script>");
    expect(channel["rendered_description"]).toContain("<strong>bold</strong>");
    expect(channel["rendered_description"]).not.toContain("<script");
  });

  it("subscribes exactly the given users, each once, and they may be nobody", async () => {
    const id = await created(member, { subscribers: [other.id, guest.id, other.id] });
    const reply = expectSuccess(await member.client.get(`/streams/${id}/members`));
    expect(reply["subscribers"]).toEqual([other.id, guest.id]);
    expect((await member.channelOf(await created(member, { subscribers: [] })))["subscriber_count"]).toBe(0);
  });

  it("subscribers who do not exist or are deactivated are refused, and nothing is created", async () => {
    const gone = await server.addUser("Gone");
    expectSuccess(await owner.client.delete(`/users/${gone.id}`));
    const name = newName();
    expectError(await create(member, { name, subscribers: [member.id, 999_999] }), 400, "BAD_REQUEST");
    expectError(await create(member, { name, subscribers: [gone.id] }), 400, "BAD_REQUEST");
    expectError(await create(member, { name, subscribers: "everybody" }), 400, "BAD_REQUEST");
    expectError(await owner.client.get("/get_stream_id", { stream: name }), 400, "STREAM_DOES_NOT_EXIST");
  });

  it("history is shown to new subscribers of public channels and protected in private ones, unless told otherwise", async () => {
    const history = async (params: JsonObject) =>
      (await member.channelOf(await created(member, params)))["history_public_to_subscribers"];
    expect(await history({ invite_only: true })).toBe(false);
    expect(await history({ invite_only: true, history_public_to_subscribers: true })).toBe(true);
    expectError(await create(member, { history_public_to_subscribers: false }), 400, "BAD_REQUEST");
  });

  it("can_create_topic_group must be role:everyone in a private channel with protected history", async () => {
    const topics = { can_create_topic_group: groups["role:members"] };
    expectError(await create(member, { invite_only: true, ...topics }), 400, "BAD_REQUEST");
    await created(member, { invite_only: true, history_public_to_subscribers: true, ...topics });
    await created(member, topics);
  });

  it("message_retention_days is a number of days, realm_default or unlimited, bare or quoted, and for administrators to set", async () => {
    const days = async (message_retention_days: unknown) =>
      (await admin.channelOf(await created(admin, { message_retention_days })))["message_retention_days"];
    expect(await days(30)).toBe(30);
    expect(await days("unlimited")).toBe(-1);
    expect(await days('"unlimited"')).toBe(-1);
    expect(await days("realm_default")).toBe(null);
    expect(await days('"realm_default"')).toBe(null);
    for (const bad of [0, -1, 1.5, "forever", 2 ** 31, "[]"]) {
      expectError(await create(owner, { message_retention_days: bad }), 400, "BAD_REQUEST");
    }
    expectError(await create(member, { message_retention_days: 30 }), 400, "UNAUTHORIZED_PRINCIPAL");
    await created(member, { message_retention_days: "realm_default" });
  });

  it("topics_policy takes its four words", async () => {
    for (const policy of ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]) {
      expect((await member.channelOf(await created(member, { topics_policy: policy })))["topics_policy"]).toBe(policy);
    }
    expectError(await create(member, { topics_policy: "none" }), 400, "BAD_REQUEST");
  });

  it("folder_id must be a folder that is not archived", async () => {
    const folder = expectSuccess(await admin.client.post("/channel_folders/create", { name: newName() }));
    const folder_id = folder["channel_folder_id"] as number;
    expect((await member.channelOf(await created(member, { folder_id })))["folder_id"]).toBe(folder_id);
    expectError(await create(member, { folder_id: 999_999 }), 400, "BAD_REQUEST");
    const archived = expectSuccess(await admin.client.post("/channel_folders/create", { name: newName() }));
    const archivedId = archived["channel_folder_id"] as number;
    expectSuccess(await admin.client.patch(`/channel_folders/${archivedId}`, { is_archived: true }));
    expectError(await create(member, { folder_id: archivedId }), 400, "BAD_REQUEST");
  });

  it("is_default_stream is for administrators and not for private channels", async () => {
    const id = await created(admin, { is_default_stream: true });
    expect((await server.state()).defaultChannels.has(id)).toBe(true);
    expectError(await create(member, { is_default_stream: true }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await create(admin, { is_default_stream: true, invite_only: true }), 400, "BAD_REQUEST");
  });

  it("group settings take a group or an anonymous group, and keep what equals a group as its id", async () => {
    const everyone = groups["role:everyone"]!;
    const moderators = groups["role:moderators"]!;
    const id = await created(member, {
      can_send_message_group: { direct_members: [], direct_subgroups: [moderators] },
      can_administer_channel_group: { direct_members: [other.id, member.id, other.id], direct_subgroups: [moderators] },
      can_resolve_topics_group: { direct_members: [], direct_subgroups: [] },
    });
    expect(await member.channelOf(id)).toMatchObject({
      can_send_message_group: moderators,
      stream_post_policy: 4,
      can_administer_channel_group: {
        direct_members: [member.id, other.id].sort((a, b) => a - b),
        direct_subgroups: [moderators],
      },
      can_resolve_topics_group: groups["role:nobody"],
    });
    const refused = async (params: JsonObject) => expectError(await create(member, params), 400, "BAD_REQUEST");
    await refused({ can_send_message_group: 999_999 });
    await refused({ can_send_message_group: "role:everyone" });
    await refused({ can_send_message_group: { direct_members: [999_999], direct_subgroups: [] } });
    await refused({ can_send_message_group: { direct_members: [member.id] } });
    await refused({ can_send_message_group: groups["role:internet"] });
    await refused({ can_add_subscribers_group: everyone });
    await refused({ can_administer_channel_group: everyone });
    await refused({ can_subscribe_group: { direct_members: [member.id], direct_subgroups: [everyone] } });
  });

  it("who may delete messages is for those whom the organization lets decide that", async () => {
    const params = { can_delete_any_message_group: groups["role:members"] };
    expectError(await create(member, params), 400, "BAD_REQUEST");
    await created(admin, params);
    await created(member, { can_delete_any_message_group: groups["role:nobody"] });
  });

  it("guests create no channels", async () => {
    expectError(await create(guest), 400, "BAD_REQUEST");
    expectError(await create(guest, { invite_only: true }), 400, "BAD_REQUEST");
  });

  it("parameters it does not know are named", async () => {
    const reply = expectSuccess(await create(member, { stream_post_policy: 2 }));
    expect(reply["ignored_parameters_unsupported"]).toEqual(["stream_post_policy"]);
  });
});

describe("POST /channels/create: web-public channels", () => {
  it("need spectator access, and a creator who may create them", async () => {
    expectError(await create(owner, { is_web_public: true }), 400, "BAD_REQUEST");
    await owner.setRealm({ enable_spectator_access: true });
    try {
      expectError(await create(admin, { is_web_public: true }), 400, "BAD_REQUEST");
      expectError(await create(owner, { is_web_public: true, invite_only: true }), 400, "BAD_REQUEST");
      server.allowWebPublicChannels(false);
      const refusal = await create(owner, { is_web_public: true });
      server.allowWebPublicChannels(true);
      expectError(refusal, 400, "BAD_REQUEST");
      const id = await created(owner, { is_web_public: true });
      expect((await guest.channelOf(id))["is_web_public"]).toBe(true);
    } finally {
      await owner.setRealm({ enable_spectator_access: false });
    }
  });
});

describe("POST /channels/create: permissions of the organization", () => {
  it("public and private channels have permissions of their own", async () => {
    await owner.setRealm({ can_create_public_channel_group: { new: groups["role:administrators"] } });
    try {
      expectError(await create(member), 400, "BAD_REQUEST");
      await created(member, { invite_only: true });
      await created(admin);
    } finally {
      await owner.setRealm({ can_create_public_channel_group: { new: groups["role:members"] } });
    }
    await owner.setRealm({ can_create_private_channel_group: { new: groups["role:administrators"] } });
    try {
      expectError(await create(member, { invite_only: true }), 400, "BAD_REQUEST");
      await created(member);
    } finally {
      await owner.setRealm({ can_create_private_channel_group: { new: groups["role:members"] } });
    }
  });

  it("a topics policy needs can_set_topics_policy_group", async () => {
    await owner.setRealm({ can_set_topics_policy_group: { new: groups["role:administrators"] } });
    try {
      expectError(await create(member, { topics_policy: "disable_empty_topic" }), 400, "BAD_REQUEST");
      await created(member, { topics_policy: "inherit" });
      await created(admin, { topics_policy: "disable_empty_topic" });
    } finally {
      await owner.setRealm({ can_set_topics_policy_group: { new: groups["role:members"] } });
    }
  });
});

describe("POST /channels/create: announce", () => {
  it("the notification bot tells of the channel where the organization announces new ones, never of private ones", async () => {
    const news = await created(owner, { subscribers: [owner.id, other.id] });
    await owner.setRealm({ new_stream_announcements_stream_id: news });
    const queue = await other.queue({ event_types: ["message"], apply_markdown: true });
    await created(member, { announce: true, invite_only: true });
    await created(member);
    const name = newName();
    const id = await created(member, { name, announce: true, description: "All about it" });
    const messages = (await other.drain(queue)).map((event) => event["message"] as JsonObject);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      stream_id: news,
      subject: "new channels",
      sender_full_name: "Notification Bot",
    });
    expect(messages[0]!["content"]).toContain(`data-stream-id="${id}"`);
    expect(messages[0]!["content"]).toContain(`data-user-id="${member.id}"`);
    expect(messages[0]!["content"]).toContain("All about it");
    await owner.setRealm({ new_stream_announcements_stream_id: -1 });
  });

  it("is false by default, and a new organization announces in its first channel", async () => {
    const fresh = await startTestServer();
    try {
      const { client, id } = fresh.owner;
      const { stream_id } = expectSuccess(await client.get("/get_stream_id", { stream: "general" }));
      const queue = cursorOf(await client.register({ event_types: ["message"] }));
      const name = newName();
      expectSuccess(await client.post("/channels/create", { name: newName(), subscribers: [id] }));
      expectSuccess(await client.post("/channels/create", { name, subscribers: [id], announce: true }));
      const messages = (await client.drain(queue)).map((event) => event["message"] as JsonObject);
      expect(messages).toMatchObject([{ stream_id, sender_full_name: "Notification Bot" }]);
      expect(messages[0]!["content"]).toContain(name);
    } finally {
      await fresh.stop();
    }
  });

  it("a name that looks like a mention mentions nobody", async () => {
    const news = await created(owner, { subscribers: [owner.id, other.id] });
    await owner.setRealm({ new_stream_announcements_stream_id: news });
    const queue = await other.queue({ event_types: ["message"], apply_markdown: true });
    const id = await created(member, { name: `${newName()}** @**all`, announce: true });
    const [event] = await other.drain(queue);
    expect(event!["flags"]).toEqual([]);
    expect((event!["message"] as JsonObject)["content"]).toContain(`"#narrow/channel/${id}"`);
    await owner.setRealm({ new_stream_announcements_stream_id: -1 });
  });
});

describe("channels/create: convergence and audience", () => {
  it("everybody who may know of a public channel hears of it, and its subscribers of their subscription", async () => {
    const seen = await assertConverges({
      observers: [owner.client, member.client, other.client, guest.client],
      act: () => created(member, { subscribers: [member.id, guest.id] }),
    });
    const kinds = (person: Person) => seen.eventsOf(person.client).map(({ type, op }) => `${type}/${String(op)}`);
    expect(kinds(other)).toEqual(["stream/create", "subscription/peer_add"]);
    expect(kinds(guest)).toContain("subscription/add");
  });

  it("nobody but its subscribers, administrators and whom its permissions name hears of a private channel", async () => {
    const seen = await assertConverges({
      observers: [admin.client, member.client, other.client, guest.client],
      act: () => created(member, { invite_only: true, is_default_stream: false, subscribers: [member.id] }),
    });
    const kinds = (person: Person) => seen.eventsOf(person.client).map(({ type, op }) => `${type}/${String(op)}`);
    expect(kinds(other)).toEqual([]);
    expect(kinds(guest)).toEqual([]);
    expect(kinds(admin)).toEqual(["stream/create", "subscription/peer_add"]);
    expect(kinds(member)).toContain("subscription/add");
  });

  it("everybody but guests hears of a new default channel", async () => {
    const seen = await assertConverges({
      observers: [member.client, guest.client],
      act: () => created(owner, { is_default_stream: true, subscribers: [] }),
    });
    expect(seen.eventsOf(member.client).map(({ type }) => type)).toContain("default_streams");
    expect(seen.eventsOf(guest.client)).toEqual([]);
  });
});

async function setUp(): Promise<void> {
  const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"] });
  groups = Object.fromEntries(state.realm_user_groups!.map((group) => [group.name, group.id as number]));
}

let groups: Record<string, number>;
let names = 0;

const newName = () => `created ${++names}`;
const create = (person: Person, params: JsonObject = {}) =>
  person.client.post("/channels/create", { name: newName(), subscribers: [person.id], ...params });
const created = async (person: Person, params: JsonObject = {}) =>
  expectSuccess(await create(person, params))["id"] as number;
