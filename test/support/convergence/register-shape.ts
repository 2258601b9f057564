/**
 * What clients need of the answer to a registration. Its fields are those that the server declares. What stands here
 * depends on who asks. https://zulip.com/api/register-queue
 */
import { type } from "superstruct";
import { registerFields } from "../../../actors/register/answer.ts";
import { mayBeLeftOut, partially } from "../../../actors/shape.ts";
import { userSettingDefaultsShape, userSettingsShape } from "../../../actors/users/settings/shapes.ts";
import type { ClientProfile } from "./client-profile.ts";

/** The set without which the current mobile application fails as a whole. */
const required = `queue_id last_event_id zulip_feature_level zulip_version zulip_merge_base alert_words
  custom_profile_fields max_stream_name_length max_topic_length server_presence_ping_interval_seconds
  server_presence_offline_threshold_seconds muted_users presences realm_emoji realm_user_groups
  recent_private_conversations subscriptions unread_msgs starred_messages streams user_status user_settings user_topics
  realm_wildcard_mention_policy realm_name realm_waiting_period_threshold realm_allow_message_editing
  realm_enable_read_receipts realm_icon_url realm_presence_disabled realm_default_external_accounts
  max_file_upload_size_mib server_emoji_data_url event_queue_longpoll_timeout_seconds realm_users
  realm_non_active_users cross_realm_bots realm_message_content_edit_limit_seconds
  realm_message_content_delete_limit_seconds max_message_id user_id email full_name`.split(/\s+/);

/** What both strict clients cannot do without. */
const requiredSettings = `twenty_four_hour_time starred_message_counts display_emoji_reaction_users emojiset
  presence_enabled send_private_typing_notifications pm_content_in_desktop_notifications`.split(/\s+/);

/** The declared fields where they are there, and any other. */
export const registerShape = type({
  ...registerFields,
  user_settings: mayBeLeftOut(type(partially(userSettingsShape.schema))),
  realm_user_settings_defaults: mayBeLeftOut(type(partially(userSettingDefaultsShape.schema))),
});

type Items = readonly Readonly<Record<string, unknown>>[];

/** What is missing for a client of this profile, and what it could not read: a line each. */
export function unfit(answer: Readonly<Record<string, unknown>>, profile: ClientProfile): string[] {
  const { capabilities, includeSubscribers } = profile;
  const missing = required.filter((field) => !(field in answer)).map((field) => `register.${field}: missing`);
  if (missing.length > 0) return missing;
  const [subscriptions, users] = [answer["subscriptions"], answer["realm_users"]] as [Items, Items];
  const isModern = profile.slimPresence || capabilities.has("simplified_presence_events");
  const presences = Object.values(answer["presences"] as object);
  const settings = answer["user_settings"] as object;
  const wrong: Record<string, boolean> = {
    "subscriptions: null settings":
      !capabilities.has("notification_settings_null") && /_not\w+":null/.test(JSON.stringify(subscriptions)),
    "subscriptions: without subscribers":
      includeSubscribers === "true" && !subscriptions.every((one) => "subscribers" in one),
    "realm_users: without avatar_url":
      !capabilities.has("user_avatar_url_field_optional") && !users.every((one) => "avatar_url" in one),
    "user_settings: incomplete": !requiredSettings.every((name) => name in settings),
    "presences: in the other form": presences.some((one) => "aggregated" in one === isModern),
  };
  return Object.keys(wrong)
    .filter((line) => wrong[line])
    .map((line) => `register.${line}`);
}
