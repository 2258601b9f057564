import { describe, expect, test } from "vitest";
import { LEGACY, MOBILE, MODERN } from "./client-profile.ts";
import { eventProblems, registerProblems } from "./event-shapes.ts";
import { SAMPLE_KINDS, sampleEvent } from "./sample-events.ts";
import { samplePerson, sampleState, sampleSubscription } from "./sample-state.ts";

describe("every kind of event", () => {
  const misdirected = ["muted_topics", "realm_emoji/update", "user_group/remove"];
  const kinds = SAMPLE_KINDS.filter((kind) => !misdirected.includes(kind));

  test.each(kinds)("%s with an extra field is refused", (kind) => {
    expect(eventProblems(sampleEvent(kind, { surprise: 1 }), MODERN)).toEqual([
      `${kind}.surprise: undocumented field with value 1`,
    ]);
  });

  const OPTIONAL = ["local_message_id", "stream_name", "language_name"];
  const ALL_OPTIONAL = ["user_status", "device/update"];
  const fields = kinds
    .filter((kind) => !ALL_OPTIONAL.includes(kind))
    .flatMap((kind) => Object.keys(sampleEvent(kind)).map((field) => [kind, field] as const))
    .filter(([, field]) => !["type", "op", ...OPTIONAL].includes(field))
    // An edit of a direct message has none.
    .filter(([kind, field]) => kind !== "update_message" || field !== "stream_id");

  test.each(fields)("%s without %s is refused", (kind, field) => {
    const { [field]: _, ...event } = sampleEvent(kind);
    expect(eventProblems(event as never, MODERN)).not.toEqual([]);
  });
});

describe("an event in the wrong place", () => {
  test.each([
    ["muted_topics", MODERN, "did not ask"],
    ["realm_emoji/update", MODERN, "despite individual_emoji_changes"],
    ["user_group/remove", MODERN, "despite include_deactivated_groups"],
    ["realm_emoji/add", LEGACY, "without individual_emoji_changes"],
    ["realm_emoji/update_one", LEGACY, "without individual_emoji_changes"],
    ["realm_linkifiers", MOBILE, "without linkifier_url_template"],
    ["has_webex_token", LEGACY, "did not name it"],
    ["typing/stop", LEGACY, "without stream_typing_notifications"],
  ] as const)("%s is refused", (kind, profile, reason) => {
    expect(eventProblems(sampleEvent(kind), profile).join()).toContain(reason);
  });

  test("is_archived is refused without archived_channels", () => {
    const event = sampleEvent("stream/update", { property: "is_archived", value: true });
    expect(eventProblems(event, MODERN)).toEqual([]);
    expect(eventProblems(event, MOBILE).join()).toContain("without archived_channels");
  });

  test("an unknown kind is refused", () => {
    expect(eventProblems({ id: 1, type: "pointer" }, MODERN)).toEqual(["pointer: no such event is documented"]);
  });
});

describe("details clients rely on", () => {
  const wrong: [name: string, kind: string, changes: object][] = [
    ["propagate_mode without a move", "update_message", { propagate_mode: "change_one" }],
    ["message_ids out of order", "update_message", { message_ids: [9, 7] }],
    ["message_ids without message_id", "update_message", { message_ids: [8] }],
    [
      "a move together with an edit",
      "update_message",
      { new_stream_id: 5, orig_subject: "t", propagate_mode: "change_all" },
    ],
    ["a re-render by a user", "update_message", { rendering_only: true }],
    ["a channel message without a topic", "delete_message", { topic: undefined }],
    ["topic of a direct message", "delete_message", { message_type: "private" }],
    ["operation unlike op", "update_message_flags/add", { operation: "remove" }],
    ["all with messages", "update_message_flags/add", { all: true, flag: "read" }],
    ["unread without details", "update_message_flags/remove", { flag: "read" }],
    ["unread with other details", "update_message_flags/remove", { flag: "read", message_details: {} }],
    ["a recipient twice", "typing/start", { recipients: [1, 1].map((user_id) => ({ user_id, email: "e" })) }],
    ["a colour in capitals", "subscription/update", { value: "#00FF00" }],
    ["peers twice", "subscription/peer_add", { user_ids: [4, 4] }],
    ["no peers", "subscription/peer_add", { user_ids: [] }],
    ["a value of the wrong type", "stream/update", { property: "invite_only", value: 1 }],
    ["description without its HTML", "stream/update", { property: "description", value: "d" }],
    ["two changes of a person", "realm_user/update", { person: { user_id: 2, full_name: "x", role: 200 } }],
    ["no change of a person", "realm_user/update", { person: { user_id: 2 } }],
    ["a person without is_active", "realm_user/add", { person: { ...samplePerson(8, 400), is_active: undefined } }],
    ["a date without an offset", "realm_user/add", { person: samplePerson(8, 400, { date_joined: "2026-01-01" }) }],
    ["an emoji under another key", "realm_emoji/add", { emoji: { id: 1 } }],
  ];
  test.each(wrong)("%s is refused", (_name, kind, changes) => {
    expect(eventProblems(sampleEvent(kind), MODERN)).toEqual([]);
    // As on the wire, where nothing is undefined.
    const event = JSON.parse(JSON.stringify(sampleEvent(kind, changes)));
    expect(eventProblems(event, MODERN)).not.toEqual([]);
  });

  const right: [name: string, changes: object][] = [
    ["a topic change", { subject: "n", orig_subject: "t", propagate_mode: "change_later", topic_links: [] }],
    ["a channel change", { new_stream_id: 102, orig_subject: "t", propagate_mode: "change_all" }],
  ];
  test.each(right)("%s is accepted", (_name, changes) => {
    const { orig_content, orig_rendered_content, content, rendered_content, is_me_message, ...event } =
      sampleEvent("update_message");
    expect(eventProblems({ ...event, ...changes }, MODERN)).toEqual([]);
    const withEdit = eventProblems({ ...sampleEvent("update_message"), ...changes }, MODERN);
    expect(withEdit.length === 0).toBe("subject" in changes);
  });

  test("deletions come singly without bulk_message_deletion", () => {
    const { message_ids, ...rest } = sampleEvent("delete_message");
    const single = { ...rest, message_id: 7 };
    expect(eventProblems(single, LEGACY)).toEqual([]);
    expect(eventProblems(single, MOBILE)).not.toEqual([]);
  });

  test("each profile has one format of presence", () => {
    const { presences, ...rest } = sampleEvent("presence");
    const website = { client: "website", status: "idle", timestamp: 1, pushable: false };
    const slim = { ...rest, user_id: 2, server_timestamp: 1.5, presence: { website } };
    expect(eventProblems(slim, MOBILE)).toEqual([]);
    expect(eventProblems({ ...slim, email: "e" }, LEGACY)).toEqual([]);
    for (const profile of [LEGACY, MODERN]) expect(eventProblems(slim, profile)).not.toEqual([]);
    expect(eventProblems({ ...slim, email: "e" }, MOBILE)).not.toEqual([]);
  });

  test("null notification settings are for clients that declared them", () => {
    const subscriptions = [sampleSubscription(104, [3], { push_notifications: null })];
    expect(eventProblems(sampleEvent("subscription/add", { subscriptions }), MODERN)).toEqual([]);
    expect(eventProblems(sampleEvent("subscription/add", { subscriptions }), LEGACY)).not.toEqual([]);
  });
});

describe("the register answer", () => {
  // https://zulip.com/api/register-queue
  const required =
    `queue_id last_event_id zulip_feature_level zulip_version zulip_merge_base alert_words custom_profile_fields
    max_stream_name_length max_topic_length server_presence_ping_interval_seconds server_presence_offline_threshold_seconds
    muted_users presences realm_emoji realm_user_groups recent_private_conversations subscriptions unread_msgs
    starred_messages streams user_status user_settings user_topics realm_wildcard_mention_policy realm_name
    realm_waiting_period_threshold realm_allow_message_editing realm_enable_read_receipts realm_icon_url
    realm_presence_disabled realm_default_external_accounts max_file_upload_size_mib server_emoji_data_url
    event_queue_longpoll_timeout_seconds realm_users realm_non_active_users cross_realm_bots`.split(/\s+/);

  test.each(required)("without %s is refused", (field) => {
    const { [field]: _, ...state } = sampleState();
    expect(registerProblems(state, MODERN)).toEqual([expect.stringMatching(`^register.${field}: missing`)]);
  });

  test("is refused for what is new in it, though the rest was looked at before", () => {
    const state = sampleState();
    const subscription = sampleSubscription(77, [1]);
    state.subscriptions = [subscription];
    for (const _ of ["first", "again"]) expect(registerProblems(state, MODERN)).toEqual([]);
    Object.assign(subscription, { stream_id: "77" });
    for (const _ of ["first", "again"])
      expect(registerProblems(state, MODERN)).toEqual([
        expect.stringMatching(/^register\.subscriptions\.0\.stream_id:/),
      ]);
  });

  test("with unread ids out of order, or an undocumented field of a user, is refused", () => {
    const state = sampleState();
    state.unread_msgs?.pms.push({ other_user_id: 2, sender_id: 2, unread_message_ids: [5, 4] });
    Object.assign(state.realm_users?.[0] ?? {}, { is_active: true });
    expect(registerProblems(state, MODERN)).toEqual([
      "register.realm_users.0.is_active: undocumented field with value true",
      expect.stringMatching(/^register\.unread_msgs\.pms\.0\.unread_message_ids: /),
    ]);
  });
});
