import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { organizationRoom } from "../../support/rooms/organization.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["streams"] });
const room = organizationRoom(server);
const { owner, adam, mona, mia, gwen } = room;
const { fetchRealm, patch, settingOf, group } = room;
const channel = server.channel("announcements", [owner, mia]);
const hidden = server.channel("hidden", [owner], { invite_only: true });

describe("PATCH /realm", () => {
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

  it("whether digests are wanted is kept and told, and that the server sends none", async () => {
    await assertConverges({
      observers: [server.owner.client],
      act: async () => expectSuccess(await patch({ digest_emails_enabled: true, digest_weekday: 5 })),
    });
    expect(await fetchRealm()).toMatchObject({
      realm_digest_emails_enabled: true,
      settings_send_digest_emails: false,
    });
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
    expect(await mia.drain(cursor)).toMatchObject([
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
      gif_rating_policy: [5],
      media_preview_size: [120, 0],
      default_avatar_source: ["U", "x"],
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
    expectError(await patch({ ...change, gif_rating_policy: 9 }), 400, "BAD_REQUEST");
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
        act: async () => void expectSuccess(await patch({ [name]: channel.id })),
      });
      expect(seen.eventsOf(mia.client)).toMatchObject([{ op: "update", property: name, value: channel.id }]);
      expect(await settingOf(name)).toBe(channel.id);
      expectSuccess(await patch({ [name]: hidden.id }));
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
  ["gif_rating_policy", 4],
  ["media_preview_size", 150],
  ["default_avatar_source", "J"],
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
  ["send_channel_events_messages", true],
  ["digest_weekday", 6],
  ["enable_guest_user_indicator", false],
  ["enable_guest_user_dm_warning", false],
  ["org_type", 35],
  ["welcome_message_custom_text", "Hello!"],
];

/** Whether no earlier line is about the same setting. */
const isFirst = ([name]: (typeof plain)[number], index: number) =>
  plain.findIndex(([other]) => other === name) === index;
