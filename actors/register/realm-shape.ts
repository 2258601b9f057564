/**
 * The `realm` part of the register answer: settings of the organization as `realm_<name>`, limits of the server, and
 * deprecated fields that follow from others. https://zulip.com/api/register-queue
 */
import { array, boolean, enums, integer, nullable, object, record, type Struct, string, unknown } from "superstruct";
import { groupSettingValue } from "../groups/shapes.ts";
import {
  type RealmGroupSettingName,
  type RealmSetting,
  type RealmSettingName,
  realmGroupSettings,
  realmSettings,
} from "../realm/state/settings.ts";
import { annotated } from "../shape.ts";

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
    require_system_group: boolean(),
    allow_internet_group: boolean(),
    allow_nobody_group: boolean(),
    allow_everyone_group: boolean(),
    default_group_name: string(),
    default_for_system_groups: nullable(string()),
    allowed_system_groups: array(string()),
  }),
);
const named = record(string(), object({ name: string(), id: integer() }));

const identity = {
  realm_name: string(),
  realm_url: string(),
  realm_uri: string(),
  realm_icon_url: string(),
  realm_icon_source: enums(["G", "U"]),
  realm_logo_url: string(),
  realm_logo_source: enums(["D", "U"]),
  realm_night_logo_url: string(),
  realm_night_logo_source: enums(["D", "U"]),
  realm_uuid: string(),
  realm_bot_domain: string(),
  realm_owner_full_content_access: boolean(),
  realm_date_created: integer(),
  realm_plan_type: integer(),
  zulip_plan_is_not_limited: boolean(),
  upgrade_text_for_wide_organization_logo: string(),
  realm_upload_quota_mib: nullable(integer()),
  realm_empty_topic_display_name: string(),
  realm_default_external_accounts: record(
    string(),
    object({ name: string(), text: string(), hint: string(), url_pattern: string() }),
  ),
  realm_authentication_methods: record(string(), object({ enabled: boolean(), available: boolean() })),
  realm_email_auth_enabled: boolean(),
  realm_password_auth_enabled: boolean(),
  realm_push_notifications_enabled: boolean(),
  realm_push_notifications_enabled_end_timestamp: nullable(integer()),
  realm_available_video_chat_providers: named,
  gif_rating_policy_options: named,
};

const sizes = {
  max_stream_name_length: integer(),
  max_stream_description_length: integer(),
  max_topic_length: integer(),
  max_message_length: integer(),
  max_channel_folder_name_length: integer(),
  max_channel_folder_description_length: integer(),
  max_reminder_note_length: integer(),
  max_bulk_new_subscription_messages: integer(),
  max_file_upload_size_mib: integer(),
  max_avatar_file_size_mib: integer(),
  max_icon_file_size_mib: integer(),
  max_logo_file_size_mib: integer(),
  password_min_length: integer(),
  password_max_length: integer(),
  password_min_guesses: integer(),
};

const server = {
  server_presence_ping_interval_seconds: integer(),
  server_presence_offline_threshold_seconds: integer(),
  server_typing_started_expiry_period_milliseconds: integer(),
  server_typing_stopped_wait_period_milliseconds: integer(),
  server_typing_started_wait_period_milliseconds: integer(),
  event_queue_longpoll_timeout_seconds: integer(),
  server_generation: integer(),
  development_environment: boolean(),
  server_needs_upgrade: boolean(),
  server_avatar_changes_disabled: boolean(),
  server_name_changes_disabled: boolean(),
  server_inline_image_preview: boolean(),
  server_inline_url_embed_preview: boolean(),
  server_web_public_streams_enabled: boolean(),
  server_emoji_data_url: string(),
  server_jitsi_server_url: string(),
  jitsi_server_url: string(),
  server_can_summarize_topics: boolean(),
  server_thumbnail_formats: array(
    object({
      name: string(),
      max_width: integer(),
      max_height: integer(),
      format: string(),
      animated: boolean(),
    }),
  ),
  server_report_message_types: array(object({ key: string(), name: string() })),
  server_min_deactivated_realm_deletion_days: integer(),
  server_max_deactivated_realm_deletion_days: nullable(integer()),
  settings_send_digest_emails: boolean(),
};

const deprecated = {
  realm_mandatory_topics: boolean(),
  realm_allow_edit_history: boolean(),
  realm_wildcard_mention_policy: integer(),
  realm_private_message_policy: integer(),
  realm_create_web_public_stream_policy: integer(),
  realm_create_public_stream_policy: integer(),
  realm_create_private_stream_policy: integer(),
  realm_delete_own_message_policy: integer(),
};

export const realmFields = {
  ...eachSetting<RealmSettingName, RealmSetting, unknown>(realmSettings, settingShape),
  ...eachSetting<RealmGroupSettingName, unknown, typeof groupSettingValue.TYPE>(
    realmGroupSettings,
    () => groupSettingValue,
  ),
  server_supported_permission_settings: object({ realm: permission, stream: permission, group: permission }),
  ...identity,
  ...sizes,
  ...server,
  ...deprecated,
};
