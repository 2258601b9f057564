/** A hand-made register answer and hand-made objects, valid by the shapes, for testing the test support itself. */

import { realmGroupSettings } from "../../../actors/realm/state/settings.ts";
import type { ChannelRecord, RegisterState, UserRecord } from "../../../http/client/state/state.ts";
import { channelGroupSettings, userGroupSettings } from "../../../storage/rows.ts";
import { type ClientProfile, MODERN } from "./client-profile.ts";

/** The account that fetched the state: an ordinary member. */
export const CALLER = 3;
/** Ids of the system groups, smallest first; each holds the one before it, except nobody. */
export const GROUPS = {
  nobody: 10,
  owners: 11,
  administrators: 12,
  moderators: 13,
  fullmembers: 14,
  members: 15,
  everyone: 16,
  internet: 17,
  designers: 20,
} as const;

/** A user as events carry it; drop `is_active` for the lists. */
export function samplePerson(user_id: number, role: number, changes: object = {}): UserRecord & { is_active: boolean } {
  return {
    user_id,
    email: `user${user_id}@chat.example`,
    delivery_email: `user${user_id}@chat.example`,
    full_name: `User ${user_id}`,
    date_joined: "2026-01-02T03:04:05+00:00",
    is_active: true,
    is_owner: role === 100,
    is_admin: role <= 200,
    is_guest: role === 600,
    role,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    timezone: "Europe/Lisbon",
    avatar_url: null,
    avatar_version: 1,
    profile_data: {},
    is_imported_stub: false,
    ...changes,
  };
}

/** A user as the lists of the register answer carry it. */
export function sampleUser(user_id: number, role: number, changes: object = {}): UserRecord {
  const { is_active, ...user } = samplePerson(user_id, role, changes);
  return user as UserRecord;
}

/** A channel, 6.2. */
export function sampleChannel(stream_id: number, changes: object = {}): ChannelRecord {
  return {
    stream_id,
    name: `channel ${stream_id}`,
    description: "*about*",
    rendered_description: "<p><em>about</em></p>",
    date_created: 1_767_000_000,
    creator_id: 1,
    first_message_id: null,
    folder_id: null,
    invite_only: false,
    is_web_public: false,
    history_public_to_subscribers: true,
    is_archived: false,
    message_retention_days: null,
    topics_policy: "inherit",
    stream_post_policy: 1,
    is_announcement_only: false,
    is_recently_active: true,
    stream_weekly_traffic: null,
    subscriber_count: 0,
    ...Object.fromEntries(channelGroupSettings.map((name) => [name, GROUPS.nobody])),
    ...changes,
  };
}

/** A subscription, 6.3, with the caller and the given others in it. */
export function sampleSubscription(
  stream_id: number,
  subscribers: number[] = [CALLER],
  changes: object = {},
): ChannelRecord {
  return {
    ...sampleChannel(stream_id, { subscriber_count: subscribers.length }),
    color: "#a1b2c3",
    pin_to_top: false,
    is_muted: false,
    in_home_view: true,
    desktop_notifications: false,
    audible_notifications: false,
    push_notifications: false,
    email_notifications: false,
    wildcard_mentions_notify: true,
    subscribers,
    ...changes,
  };
}

/** A user group, 6.7. */
export function sampleGroup(id: number, name: string, members: number[], direct_subgroup_ids: number[] = []) {
  return {
    id,
    name,
    description: "",
    members,
    direct_subgroup_ids,
    is_system_group: name.startsWith("role:"),
    deactivated: false,
    creator_id: null,
    date_created: null,
    ...Object.fromEntries(userGroupSettings.map((setting) => [setting, GROUPS.nobody])),
  };
}

function sampleGroups() {
  return [
    sampleGroup(GROUPS.nobody, "role:nobody", []),
    sampleGroup(GROUPS.owners, "role:owners", [1]),
    sampleGroup(GROUPS.administrators, "role:administrators", [2], [GROUPS.owners]),
    sampleGroup(GROUPS.moderators, "role:moderators", [], [GROUPS.administrators]),
    sampleGroup(GROUPS.fullmembers, "role:fullmembers", [CALLER], [GROUPS.moderators]),
    sampleGroup(GROUPS.members, "role:members", [], [GROUPS.fullmembers]),
    sampleGroup(GROUPS.everyone, "role:everyone", [4], [GROUPS.members]),
    sampleGroup(GROUPS.internet, "role:internet", [], [GROUPS.everyone]),
    sampleGroup(GROUPS.designers, "designers", [2, CALLER]),
  ];
}

/**
 * A state as user 3 fetches it. Users: 1 (owner), 2 (administrator), 3 (member), 4 (guest), 5 (deactivated). Channels:
 * 101 and 102 subscribed to, 103 left, 104 never joined.
 */
export function sampleState(profile: ClientProfile = MODERN): RegisterState {
  const subscriptions = [sampleSubscription(101, [2, 3]), sampleSubscription(102, [1, 3], { is_muted: true })];
  const { subscribers, ...left } = sampleSubscription(103, [1]);
  const channels = [101, 102, 103, 104].map((id) => sampleChannel(id, { subscriber_count: id < 103 ? 2 : 1 }));
  const isModern = profile.slimPresence;
  return {
    result: "success",
    msg: "",
    queue_id: "q1",
    last_event_id: 5,
    zulip_version: "12.0",
    zulip_merge_base: "12.0",
    zulip_feature_level: 496,
    idle_queue_timeout_secs: 600,
    server_generation: 1_767_000_000,
    server_timestamp: 1_767_000_100,
    presence_last_update_id: 9,
    event_queue_longpoll_timeout_seconds: 90,
    server_presence_ping_interval_seconds: 60,
    server_presence_offline_threshold_seconds: 200,
    server_emoji_data_url: "http://127.0.0.1/emoji.json",
    server_web_public_streams_enabled: true,
    max_stream_name_length: 60,
    max_topic_length: 60,
    max_file_upload_size_mib: 100,
    user_id: CALLER,
    email: "user3@chat.example",
    full_name: "User 3",
    delivery_email: "user3@chat.example",
    avatar_url: "/avatar/3",
    avatar_url_medium: "/avatar/3/medium",
    avatar_source: "G",
    is_owner: false,
    is_admin: false,
    is_moderator: false,
    is_guest: false,
    can_create_streams: false,
    can_create_public_streams: false,
    can_create_private_streams: false,
    can_create_web_public_streams: false,
    can_invite_others_to_realm: false,
    max_message_id: 40,
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false },
    starred_messages: [7],
    recent_private_conversations: [
      { max_message_id: 30, user_ids: [2] },
      { max_message_id: 20, user_ids: [1, 2] },
    ],
    subscriptions,
    unsubscribed: [{ ...left, subscribers, is_muted: false } as ChannelRecord],
    never_subscribed: [{ ...sampleChannel(104, { subscriber_count: 1 }), subscribers: [1] }],
    streams: channels,
    channel_folders: [sampleFolder(1, 0), sampleFolder(2, 1)],
    realm_default_streams: [101],
    realm_default_stream_groups: [],
    realm_users: [
      sampleUser(1, 100),
      sampleUser(2, 200),
      sampleUser(CALLER, 400, { profile_data: { "1": { value: "x" } } }),
      sampleUser(4, 600),
    ],
    realm_non_active_users: [sampleUser(5, 400)],
    cross_realm_bots: [],
    realm_bots: [],
    realm_user_groups: sampleGroups(),
    realm_emoji: { "1": sampleEmoji("1") },
    realm_linkifiers: [],
    realm_playgrounds: [],
    realm_domains: [{ domain: "chat.example", allow_subdomains: false }],
    custom_profile_fields: [sampleProfileField(1), sampleProfileField(2)],
    presences: isModern ? { "2": { active_timestamp: 1, idle_timestamp: 1 } } : {},
    user_status: { "2": { status_text: "away" } },
    user_topics: [],
    ...(profile.eventTypes ? {} : { muted_topics: [] }),
    muted_users: [],
    alert_words: ["deploy"],
    drafts: [],
    saved_snippets: [],
    scheduled_messages: [],
    reminders: [],
    navigation_views: [{ fragment: "inbox", is_pinned: true }],
    onboarding_steps: [{ type: "one_time_notice", name: "intro" }],
    devices: {},
    has_zoom_token: false,
    user_settings: sampleSettings(),
    realm_user_settings_defaults: { twenty_four_hour_time: false },
    realm_name: "Chat",
    realm_icon_url: "/icon",
    realm_icon_source: "G",
    realm_presence_disabled: false,
    realm_enable_read_receipts: true,
    realm_enable_spectator_access: false,
    realm_allow_message_editing: true,
    realm_waiting_period_threshold: 0,
    realm_wildcard_mention_policy: 5,
    realm_default_external_accounts: {},
    realm_message_content_edit_limit_seconds: 600,
    realm_message_content_delete_limit_seconds: null,
    realm_topics_policy: "allow_empty_topic",
    realm_mandatory_topics: false,
    realm_message_edit_history_visibility_policy: "all",
    realm_allow_edit_history: true,
    ...Object.fromEntries(Object.keys(realmGroupSettings).map((name) => [`realm_${name}`, GROUPS.administrators])),
  };
}

function sampleSettings(): Record<string, unknown> {
  return {
    twenty_four_hour_time: false,
    starred_message_counts: true,
    display_emoji_reaction_users: true,
    emojiset: "google",
    presence_enabled: true,
    send_private_typing_notifications: true,
    pm_content_in_desktop_notifications: true,
    enable_stream_desktop_notifications: false,
    default_language: "en",
  };
}

/** A channel folder, 6.5. */
export function sampleFolder(id: number, order: number) {
  return {
    id,
    name: `folder ${id}`,
    description: "",
    rendered_description: "",
    date_created: 1,
    creator_id: null,
    is_archived: false,
    order,
  };
}

/** Custom emoji, 6.8. */
export function sampleEmoji(id: string) {
  return { id, name: `emoji_${id}`, source_url: `/emoji/${id}`, still_url: null, deactivated: false, author_id: 1 };
}

/** A custom profile field, 6.10. */
export function sampleProfileField(id: number) {
  return {
    id,
    type: 1,
    name: `field ${id}`,
    hint: "",
    field_data: "",
    order: id,
    required: false,
    editable_by_user: true,
    use_for_user_matching: false,
  };
}

/** A message in a channel, 6.4. */
export function sampleMessage(id: number, changes: object = {}) {
  return {
    id,
    sender_id: 2,
    sender_email: "user2@chat.example",
    sender_full_name: "User 2",
    sender_realm_str: "chat",
    avatar_url: null,
    content: "<p>hello</p>",
    content_type: "text/html",
    timestamp: 1_767_000_200,
    client: "test",
    type: "stream",
    stream_id: 101,
    display_recipient: "channel 101",
    recipient_id: 1,
    subject: "Greetings",
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    ...changes,
  };
}

/** A direct message among these users. */
export function sampleDirectMessage(id: number, userIds: number[]) {
  const { stream_id, ...message } = sampleMessage(id);
  const display_recipient = userIds.map((userId) => ({
    id: userId,
    email: `user${userId}@chat.example`,
    full_name: `User ${userId}`,
    is_mirror_dummy: false,
  }));
  return { ...message, type: "private", subject: "", display_recipient };
}
