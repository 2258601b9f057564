/**
 * What `POST /register` answers, part by part. Which parts are there depends on what the client asked for, so a field
 * may be left out. https://zulip.com/api/register-queue
 */
import { array, boolean, enums, integer, nullable, object, record, type Struct, string } from "superstruct";
import { bot } from "../bots/shapes.ts";
import { channelFields, channelFolder, channelRecord, defaultChannelGroup } from "../channels/shapes.ts";
import { either } from "../either.ts";
import { userGroup } from "../groups/shapes.ts";
import { ascending, byId, channelId, logPosition, messageId, userId } from "../id-shapes.ts";
import { domain, emojiById, linkifier, playground, profileField } from "../organization/shapes.ts";
import { draft, mutedUser, navigationView, onboardingStep, savedSnippet } from "../personal/shapes.ts";
import { legacyPresence, modernPresence } from "../presence/shapes.ts";
import { deviceFields } from "../push/shapes.ts";
import { reminder, scheduledMessage } from "../scheduled/shapes.ts";
import { annotated, described, mayBeLeftOut, type Shape } from "../shape.ts";
import { subscriberFields, subscription } from "../subscriptions/shapes.ts";
import type { JsonText } from "../text/json-text.ts";
import { mutedTopic, userTopicFields } from "../topics/shapes.ts";
import { userSettingDefaultsShape, userSettingFields, userSettingsShape } from "../users/settings/shapes.ts";
import { registeredUser, userStatus } from "../users/shapes.ts";
import { realmFields } from "./realm-shape.ts";

const messageIds = array(messageId());
const unreadIds = ascending(messageId());
const noneOf = <T, S>(item: Struct<T, S>) => annotated(array(item), { maxItems: 0 });
const option = { key: described(string(), "Its name."), label: described(string(), "Its name for people.") };

const organization = {
  ...realmFields,
  realm_linkifiers: described(array(linkifier), "Linkifiers, in the order in which they are tried."),
  realm_emoji: described(emojiById, "Custom emoji, by their ids."),
  /** Clients that know no linkifiers get none. */
  realm_filters: described(
    noneOf(array(either(string(), integer()))),
    "Empty: linkifiers for clients that are older than `realm_linkifiers`.",
  ),
  realm_playgrounds: described(array(playground), "Code playgrounds: where code of a language can be run."),
  realm_domains: described(array(domain), "Domains whose addresses may join."),
  stop_words: described(array(string()), "Words that a search leaves out."),
  giphy_api_key: described(string(), "The key for GIPHY, or empty."),
  tenor_api_key: described(string(), "The key for Tenor, or empty."),
  klipy_api_key: described(string(), "The key for KLIPY, or empty."),
  realm_billing: described(
    object({ has_pending_sponsorship_request: described(boolean(), "Always false.") }),
    "About billing; there is none here.",
  ),
  has_zoom_token: described(boolean(), "Whether the person has let this server into their account at Zoom."),
  has_webex_token: described(boolean(), "Whether the person has let this server into their account at Webex."),
};

const people = array(registeredUser);
const users = {
  realm_users: described(people, "Accounts in use."),
  realm_non_active_users: described(people, "Deactivated accounts."),
  cross_realm_bots: described(people, "Bots of the server's own."),
  user_id: userId(),
  email: string(),
  delivery_email: string(),
  full_name: string(),
  avatar_url: string(),
  avatar_url_medium: described(string(), "Where the larger picture is."),
  avatar_source: described(
    enums(["G", "J", "U"]),
    "Where the picture is from: `G` Gravatar, `J` drawn by the server, `U` uploaded.",
  ),
  is_owner: boolean(),
  is_admin: boolean(),
  is_moderator: described(boolean(), "Whether it is a moderator's."),
  is_guest: boolean(),
  can_create_streams: described(boolean(), "Whether the person may make channels."),
  can_create_public_streams: described(boolean(), "Whether the person may make public channels."),
  can_create_private_streams: described(boolean(), "Whether the person may make private channels."),
  can_create_web_public_streams: described(boolean(), "Whether the person may make web-public channels."),
  can_subscribe_other_users: described(boolean(), "Whether the person may subscribe others."),
  can_invite_others_to_realm: described(boolean(), "Whether the person may invite others."),
  user_settings: described(userSettingsShape, "The person's own settings."),
  /** Beside `user_settings` for clients that do not know that object. */
  ...userSettingFields,
  timezone: string(),
  realm_user_settings_defaults: userSettingDefaultsShape,
  user_status: described(byId(userStatus), "Statuses, by the user's id."),
  alert_words: array(string()),
  muted_users: described(array(mutedUser), "Whom the person has muted."),
  custom_profile_fields: described(array(profileField), "Fields of profiles, in their order."),
  custom_profile_field_types: described(
    record(
      string(),
      object({ id: described(integer(), "The kind's number."), name: described(string(), "The kind's name.") }),
    ),
    "Kinds of such fields.",
  ),
  realm_bots: described(array(bot), "Bots that the person answers for; for administrators, all."),
  realm_embedded_bots: described(
    noneOf(
      object({
        name: described(string(), "The bot's name."),
        config: described(record(string(), string()), "What it is set up with."),
      }),
    ),
    "Empty: bots that run inside the server.",
  ),
  realm_incoming_webhook_bots: described(
    array(
      object({
        name: described(string(), "The service's name in addresses."),
        display_name: string(),
        /** null: it tells no kinds of events apart. */
        all_event_types: described(nullable(array(string())), "Kinds of what it tells; null: it tells none apart."),
        config_options: described(
          noneOf(object({ ...option, validator: described(string(), "How it is checked.") })),
          "Empty: what it would have to be set up with.",
        ),
        url_options: described(
          array(object({ ...option, input_type: described(enums(["text", "bool"]), "How it is asked for.") })),
          "What its address may say besides.",
        ),
      }),
    ),
    "Services that may post by themselves.",
  ),
  realm_user_groups: described(array(userGroup), "User groups, those of roles among them."),
};

const presence = {
  /** By user id, or by address in the older form. */
  presences: record(string(), either(modernPresence, legacyPresence)),
  presence_last_update_id: logPosition(),
  server_timestamp: integer(),
};

const channels = {
  streams: described(array(channelRecord), "The channels."),
  realm_default_streams: described(array(channelId()), "Ids of channels that new people are subscribed to."),
  realm_default_stream_groups: described(
    array(defaultChannelGroup),
    "Groups of channels that somebody new may choose.",
  ),
  channel_folders: array(channelFolder),
  subscriptions: array(subscription),
  unsubscribed: described(array(subscription), "Channels that the person has left."),
  never_subscribed: described(
    array(object({ ...channelFields, ...subscriberFields })),
    "Other channels that the person may know of.",
  ),
  muted_topics: described(array(mutedTopic), "Muted topics: channel, topic and when, for older clients."),
  user_topics: described(array(object(userTopicFields)), "Topics that the person mutes, unmutes or follows."),
};

const messages = {
  max_message_id: messageId(),
  unread_msgs: described(
    object({
      count: described(integer(), "How many messages."),
      pms: described(
        array(
          object({
            other_user_id: described(userId(), "The other person."),
            sender_id: described(userId(), "The other person, under its older name."),
            unread_message_ids: unreadIds,
          }),
        ),
        "Of direct conversations with one person.",
      ),
      streams: described(
        array(
          object({ stream_id: channelId(), topic: described(string(), "The topic."), unread_message_ids: unreadIds }),
        ),
        "Of topics.",
      ),
      huddles: described(
        array(
          object({
            user_ids_string: described(string(), "Ids of all of them, with commas between."),
            unread_message_ids: unreadIds,
          }),
        ),
        "Of direct conversations with several people.",
      ),
      mentions: described(messageIds, "Ids of messages that mention the person."),
      old_unreads_missing: described(boolean(), "Whether there is more than what is listed."),
    }),
    "What is unread.",
  ),
  recent_private_conversations: described(
    array(
      object({
        max_message_id: described(messageId(), "The newest message in it."),
        user_ids: described(array(userId()), "The other people."),
      }),
    ),
    "Direct conversations.",
  ),
  starred_messages: described(messageIds, "Ids of starred messages."),
  scheduled_messages: array(scheduledMessage),
  reminders: array(reminder),
  drafts: array(draft),
};

const personal = {
  saved_snippets: array(savedSnippet),
  navigation_views: array(navigationView),
  onboarding_steps: described(array(onboardingStep), "Steps of the introduction that the person has not been through."),
  navigation_tour_video_url: described(nullable(string()), "Where a film of introduction is; null for none."),
  devices: described(byId(object(deviceFields)), "The person's devices, by their ids."),
};

const queue = {
  /** null: a spectator has none. */
  queue_id: described(
    nullable(string()),
    "The event queue's id, by which GET /events asks; null where nobody is logged in.",
  ),
  last_event_id: described(logPosition(), "What to ask GET /events with first."),
  idle_queue_timeout_secs: described(integer(), "After how many seconds without a poll the queue ends."),
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
