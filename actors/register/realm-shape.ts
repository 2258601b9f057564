/**
 * The `realm` part of the register answer: settings of the organization as `realm_<name>`, limits of the server, and
 * deprecated fields that follow from others. https://zulip.com/api/register-queue
 */
import { array, boolean, enums, integer, nullable, object, record, type Struct, string, unknown } from "superstruct";
import { groupSettingValue } from "../groups/shapes.ts";
import { authenticationMethods } from "../organization/shapes.ts";
import {
  type RealmGroupSettingName,
  type RealmSetting,
  type RealmSettingName,
  realmGroupSettings,
  realmSettings,
} from "../realm/state/settings.ts";
import { annotated, described } from "../shape.ts";

function settingShape({ kind, default: value }: RealmSetting): Struct<unknown, unknown> {
  if (typeof kind === "object") return annotated(unknown(), { enum: kind.oneOf });
  switch (kind) {
    case "boolean":
      return boolean() as Struct<unknown, unknown>;
    case "integer":
    case "days":
    case "channel":
      return integer() as Struct<unknown, unknown>;
    case "limit":
      return nullable(integer()) as Struct<unknown, unknown>;
    default:
      return (value === null ? nullable(string()) : string()) as Struct<unknown, unknown>;
  }
}

function eachSetting<N extends string, S, V>(
  settings: Record<N, S>,
  shapeOf: (setting: S) => Struct<V, unknown>,
): { [K in N as `realm_${K}`]: Struct<V, unknown> } {
  const entries = Object.entries<S>(settings).map(([name, setting]) => [`realm_${name}`, shapeOf(setting)]);
  return Object.fromEntries(entries);
}

const permission = record(
  string(),
  object({
    require_system_group: described(boolean(), "Whether only groups of roles may have it."),
    allow_internet_group: described(boolean(), "Whether everybody on the internet may have it."),
    allow_nobody_group: described(boolean(), "Whether nobody may have it."),
    allow_everyone_group: described(boolean(), "Whether guests may have it too."),
    default_group_name: described(string(), "Who has it at first."),
    default_for_system_groups: described(nullable(string()), "Who has it at first in groups of roles."),
    allowed_system_groups: described(array(string()), "The groups of roles that may have it; empty for all."),
  }),
);
const named = record(
  string(),
  object({ name: described(string(), "Its name."), id: described(integer(), "The value of the setting.") }),
);

const identity = {
  realm_name: string(),
  realm_url: string(),
  realm_uri: string(),
  realm_icon_url: string(),
  realm_icon_source: described(enums(["G", "U"]), "Where the icon is from: `G` Gravatar, `U` uploaded."),
  realm_logo_url: described(string(), "Where the logo is."),
  realm_logo_source: described(enums(["D", "U"]), "Where the logo is from: `D` the server's, `U` uploaded."),
  realm_night_logo_url: described(string(), "Where the logo for dark pages is."),
  realm_night_logo_source: described(enums(["D", "U"]), "Where that is from: `D` the server's, `U` uploaded."),
  realm_uuid: described(string(), "A name of the organization that is nobody else's."),
  realm_bot_domain: described(string(), "What addresses of bots end with."),
  realm_owner_full_content_access: described(boolean(), "Whether owners may read everything; they may not."),
  realm_date_created: described(integer(), "When the organization was made, in UNIX seconds."),
  realm_plan_type: described(integer(), "The plan: 1, of one's own server."),
  zulip_plan_is_not_limited: described(boolean(), "Whether everything is offered."),
  upgrade_text_for_wide_organization_logo: described(string(), "Why no logo may be uploaded; empty."),
  realm_upload_quota_mib: described(
    nullable(integer()),
    "How many MiB all files together may have; null for no limit.",
  ),
  realm_empty_topic_display_name: described(string(), "How the empty topic is called."),
  realm_default_external_accounts: described(
    record(
      string(),
      object({
        name: described(string(), "What the field is called."),
        text: described(string(), "The site's name."),
        hint: string(),
        url_pattern: described(string(), "Where an account is: `%(username)s` stands for its name."),
      }),
    ),
    "Sites that fields for accounts elsewhere know.",
  ),
  realm_authentication_methods: described(authenticationMethods, "Ways to log in, by name."),
  realm_email_auth_enabled: described(boolean(), "Whether people log in by address and password."),
  realm_password_auth_enabled: described(boolean(), "Whether people log in by a password."),
  realm_push_notifications_enabled: described(boolean(), "Whether phones can be notified."),
  realm_push_notifications_enabled_end_timestamp: described(
    nullable(integer()),
    "Until when, in UNIX seconds; null for no end.",
  ),
  realm_available_video_chat_providers: described(named, "Who may hold video calls."),
  gif_rating_policy_options: described(named, "Ratings of GIFs."),
};

const sizes = {
  max_stream_name_length: described(integer(), "Characters that a channel's name may have."),
  max_stream_description_length: described(integer(), "Characters that a channel's description may have."),
  max_topic_length: described(integer(), "Characters that a topic may have."),
  max_message_length: described(integer(), "Characters that a message may have."),
  max_channel_folder_name_length: described(integer(), "Characters that a folder's name may have."),
  max_channel_folder_description_length: described(integer(), "Characters that a folder's description may have."),
  max_reminder_note_length: described(integer(), "Characters that a reminder's note may have."),
  max_bulk_new_subscription_messages: described(
    integer(),
    "How many people a request may subscribe so that they are told of it.",
  ),
  max_file_upload_size_mib: described(integer(), "MiB that a file may have."),
  max_avatar_file_size_mib: described(integer(), "MiB that a person's picture may have."),
  max_icon_file_size_mib: described(integer(), "MiB that an icon may have."),
  max_logo_file_size_mib: described(integer(), "MiB that a logo may have."),
  password_min_length: described(integer(), "Characters that a password must have."),
  password_max_length: described(integer(), "Characters that a password may have."),
  password_min_guesses: described(integer(), "Guesses that a password must withstand, by zxcvbn's estimate."),
};

const server = {
  server_presence_ping_interval_seconds: described(
    integer(),
    "Every how many seconds clients are to report that they are there.",
  ),
  server_presence_offline_threshold_seconds: described(
    integer(),
    "After how many seconds without a report a person counts as away.",
  ),
  server_typing_started_expiry_period_milliseconds: described(
    integer(),
    "After how many milliseconds without another report nobody writes.",
  ),
  server_typing_stopped_wait_period_milliseconds: described(
    integer(),
    "After how many milliseconds of rest clients say that writing stopped.",
  ),
  server_typing_started_wait_period_milliseconds: described(
    integer(),
    "Every how many milliseconds clients say again that somebody writes.",
  ),
  event_queue_longpoll_timeout_seconds: described(integer(), "For how many seconds a poll may be held."),
  server_generation: described(integer(), "A number that another start changes."),
  development_environment: described(boolean(), "Whether the server is one for development."),
  server_needs_upgrade: described(boolean(), "Whether the server is too old."),
  server_avatar_changes_disabled: described(boolean(), "Whether nobody on this server may change their picture."),
  server_name_changes_disabled: described(boolean(), "Whether nobody on this server may change their name."),
  server_inline_image_preview: described(boolean(), "Whether this server shows pictures that are linked to."),
  server_inline_url_embed_preview: described(boolean(), "Whether this server previews pages that are linked to."),
  server_web_public_streams_enabled: described(boolean(), "Whether channels may be web-public."),
  server_emoji_data_url: described(string(), "Where names of the built-in emoji are."),
  server_jitsi_server_url: described(string(), "The server's own choice of a Jitsi Meet."),
  jitsi_server_url: string(),
  server_can_summarize_topics: described(boolean(), "Whether this server summarizes topics."),
  server_gif_provider: described(
    string(),
    "Who finds GIFs by `GET /gifs`: `giphy`, `klipy`, or nobody where it is empty. Zulip has no such field: keys of providers are not told here.",
  ),
  server_thumbnail_formats: described(
    array(
      object({
        name: described(string(), "The size's name, as it stands in addresses."),
        max_width: described(integer(), "Its pixels across."),
        max_height: described(integer(), "Its pixels down."),
        format: described(string(), "The kind of file, such as `webp`."),
        animated: described(boolean(), "Whether it moves."),
      }),
    ),
    "Sizes in which pictures are made small.",
  ),
  server_report_message_types: described(
    array(
      object({
        key: described(string(), "The value of `report_type`."),
        name: described(string(), "What people read."),
      }),
    ),
    "What may be wrong with a message that is reported.",
  ),
  server_min_deactivated_realm_deletion_days: described(
    integer(),
    "Days for which a closed organization is kept at least.",
  ),
  server_max_deactivated_realm_deletion_days: described(
    nullable(integer()),
    "Days for which a closed organization may be kept; null for ever.",
  ),
  settings_send_digest_emails: described(boolean(), "Whether this server sends digests."),
};

const deprecated = {
  realm_mandatory_topics: described(boolean(), "Whether messages need a topic, for older clients."),
  realm_allow_edit_history: described(boolean(), "Whether what edits changed is shown, for older clients."),
  realm_wildcard_mention_policy: described(integer(), "Who may mention everybody, for older clients."),
  realm_private_message_policy: described(integer(), "Whether direct messages are open, for older clients."),
  realm_create_web_public_stream_policy: described(integer(), "Who may make web-public channels, for older clients."),
  realm_create_public_stream_policy: described(integer(), "Who may make public channels, for older clients."),
  realm_create_private_stream_policy: described(integer(), "Who may make private channels, for older clients."),
  realm_delete_own_message_policy: described(integer(), "Who may delete their own messages, for older clients."),
};

export const realmFields = {
  ...eachSetting<RealmSettingName, RealmSetting, unknown>(realmSettings, settingShape),
  ...eachSetting<RealmGroupSettingName, unknown, typeof groupSettingValue.TYPE>(
    realmGroupSettings,
    () => groupSettingValue,
  ),
  server_supported_permission_settings: described(
    object({
      realm: described(permission, "Those of the organization, by name."),
      stream: described(permission, "Those of channels, by name."),
      group: described(permission, "Those of user groups, by name."),
    }),
    "Which groups each permission takes.",
  ),
  ...identity,
  ...sizes,
  ...server,
  ...deprecated,
};
