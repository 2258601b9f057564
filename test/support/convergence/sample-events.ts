/** One valid event of every kind, fitting `sampleState`, as a client with every capability gets it. */
import type { WireEvent } from "./client-state.ts";
import {
  CALLER,
  GROUPS,
  sampleChannel,
  sampleEmoji,
  sampleFolder,
  sampleGroup,
  sampleMessage,
  samplePerson,
  sampleProfileField,
  sampleSubscription,
} from "./sample-state.ts";

const flags = (op: string, flag: string) => ({ op, operation: op, flag, messages: [7], all: false });
const reaction = { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji" };
const sender = { user_id: 2, email: "user2@chat.example" };
const snippet = { id: 1, title: "Hi", content: "hello", date_created: 1 };
const draft = { id: 1, type: "stream", to: [101], topic: "t", content: "c", timestamp: 5 };
const scheduled = {
  scheduled_message_id: 1,
  type: "stream",
  to: 101,
  topic: "t",
  content: "c",
  rendered_content: "<p>c</p>",
  scheduled_delivery_timestamp: 9,
  failed: false,
};
const reminder = {
  reminder_id: 1,
  type: "private",
  to: [CALLER],
  content: "c",
  rendered_content: "<p>c</p>",
  scheduled_delivery_timestamp: 9,
  failed: false,
  reminder_target_message_id: 7,
};
const bot = {
  user_id: 9,
  email: "bot@chat.example",
  full_name: "Bot",
  bot_type: 1,
  is_active: true,
  owner_id: 2,
  services: [],
  avatar_url: "/avatar/9",
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
};
const attachment = { id: 1, name: "a.txt", path_id: "1/a.txt", size: 3, create_time: 1, messages: [], message_ids: [] };

/** `type` or `type/op` to the other fields of the event. */
const BODIES: Readonly<Record<string, object>> = {
  message: { message: sampleMessage(41), flags: ["mentioned"] },
  update_message: {
    user_id: 2,
    rendering_only: false,
    message_id: 7,
    message_ids: [7],
    flags: ["read"],
    edit_timestamp: 1,
    stream_id: 101,
    orig_content: "a",
    orig_rendered_content: "<p>a</p>",
    content: "b",
    rendered_content: "<p>b</p>",
    is_me_message: false,
  },
  delete_message: { message_ids: [7], message_type: "stream", stream_id: 101, topic: "t" },
  "update_message_flags/add": flags("add", "starred"),
  "update_message_flags/remove": flags("remove", "starred"),
  "reaction/add": { ...reaction, message_id: 7, user_id: 2, user: { ...sender, full_name: "User 2" } },
  "reaction/remove": { ...reaction, message_id: 7, user_id: 2, user: { ...sender, full_name: "User 2" } },
  submessage: { msg_type: "widget", message_id: 7, submessage_id: 1, sender_id: 2, content: "{}" },
  "typing/start": { message_type: "direct", sender, recipients: [sender, { ...sender, user_id: CALLER }] },
  "typing/stop": { message_type: "stream", sender, stream_id: 101, topic: "t" },
  "typing_edit_message/start": { sender_id: 2, message_id: 7, recipient: { type: "direct", user_ids: [2, CALLER] } },
  "typing_edit_message/stop": {
    sender_id: 2,
    message_id: 7,
    recipient: { type: "channel", channel_id: 101, topic: "t" },
  },
  "subscription/add": { subscriptions: [sampleSubscription(104, [1, CALLER])] },
  "subscription/remove": { subscriptions: [{ stream_id: 101, name: "channel 101" }] },
  "subscription/update": { stream_id: 101, property: "color", value: "#00ff00" },
  "subscription/peer_add": { stream_ids: [101], user_ids: [4] },
  "subscription/peer_remove": { stream_ids: [101], user_ids: [2] },
  "stream/create": { streams: [sampleChannel(105)] },
  "stream/delete": { stream_ids: [104], streams: [{ stream_id: 104 }] },
  "stream/update": { stream_id: 101, name: "channel 101", property: "folder_id", value: 2 },
  "channel_folder/add": { channel_folder: sampleFolder(3, 2) },
  "channel_folder/update": { channel_folder_id: 1, data: { name: "new" } },
  "channel_folder/reorder": { order: [2, 1] },
  default_streams: { default_streams: [102] },
  default_stream_groups: { default_stream_groups: [{ id: 1, name: "g", description: "", streams: [101] }] },
  "user_group/add": { group: sampleGroup(21, "writers", []) },
  "user_group/update": { group_id: GROUPS.designers, data: { deactivated: true } },
  "user_group/add_members": { group_id: GROUPS.designers, user_ids: [1] },
  "user_group/remove_members": { group_id: GROUPS.designers, user_ids: [2] },
  "user_group/add_subgroups": { group_id: GROUPS.designers, direct_subgroup_ids: [GROUPS.owners] },
  "user_group/remove_subgroups": { group_id: GROUPS.everyone, direct_subgroup_ids: [GROUPS.members] },
  "user_group/remove": { group_id: GROUPS.designers },
  "realm_user/add": { person: samplePerson(8, 400) },
  "realm_user/remove": { person: { user_id: 4, full_name: "User 4" } },
  "realm_user/update": { person: { user_id: 2, full_name: "Second" } },
  presence: { presences: { "4": { active_timestamp: 2, idle_timestamp: 2 } } },
  user_status: { user_id: 4, status_text: "busy", emoji_name: "", emoji_code: "", reaction_type: "" },
  "realm/update": { property: "name", value: "Talk" },
  "realm/update_dict": {
    property: "default",
    data: { topics_policy: "disable_empty_topic", allow_edit_history: true },
  },
  "realm/deactivated": { realm_id: 1 },
  "realm_emoji/update": { realm_emoji: { "2": sampleEmoji("2") } },
  "realm_emoji/add": { emoji: sampleEmoji("2") },
  "realm_emoji/update_one": { emoji_id: "1", data: { deactivated: true } },
  realm_linkifiers: {
    realm_linkifiers: [
      {
        id: 1,
        pattern: "#(?P<id>[0-9]+)",
        url_template: "https://bugs.example/{id}",
        example_input: null,
        reverse_template: null,
        alternative_url_templates: [],
      },
    ],
  },
  realm_playgrounds: {
    realm_playgrounds: [{ id: 1, name: "P", pygments_language: "Python", url_template: "https://p.example/{code}" }],
  },
  "realm_domains/add": { realm_domain: { domain: "b.example", allow_subdomains: true } },
  "realm_domains/change": { realm_domain: { domain: "chat.example", allow_subdomains: true } },
  "realm_domains/remove": { domain: "chat.example" },
  custom_profile_fields: { fields: [sampleProfileField(2)] },
  "realm_bot/add": { bot },
  "realm_bot/update": { bot: { user_id: 9, full_name: "Robot" } },
  "realm_bot/delete": { bot: { user_id: 9 } },
  "realm_user_settings_defaults/update": { property: "twenty_four_hour_time", value: true },
  "user_settings/update": { property: "twenty_four_hour_time", value: true },
  realm_export: {
    exports: [
      {
        id: 1,
        acting_user_id: 2,
        export_time: 1,
        export_type: "standard",
        export_url: null,
        pending: true,
        failed_timestamp: null,
        deleted_timestamp: null,
      },
    ],
  },
  realm_export_consent: { user_id: 2, consented: true },
  invites_changed: {},
  restart: { zulip_version: "12.1", zulip_merge_base: "12.1", zulip_feature_level: 497, server_generation: 2 },
  web_reload_client: { immediate: true },
  heartbeat: {},
  user_topic: { stream_id: 101, topic_name: "t", last_updated: 1, visibility_policy: 3 },
  muted_topics: { muted_topics: [["channel 101", "t", 1]] },
  muted_users: { muted_users: [{ id: 2, timestamp: 1 }] },
  alert_words: { alert_words: ["fire"] },
  onboarding_steps: { onboarding_steps: [] },
  has_zoom_token: { value: true },
  has_webex_token: { value: true },
  "device/add": { device_id: 1 },
  "device/update": { device_id: 1, push_token_id: "abc" },
  "device/remove": { device_id: 1 },
  "saved_snippets/add": { saved_snippet: snippet },
  "saved_snippets/update": { saved_snippet: { ...snippet, title: "Hello" } },
  "saved_snippets/remove": { saved_snippet_id: 1 },
  "drafts/add": { drafts: [draft] },
  "drafts/update": { draft: { ...draft, content: "d", timestamp: 6 } },
  "drafts/remove": { draft_id: 1 },
  "scheduled_messages/add": { scheduled_messages: [scheduled] },
  "scheduled_messages/update": { scheduled_message: { ...scheduled, content: "d" } },
  "scheduled_messages/remove": { scheduled_message_id: 1 },
  "reminders/add": { reminders: [reminder] },
  "reminders/remove": { reminder_id: 1 },
  "navigation_view/add": { navigation_view: { fragment: "recent", is_pinned: false, name: "Recent" } },
  "navigation_view/update": { fragment: "inbox", data: { is_pinned: false } },
  "navigation_view/remove": { fragment: "inbox" },
  "attachment/add": { attachment, upload_space_used: 3 },
  "attachment/update": { attachment, upload_space_used: 3 },
  "attachment/remove": { attachment: { id: 1 }, upload_space_used: 0 },
};

/** Every kind that has a sample, as `type` or `type/op`. */
export const SAMPLE_KINDS: readonly string[] = Object.keys(BODIES);

/** An event of this kind, with some fields changed. */
export function sampleEvent(kind: string, changes: object = {}): WireEvent {
  const [type = "", op] = kind.split("/");
  return structuredClone({ id: 6, type, ...(op !== undefined && { op }), ...BODIES[kind], ...changes });
}
