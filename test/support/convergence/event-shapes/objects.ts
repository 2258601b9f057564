/** The objects that the register answer and the events carry, field by field. https://zulip.com/api/register-queue */
import {
  array,
  boolean,
  dynamic,
  enums,
  integer,
  literal,
  nullable,
  object,
  optional,
  pattern,
  record,
  refine,
  string,
  union,
} from "superstruct";
import type { ClientProfile } from "../client-profile.ts";

/** Named structs whose static types do not matter: only their verdicts do. */
export type Fields = Parameters<typeof object>[0];
/** A struct whose static type does not matter. */
export type Shape = Fields[string];

/** Exactly these fields: a missing or an extra one fails. */
export function exactly(fields: Fields): Shape {
  return object(fields);
}

/** A list of objects with exactly these fields. */
export function listOf(shape: Shape): Shape {
  return array(shape);
}

export const int = integer();
export const bool = boolean();
export const str = string();
export const ints = array(int);
export const strs = array(str);

/** Integers in strictly rising order. */
export const risingInts = refine(ints, "rising", (list) =>
  list.every((id, i) => i === 0 || id > (list[i - 1] as number)) ? true : "Expected strictly rising integers",
);

/** An integer written as text, as object keys are. */
const intKey = pattern(string(), /^\d+$/);

/** An object keyed by user, field or message id. */
export function byId(shape: Shape): Shape {
  return record(intKey, shape);
}

/** https://zulip.com/api/register-queue */
export const REALM_GROUP_SETTINGS = [
  "create_multiuse_invite_group",
  "can_access_all_users_group",
  "can_add_custom_emoji_group",
  "can_add_subscribers_group",
  "can_create_bots_group",
  "can_create_groups",
  "can_create_private_channel_group",
  "can_create_public_channel_group",
  "can_create_web_public_channel_group",
  "can_create_write_only_bots_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_invite_users_group",
  "can_manage_all_groups",
  "can_manage_billing_group",
  "can_mention_many_users_group",
  "can_move_messages_between_channels_group",
  "can_move_messages_between_topics_group",
  "can_resolve_topics_group",
  "can_set_delete_message_policy_group",
  "can_set_topics_policy_group",
  "can_summarize_topics_group",
  "direct_message_initiator_group",
  "direct_message_permission_group",
] as const;

/** https://zulip.com/api/get-streams */
export const CHANNEL_GROUP_SETTINGS = [
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
] as const;

/** https://zulip.com/api/get-user-groups */
export const GROUP_GROUP_SETTINGS = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const;

const anonymousGroup = object({ direct_members: ints, direct_subgroups: ints });

/** The id of a named group, or an anonymous group. */
export const groupSetting = dynamic((given) => (typeof given === "number" ? int : anonymousGroup) as Shape);

function each(names: readonly string[], shape: Shape): Fields {
  return Object.fromEntries(names.map((name) => [name, shape]));
}

/** ISO 8601 with an offset. */
const isoDate = pattern(str, /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/);

const profileValue = object({ value: str, rendered_value: optional(str) });

/** A user, 6.1. `is_active` is left out of the two lists of the register answer and present elsewhere. */
export function user(profile: ClientProfile, where: "register" | "event"): Shape {
  const avatarUrl = nullable(str);
  return exactly({
    user_id: int,
    email: str,
    delivery_email: nullable(str),
    full_name: str,
    date_joined: isoDate,
    ...(where === "event" && { is_active: bool }),
    is_owner: bool,
    is_admin: bool,
    is_guest: bool,
    role: enums([100, 200, 300, 400, 600]),
    is_bot: bool,
    bot_type: optional(nullable(int)),
    bot_owner_id: optional(nullable(int)),
    timezone: str,
    avatar_url: profile.capabilities.has("user_avatar_url_field_optional") ? optional(avatarUrl) : avatarUrl,
    avatar_version: int,
    profile_data: optional(byId(profileValue)),
    is_system_bot: optional(bool),
    is_imported_stub: bool,
    is_deleted: optional(literal(true)),
  });
}

/** The fields of a channel, 6.2. */
export const CHANNEL_FIELDS: Fields = {
  stream_id: int,
  name: str,
  description: str,
  rendered_description: str,
  date_created: int,
  creator_id: nullable(int),
  first_message_id: nullable(int),
  folder_id: nullable(int),
  invite_only: bool,
  is_web_public: bool,
  history_public_to_subscribers: bool,
  is_archived: bool,
  message_retention_days: nullable(int),
  topics_policy: enums(["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"]),
  stream_post_policy: enums([1, 2, 3, 4]),
  is_announcement_only: bool,
  is_recently_active: bool,
  stream_weekly_traffic: nullable(int),
  subscriber_count: int,
  ...each(CHANNEL_GROUP_SETTINGS, groupSetting),
};

/** A channel, 6.2. */
export const channel = exactly(CHANNEL_FIELDS);

const SUBSCRIBER_FIELDS: Fields = { subscribers: optional(ints), partial_subscribers: optional(ints) };

/** A subscription, 6.3. Clients without `notification_settings_null` get no null. */
export function subscription(profile: ClientProfile): Shape {
  const inherits = profile.capabilities.has("notification_settings_null");
  const setting = inherits ? nullable(bool) : bool;
  return exactly({
    ...CHANNEL_FIELDS,
    color: pattern(str, /^#[0-9a-f]{6}$/),
    pin_to_top: bool,
    is_muted: bool,
    in_home_view: bool,
    desktop_notifications: setting,
    audible_notifications: setting,
    push_notifications: setting,
    email_notifications: setting,
    wildcard_mentions_notify: setting,
    ...(profile.includeSubscribers === "true" ? { subscribers: ints } : SUBSCRIBER_FIELDS),
  });
}

/** A channel that the caller has never subscribed to. */
export const unsubscribedChannel = exactly({ ...CHANNEL_FIELDS, ...SUBSCRIBER_FIELDS });

/** A channel folder, 6.5. */
export const channelFolder = exactly({
  id: int,
  name: str,
  description: str,
  rendered_description: str,
  date_created: nullable(int),
  creator_id: nullable(int),
  is_archived: bool,
  order: int,
});

/** What may change of a user group. */
export const GROUP_DATA: Fields = {
  name: str,
  description: str,
  deactivated: bool,
  ...each(GROUP_GROUP_SETTINGS, groupSetting),
};

/** A user group, 6.7. */
export const userGroup = exactly({
  id: int,
  ...GROUP_DATA,
  members: ints,
  direct_subgroup_ids: ints,
  is_system_group: bool,
  creator_id: nullable(int),
  date_created: nullable(int),
});

/** Custom emoji, 6.8. */
export const emoji = exactly({
  id: str,
  name: str,
  source_url: str,
  still_url: nullable(str),
  deactivated: bool,
  author_id: nullable(int),
});

/** The whole map of custom emoji: each key is the id of its emoji. */
export const emojiMap = refine(byId(emoji), "keyed by id", (map) =>
  Object.entries(map as Record<string, { id: string }>).every(([key, one]) => key === one.id)
    ? true
    : "Expected each key to be the emoji's id",
);

/** Presence in the modern format, 6.9. */
export const modernPresence = exactly({ active_timestamp: int, idle_timestamp: int });

const status = enums(["active", "idle"]);

/** The presence of one client in the legacy format, 6.9. */
export const clientPresence = exactly({ client: str, status, timestamp: int, pushable: literal(false) });

/** The presence of one user in the legacy format, 6.9. */
export const legacyPresence = exactly({
  aggregated: object({ client: str, status, timestamp: int }),
  website: clientPresence,
});

/** A custom profile field, 6.10. */
export const profileField = exactly({
  id: int,
  type: enums([1, 2, 3, 4, 5, 6, 7, 8]),
  name: str,
  hint: str,
  field_data: str,
  order: int,
  required: bool,
  editable_by_user: bool,
  display_in_profile_summary: optional(bool),
  use_for_user_matching: bool,
});

/** A saved snippet, 6.6. */
export const snippet = exactly({ id: int, title: str, content: str, date_created: int });

/** A draft, 6.6. */
export const draft = exactly({
  id: int,
  type: enums(["", "stream", "private"]),
  to: ints,
  topic: str,
  content: str,
  timestamp: int,
});

/** A scheduled message, 6.6. */
export const scheduledMessage = dynamic((given) => {
  const isChannel = (given as { type?: unknown } | null)?.type === "stream";
  return exactly({
    scheduled_message_id: int,
    type: enums(["stream", "private"]),
    to: isChannel ? int : ints,
    topic: isChannel ? str : optional(str),
    content: str,
    rendered_content: str,
    scheduled_delivery_timestamp: int,
    failed: bool,
  });
});

/** A reminder, 6.6. */
export const reminder = exactly({
  reminder_id: int,
  type: literal("private"),
  to: ints,
  content: str,
  rendered_content: str,
  scheduled_delivery_timestamp: int,
  failed: bool,
  reminder_target_message_id: int,
});

/** A navigation view. Its name is left out for built-in views. */
export const navigationView = exactly({ fragment: str, is_pinned: bool, name: optional(nullable(str)) });

/** A linkifier, as given at creation. */
export const linkifier = exactly({
  id: int,
  pattern: str,
  url_template: str,
  example_input: nullable(str),
  reverse_template: nullable(str),
  alternative_url_templates: strs,
});

/** A code playground. */
export const playground = exactly({ id: int, name: str, pygments_language: str, url_template: str });

/** An allowed e-mail domain. */
export const domain = exactly({ domain: str, allow_subdomains: bool });

/** A muted user. */
export const mutedUser = exactly({ id: int, timestamp: int });

/** One entry of `muted_topics`: channel name, topic, Unix seconds. */
export const mutedTopic = refine(array(union([str, int])), "triple", (entry) => {
  const [name, topic, seconds] = entry;
  const isTriple = entry.length === 3 && typeof name === "string" && typeof topic === "string";
  return isTriple && typeof seconds === "number" ? true : "Expected [channel name, topic, seconds]";
});

/** One entry of `user_topics`. */
export const USER_TOPIC_FIELDS: Fields = {
  stream_id: int,
  topic_name: str,
  last_updated: int,
  visibility_policy: enums([0, 1, 2, 3]),
};

/** One step of the introduction. */
export const onboardingStep = exactly({ type: str, name: str });

/** A group of default channels. */
export const defaultStreamGroup = exactly({ id: int, name: str, description: str, streams: ints });

/** One registered device: all five fields are present. */
export const DEVICE_FIELDS: Fields = {
  push_key_id: nullable(int),
  push_token_id: nullable(str),
  pending_push_token_id: nullable(str),
  push_token_last_updated_timestamp: nullable(int),
  push_registration_error_code: nullable(str),
};
