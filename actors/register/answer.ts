/**
 * What `POST /register` answers, part by part. Which parts are there depends on what the client asked for, so a field
 * may be left out. https://zulip.com/api/register-queue
 */
import { array, boolean, enums, integer, nullable, object, record, type Struct, string } from "superstruct";
import { bot } from "../bots/shapes.ts";
import { channelFields, channelFolder, channelRecord, defaultChannelGroup } from "../channels/shapes.ts";
import { either } from "../either.ts";
import { userGroup } from "../groups/shapes.ts";
import { byId, channelId, logPosition, messageId, userId } from "../id-shapes.ts";
import { domain, emojiById, linkifier, playground, profileField } from "../organization/shapes.ts";
import { draft, mutedUser, navigationView, onboardingStep, savedSnippet } from "../personal/shapes.ts";
import { legacyPresence, modernPresence } from "../presence/shapes.ts";
import { deviceFields } from "../push/shapes.ts";
import { reminder, scheduledMessage } from "../scheduled/shapes.ts";
import { annotated, mayBeLeftOut, type Shape } from "../shape.ts";
import { subscriberFields, subscription } from "../subscriptions/shapes.ts";
import type { JsonText } from "../text/json-text.ts";
import { mutedTopic, userTopicFields } from "../topics/shapes.ts";
import { userSettingDefaultsShape, userSettingFields, userSettingsShape } from "../users/settings/shapes.ts";
import { registeredUser, userStatus } from "../users/shapes.ts";
import { realmFields } from "./realm-shape.ts";

const messageIds = array(messageId());
const noneOf = <T, S>(item: Struct<T, S>) => annotated(array(item), { maxItems: 0 });
const option = { key: string(), label: string() };

const organization = {
  ...realmFields,
  realm_linkifiers: array(linkifier),
  realm_emoji: emojiById,
  /** Clients that know no linkifiers get none. */
  realm_filters: noneOf(array(either(string(), integer()))),
  realm_playgrounds: array(playground),
  realm_domains: array(domain),
  stop_words: array(string()),
  giphy_api_key: string(),
  tenor_api_key: string(),
  klipy_api_key: string(),
  realm_billing: object({ has_pending_sponsorship_request: boolean() }),
  has_zoom_token: boolean(),
  has_webex_token: boolean(),
};

const people = array(registeredUser);
const users = {
  realm_users: people,
  realm_non_active_users: people,
  cross_realm_bots: people,
  user_id: userId(),
  email: string(),
  delivery_email: string(),
  full_name: string(),
  avatar_url: string(),
  avatar_url_medium: string(),
  avatar_source: enums(["G", "J", "U"]),
  is_owner: boolean(),
  is_admin: boolean(),
  is_moderator: boolean(),
  is_guest: boolean(),
  can_create_streams: boolean(),
  can_create_public_streams: boolean(),
  can_create_private_streams: boolean(),
  can_create_web_public_streams: boolean(),
  can_subscribe_other_users: boolean(),
  can_invite_others_to_realm: boolean(),
  user_settings: userSettingsShape,
  /** Beside `user_settings` for clients that do not know that object. */
  ...userSettingFields,
  timezone: string(),
  realm_user_settings_defaults: userSettingDefaultsShape,
  user_status: byId(userStatus),
  alert_words: array(string()),
  muted_users: array(mutedUser),
  custom_profile_fields: array(profileField),
  custom_profile_field_types: record(string(), object({ id: integer(), name: string() })),
  realm_bots: array(bot),
  realm_embedded_bots: noneOf(object({ name: string(), config: record(string(), string()) })),
  realm_incoming_webhook_bots: array(
    object({
      name: string(),
      display_name: string(),
      /** null: it tells no kinds of events apart. */
      all_event_types: nullable(array(string())),
      config_options: noneOf(object({ ...option, validator: string() })),
      url_options: array(object({ ...option, input_type: enums(["text", "bool"]) })),
    }),
  ),
  realm_user_groups: array(userGroup),
};

const presence = {
  /** By user id, or by address in the older form. */
  presences: record(string(), either(modernPresence, legacyPresence)),
  presence_last_update_id: logPosition(),
  server_timestamp: integer(),
};

const channels = {
  streams: array(channelRecord),
  realm_default_streams: array(channelId()),
  realm_default_stream_groups: array(defaultChannelGroup),
  channel_folders: array(channelFolder),
  subscriptions: array(subscription),
  unsubscribed: array(subscription),
  never_subscribed: array(object({ ...channelFields, ...subscriberFields })),
  muted_topics: array(mutedTopic),
  user_topics: array(object(userTopicFields)),
};

const messages = {
  max_message_id: messageId(),
  unread_msgs: object({
    count: integer(),
    pms: array(object({ other_user_id: userId(), sender_id: userId(), unread_message_ids: messageIds })),
    streams: array(object({ stream_id: channelId(), topic: string(), unread_message_ids: messageIds })),
    huddles: array(object({ user_ids_string: string(), unread_message_ids: messageIds })),
    mentions: messageIds,
    old_unreads_missing: boolean(),
  }),
  recent_private_conversations: array(object({ max_message_id: messageId(), user_ids: array(userId()) })),
  starred_messages: messageIds,
  scheduled_messages: array(scheduledMessage),
  reminders: array(reminder),
  drafts: array(draft),
};

const personal = {
  saved_snippets: array(savedSnippet),
  navigation_views: array(navigationView),
  onboarding_steps: array(onboardingStep),
  navigation_tour_video_url: nullable(string()),
  devices: byId(object(deviceFields)),
};

const queue = {
  /** null: a spectator has none. */
  queue_id: nullable(string()),
  last_event_id: logPosition(),
  idle_queue_timeout_secs: integer(),
};

const stateFields = { ...organization, ...users, ...presence, ...channels, ...messages, ...personal, ...queue };
type StateFields = typeof stateFields;

/** Fields of the answer, each of which may be left out. */
export const registerFields = Object.fromEntries(
  Object.entries<Shape>(stateFields).map(([name, shape]) => [name, mayBeLeftOut(shape as Struct<unknown, unknown>)]),
) as { [K in keyof StateFields]: Struct<StateFields[K]["TYPE"] | undefined, unknown> };

/** Some of the answer; a value may be JSON already. */
export type RegisterFields = { [K in keyof StateFields]?: StateFields[K]["TYPE"] | JsonText };

export type UnreadMessages = typeof messages.unread_msgs.TYPE;
