/**
 * The shape of the register answer: what must be there, and the objects in its lists.
 * https://zulip.com/api/register-queue
 */
import {
  any,
  array,
  boolean,
  dynamic,
  literal,
  nullable,
  number,
  object,
  optional,
  record,
  string,
  type,
} from "superstruct";
import type { ClientProfile } from "../client-profile.ts";
import {
  bool,
  byId,
  channel,
  channelFolder,
  DEVICE_FIELDS,
  defaultStreamGroup,
  domain,
  draft,
  emojiMap,
  exactly,
  type Fields,
  groupSetting,
  int,
  ints,
  legacyPresence,
  linkifier,
  listOf,
  modernPresence,
  mutedTopic,
  mutedUser,
  navigationView,
  onboardingStep,
  playground,
  profileField,
  REALM_GROUP_SETTINGS,
  reminder,
  risingInts,
  type Shape,
  scheduledMessage,
  snippet,
  str,
  strs,
  subscription,
  USER_TOPIC_FIELDS,
  unsubscribedChannel,
  user,
  userGroup,
} from "./objects.ts";

const unreadMessages = object({
  count: int,
  pms: array(object({ other_user_id: int, sender_id: int, unread_message_ids: risingInts })),
  streams: array(object({ stream_id: int, topic: str, unread_message_ids: risingInts })),
  huddles: array(object({ user_ids_string: str, unread_message_ids: risingInts })),
  mentions: ints,
  old_unreads_missing: bool,
});

const userStatus = object({
  status_text: optional(str),
  emoji_name: optional(str),
  emoji_code: optional(str),
  reaction_type: optional(str),
  away: optional(literal(true)),
});

/** What both strict clients cannot do without. */
const requiredSettings = type({
  twenty_four_hour_time: boolean(),
  starred_message_counts: boolean(),
  display_emoji_reaction_users: boolean(),
  emojiset: string(),
  presence_enabled: boolean(),
  send_private_typing_notifications: boolean(),
  pm_content_in_desktop_notifications: boolean(),
});

const externalAccount = object({ name: str, text: str, hint: str, url_pattern: str });

/** The set without which the current mobile application fails as a whole, 5.4. */
function required(profile: ClientProfile): Fields {
  const isModern = profile.slimPresence || profile.capabilities.has("simplified_presence_events");
  return {
    queue_id: str,
    last_event_id: int,
    zulip_feature_level: int,
    zulip_version: str,
    zulip_merge_base: str,
    alert_words: strs,
    custom_profile_fields: listOf(profileField),
    max_stream_name_length: int,
    max_topic_length: int,
    server_presence_ping_interval_seconds: int,
    server_presence_offline_threshold_seconds: int,
    muted_users: listOf(mutedUser),
    presences: isModern ? byId(modernPresence) : record(str, legacyPresence),
    realm_emoji: emojiMap,
    realm_user_groups: listOf(userGroup),
    recent_private_conversations: array(object({ max_message_id: int, user_ids: ints })),
    subscriptions: listOf(subscription(profile)),
    unread_msgs: unreadMessages,
    starred_messages: ints,
    streams: listOf(channel),
    user_status: byId(userStatus),
    user_settings: requiredSettings,
    user_topics: listOf(exactly(USER_TOPIC_FIELDS)),
    realm_wildcard_mention_policy: int,
    realm_name: str,
    realm_waiting_period_threshold: int,
    realm_allow_message_editing: bool,
    realm_enable_read_receipts: bool,
    realm_icon_url: str,
    realm_presence_disabled: bool,
    realm_default_external_accounts: record(str, externalAccount),
    max_file_upload_size_mib: int,
    server_emoji_data_url: str,
    event_queue_longpoll_timeout_seconds: int,
    realm_users: listOf(user(profile, "register")),
    realm_non_active_users: listOf(user(profile, "register")),
    cross_realm_bots: listOf(systemBot(profile)),
    realm_message_content_edit_limit_seconds: nullable(int),
    realm_message_content_delete_limit_seconds: nullable(int),
    max_message_id: int,
    user_id: int,
    email: str,
    full_name: str,
  };
}

/** Whether a system bot's record says that it is active is not specified. */
function systemBot(profile: ClientProfile): Shape {
  return dynamic((given) =>
    user(profile, typeof given === "object" && given !== null && "is_active" in given ? "event" : "register"),
  );
}

/** A channel once subscribed to keeps its settings; another one has none. */
function unsubscribed(profile: ClientProfile): Shape {
  return dynamic((given) =>
    typeof given === "object" && given !== null && "color" in given
      ? subscription({ ...profile, includeSubscribers: "partial" })
      : unsubscribedChannel,
  );
}

/** What else is checked where it is present: the lists that events bring up to date. */
function optionalLists(profile: ClientProfile): Fields {
  return {
    unsubscribed: listOf(unsubscribed(profile)),
    never_subscribed: listOf(unsubscribedChannel),
    channel_folders: listOf(channelFolder),
    drafts: listOf(draft),
    saved_snippets: listOf(snippet),
    navigation_views: listOf(navigationView),
    scheduled_messages: listOf(scheduledMessage),
    reminders: listOf(reminder),
    onboarding_steps: listOf(onboardingStep),
    muted_topics: array(mutedTopic),
    realm_default_streams: ints,
    realm_default_stream_groups: listOf(defaultStreamGroup),
    realm_linkifiers: listOf(linkifier),
    realm_filters: array(any()),
    realm_playgrounds: listOf(playground),
    realm_domains: listOf(domain),
    devices: byId(exactly(DEVICE_FIELDS)),
    server_timestamp: number(),
    presence_last_update_id: int,
    idle_queue_timeout_secs: int,
    is_owner: bool,
    is_admin: bool,
    is_moderator: bool,
    is_guest: bool,
    has_zoom_token: bool,
    ...Object.fromEntries(REALM_GROUP_SETTINGS.map((name) => [`realm_${name}`, groupSetting])),
  };
}

/**
 * The answer to a registration for every type of event: all of the required set, the object shapes exactly, and any
 * other top-level field.
 */
export function registerShape(profile: ClientProfile): Shape {
  const optionals = Object.entries(optionalLists(profile)).map(([name, shape]) => [name, optional(shape)]);
  return type({ ...required(profile), ...Object.fromEntries(optionals) });
}
