import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { startTestServer, type TestPerson, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
let owner: TestPerson;
let adam: TestPerson;
let mona: TestPerson;
let mia: TestPerson;
let gwen: TestPerson;
let channel: number;
let hidden: number;
const groups = new Map<string, number>();

beforeAll(async () => {
  server = await startTestServer();
  owner = server.owner;
  [adam, mona, mia, gwen] = await Promise.all([
    server.addUser("Adam Admin", { role: 200 }),
    server.addUser("Mona Moderator", { role: 300 }),
    server.addUser("Mia Member"),
    server.addUser("Gwen Guest", { role: 600 }),
  ]);
  channel = await server.addChannel("announcements", [owner, mia]);
  hidden = await server.addChannel("hidden", [owner], { invite_only: true });
  const state = await owner.client.register({ fetch_event_types: ["realm_user_groups"], event_types: [] });
  for (const group of state.realm_user_groups!) groups.set(group.name, group.id);
});
afterAll(() => server.stop());

const patch = (params: Record<string, unknown>, person = owner) => person.client.patch("/realm", params);
const fetchRealm = (person = owner) => person.client.register({ fetch_event_types: ["realm"], event_types: [] });
const settingOf = async (name: string) => (await fetchRealm())[`realm_${name}`];
const group = (name: string) => groups.get(name)!;

/** Setting, a value as it is sent, and the value as it is then told. */
const plain: [name: string, sent: unknown, told?: unknown][] = [
  ["name", "Tea & Co."],
  ["description", "Where *tea* is."],
  ["message_retention_days", 30],
  ["message_retention_days", "unlimited", -1],
  ["message_retention_days", 45],
  ["message_retention_days", '"unlimited"', -1],
  ["allow_message_editing", false],
  ["message_content_edit_limit_seconds", 120],
  ["message_content_edit_limit_seconds", '"unlimited"', null],
  ["message_content_delete_limit_seconds", "unlimited", null],
  ["message_content_delete_limit_seconds", 60],
  ["move_messages_within_stream_limit_seconds", 3600],
  ["move_messages_between_streams_limit_seconds", '"unlimited"', null],
  ["message_edit_history_visibility_policy", "moves"],
  ["topics_policy", "disable_empty_topic"],
  ["enable_read_receipts", true],
  ["presence_disabled", true],
  ["video_chat_provider", 0],
  ["giphy_rating", 5],
  ["default_language", "de"],
  ["default_language", '"fr"', "fr"],
  ["default_code_block_language", "python"],
  ["invite_required", false],
  ["emails_restricted_to_domains", true],
  ["disallow_disposable_email_addresses", false],
  ["email_changes_disabled", true],
  ["name_changes_disabled", true],
  ["avatar_changes_disabled", true],
  ["require_unique_names", true],
  ["require_e2ee_push_notifications", true],
  ["enable_spectator_access", true],
  ["want_advertise_in_communities_directory", true],
  ["inline_image_preview", false],
  ["inline_url_embed_preview", true],
  ["message_content_allowed_in_email_notifications", false],
  ["send_welcome_emails", false],
  ["send_channel_events_messages", false],
  ["digest_emails_enabled", true],
  ["digest_weekday", 6],
  ["enable_guest_user_indicator", false],
  ["enable_guest_user_dm_warning", false],
  ["org_type", 35],
  ["welcome_message_custom_text", "Hello!"],
];

/** Whether no earlier line is about the same setting. */
const isFirst = ([name]: (typeof plain)[number], index: number) =>
  plain.findIndex(([other]) => other === name) === index;

describe("and 8, PATCH /realm", () => {
  it("takes every setting, tells everybody once, and register answers the new value", async () => {
    for (const batch of [plain.filter(isFirst), plain.filter((one, index) => !isFirst(one, index))]) {
      const told: Record<string, unknown> = {};
      const seen = await assertConverges({
        observers: [mia.client],
        act: async () => {
          for (const [name, sent, value = sent] of batch) {
            expectSuccess(await patch({ [name]: sent }));
            expect([name, await settingOf(name)]).toEqual([name, value]);
            told[name] = value;
          }
        },
      });
      for (const { events } of seen.observations) {
        expect(events).toHaveLength(batch.length);
        const heard: Record<string, unknown> = {};
        for (const event of events) {
          if (event.op === "update") heard[event["property"] as string] = event["value"];
          else Object.assign(heard, event["data"]);
        }
        expect(heard).toMatchObject(told);
      }
    }
  });

  it("a value that is there already sends nothing", async () => {
    const { name, description } = { name: "Tea & Co.", description: "Where *tea* is." };
    const seen = await assertConverges({ observers: [mia.client], act: () => patch({ name, description }) });
    for (const { events } of seen.observations) expect(events).toEqual([]);
  });

  it("the policies that replaced booleans come in update_dict with what is deprecated", async () => {
    const queue = await mia.client.register({ event_types: ["realm"], fetch_event_types: [] });
    expectSuccess(
      await patch({ topics_policy: "allow_empty_topic", message_edit_history_visibility_policy: "none", org_type: 10 }),
    );
    const cursor = { queueId: queue.queue_id as string, lastEventId: queue.last_event_id as number };
    expect(await mia.client.drain(cursor)).toMatchObject([
      { type: "realm", op: "update", property: "org_type", value: 10 },
      {
        type: "realm",
        op: "update_dict",
        property: "default",
        data: {
          topics_policy: "allow_empty_topic",
          mandatory_topics: false,
          message_edit_history_visibility_policy: "none",
          allow_edit_history: false,
        },
      },
    ]);
  });

  it("a meeting server of one's own, or the default one", async () => {
    expectSuccess(await patch({ jitsi_server_url: '"https://meet.example.org/x"' }));
    expect(await fetchRealm()).toMatchObject({
      realm_jitsi_server_url: "https://meet.example.org/x",
      jitsi_server_url: "https://meet.example.org/x",
    });
    for (const wrong of ["javascript:alert(1)", "meet", "", "null", `https://${"x".repeat(300)}.org`])
      expectError(await patch({ jitsi_server_url: JSON.stringify(wrong) }), 400, "BAD_REQUEST");
    expectSuccess(await patch({ jitsi_server_url: "default" }));
    expect(await fetchRealm()).toMatchObject({
      realm_jitsi_server_url: null,
      jitsi_server_url: "https://meet.jit.si",
    });
  });

  it("wrong values are refused", async () => {
    const wrong: Record<string, unknown[]> = {
      name: ["", "  ", "x".repeat(41), "a\0b"],
      description: ["x".repeat(1001)],
      message_retention_days: [0, -1, 1.5, "forever", "realm_default", "[]", 1e12],
      message_content_edit_limit_seconds: [0, -5, "never", 1e15],
      message_content_delete_limit_seconds: [0],
      move_messages_within_stream_limit_seconds: ["x"],
      allow_message_editing: ["maybe", 1, '"true"'],
      message_edit_history_visibility_policy: ["some", 1],
      topics_policy: ["inherit", "empty_topic_only"],
      waiting_period_threshold: [-1, "x", 1e9],
      video_chat_provider: [3, "x", -1],
      giphy_rating: [6],
      default_language: ["xx", "klingon", "<b>"],
      default_code_block_language: ["x".repeat(41)],
      digest_weekday: [7, -1],
      org_type: [5],
      welcome_message_custom_text: ["x".repeat(8001)],
    };
    for (const [name, values] of Object.entries(wrong)) {
      const before = await settingOf(name);
      for (const value of values) expectError(await patch({ [name]: value }), 400);
      expect(await settingOf(name)).toEqual(before);
    }
  });

  it("null is a limit that is not given", async () => {
    const before = await settingOf("message_content_edit_limit_seconds");
    expectSuccess(await patch({ message_content_edit_limit_seconds: "null", description: "brewing" }));
    expect(await settingOf("message_content_edit_limit_seconds")).toEqual(before);
  });

  it("lengths count code points", async () => {
    expectSuccess(await patch({ name: "🫖".repeat(40), description: "🫖".repeat(1000) }));
    expectSuccess(await patch({ name: "Tea" }));
  });

  it("one bad parameter changes nothing", async () => {
    const before = await fetchRealm();
    const change = { description: "changed", digest_weekday: 3, can_create_groups: { new: group("role:owners") } };
    expectError(await patch({ ...change, giphy_rating: 9 }), 400, "BAD_REQUEST");
    expectError(await patch({ ...change, moderation_request_channel_id: 999_999 }), 400, "BAD_REQUEST");
    expectError(await patch({ ...change, can_invite_users_group: { new: group("role:everyone") } }), 400);
    const after = await fetchRealm();
    for (const name of ["realm_description", "realm_digest_weekday", "realm_can_create_groups"])
      expect(after[name]).toEqual(before[name]);
  });

  it("unknown parameters are named", async () => {
    const answer = expectSuccess(await patch({ description: "again", string_id: "other" }));
    expect(answer["ignored_parameters_unsupported"]).toEqual(["string_id"]);
  });

  it("one way to log in stays on", async () => {
    expectSuccess(await patch({ authentication_methods: { Email: true } }));
    for (const wrong of [{ Email: false }, { LDAP: true }, {}, { Email: "yes" }])
      expectError(await patch({ authentication_methods: wrong }), 400, "BAD_REQUEST");
    expectError(await patch({ authentication_methods: { Email: true } }, adam), 400, "UNAUTHORIZED_PRINCIPAL");
  });
});

describe("PATCH /realm by role", () => {
  it("moderators, members and guests change nothing", async () => {
    for (const person of [mona, mia, gwen])
      expectError(await patch({ description: "mine" }, person), 400, "UNAUTHORIZED_PRINCIPAL");
  });

  it("administrators change what owners have not kept for themselves", async () => {
    expectSuccess(await patch({ description: "ours", enable_read_receipts: false }, adam));
    const ownersOnly: Record<string, unknown> = {
      message_retention_days: 7,
      waiting_period_threshold: 1,
      invite_required: true,
      emails_restricted_to_domains: false,
      disallow_disposable_email_addresses: true,
      create_multiuse_invite_group: { new: group("role:members") },
      can_create_groups: { new: group("role:owners") },
      can_invite_users_group: { new: group("role:owners") },
      can_manage_all_groups: { new: group("role:administrators") },
      can_manage_billing_group: { new: group("role:owners") },
    };
    for (const [name, value] of Object.entries(ownersOnly)) {
      const before = await settingOf(name);
      expectError(await patch({ [name]: value }, adam), 400, "UNAUTHORIZED_PRINCIPAL");
      expect(await settingOf(name)).toEqual(before);
      expectSuccess(await patch({ [name]: value }, owner));
    }
    expectSuccess(await patch({ waiting_period_threshold: 0, message_retention_days: "unlimited" }));
  });
});

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
    const state = (person: TestPerson) =>
      person.client.register({ fetch_event_types: ["realm_user"], event_types: [] });
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

describe("channels that settings name", () => {
  const names = [
    "moderation_request_channel_id",
    "new_stream_announcements_stream_id",
    "signup_announcements_stream_id",
    "zulip_update_announcements_stream_id",
  ];

  it("take a channel that the caller sees, or -1 for none", async () => {
    for (const name of names) {
      const seen = await assertConverges({
        observers: [mia.client],
        act: async () => void expectSuccess(await patch({ [name]: channel })),
      });
      expect(seen.eventsOf(mia.client)).toMatchObject([{ op: "update", property: name, value: channel }]);
      expect(await settingOf(name)).toBe(channel);
      expectSuccess(await patch({ [name]: hidden }));
      expectSuccess(await patch({ [name]: -1 }));
      expect(await settingOf(name)).toBe(-1);
    }
  });

  it("refuse what is no channel", async () => {
    for (const name of names) {
      for (const wrong of [0, -2, 999_999, "general", 1.5]) expectError(await patch({ [name]: wrong }), 400);
    }
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

describe("realm deactivated", () => {
  it("owners alone close the organization; parked polls are told, and every later request is REALM_DEACTIVATED", async () => {
    for (const person of [adam, mia, gwen])
      expectError(await person.client.post("/realm/deactivate"), 400, "UNAUTHORIZED_PRINCIPAL");
    const queue = await mia.client.register({ event_types: ["realm"], fetch_event_types: ["realm"] });
    const cursor = { queueId: queue.queue_id as string, lastEventId: queue.last_event_id as number };
    const waiting = mia.client.events(cursor.queueId, cursor.lastEventId);
    expectSuccess(await owner.client.post("/realm/deactivate"));
    expect(await waiting).toMatchObject([{ type: "realm", op: "deactivated", realm_id: expect.any(Number) }]);
    expectError(await mia.client.get("/events", { queue_id: cursor.queueId }), 401, "REALM_DEACTIVATED");
    expectError(await owner.client.patch("/realm", { name: "Back" }), 401, "REALM_DEACTIVATED");
    expectError(await owner.client.get("/server_settings"), 401, "REALM_DEACTIVATED");
  });
});
