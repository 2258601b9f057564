/**
 * The `realm` part of the register answer: the organization's settings, the server's limits, and deprecated fields that
 * follow from others. https://zulip.com/api/register-queue
 */

import { callProviders, callServicesOf } from "../calls/services.ts";
import { shownGroupSetting } from "../groups/setting-values.ts";
import { authenticationMethodsOf } from "../identities/ways-in.ts";
import { thumbnailFormats } from "../markdown/uploads.ts";
import { reportMessageTypes } from "../messages/changes/report.ts";
import { realmPictureFields } from "../organization/changes/pictures.ts";
import { defaultExternalAccounts } from "../organization/profile-field-values.ts";
import { pushStatusOf } from "../push/service/status.ts";
import type { RealmReader } from "../realm/reader.ts";
import {
  emptyTopicDisplayName,
  limits,
  type RealmGroupSettingName,
  realmGroupSettingNames,
  realmSettingNames,
} from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { passwordRulesOf } from "../users/log-ins/policy.ts";
import type { RegisterFields } from "./answer.ts";
import { smallestSystemGroup } from "./group-breadth.ts";
import { supportedPermissionSettings } from "./permission-settings.ts";

/** What the registering server is, beyond the organization. */
export interface ServerTraits {
  /** When it started, UNIX seconds. */
  generation: number;
  isDevelopment: boolean;
  hasPush: boolean;
  previewsLinks: boolean;
  showsExternalContent: boolean;
  summarizes: boolean;
  /** Empty: there is none. */
  gifProvider: string;
  webPublicChannelsEnabled: boolean;
  /** Of one upload. */
  maxUploadMib: number;
  /** Of an organization; null is no limit. */
  uploadQuotaMib: number | null;
}

/** Sizes of pictures, MiB. */
export const fileLimitsMib = { avatar: 5, icon: 5, logo: 5, emoji: 5 } as const;
/** Path of the table of emoji, which clients fetch without credentials. */
export const emojiDataPath = "/static/emoji/emoji-data.json";
/** Presence and typing: how often clients tell, and how long that holds. https://zulip.com/api/register-queue */
const rhythms = {
  server_presence_ping_interval_seconds: 60,
  server_presence_offline_threshold_seconds: 200,
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
  event_queue_longpoll_timeout_seconds: 90,
} as const;
const gifRatings = {
  disabled: { name: "No GIFs", id: 0 },
  g: { name: "Rated G: general audience", id: 1 },
  pg: { name: "Rated PG: parental guidance", id: 2 },
  "pg-13": { name: "Rated PG-13: parental guidance under 13", id: 3 },
  r: { name: "Rated R: restricted", id: 4 },
};
/** Days between closing an organization and the deletion of its data, at least. */
const minDeletionDays = 14;

export function realmPart(realm: RealmReader, server: ServerTraits): RegisterFields {
  const { state } = realm;
  return {
    ...ownSettings(state),
    ...permissions(state),
    ...identity(state, server),
    ...sizes(state, server),
    ...rhythms,
    ...serverTraits(state, server),
    ...deprecated(state),
  };
}

function ownSettings(state: RealmState): RegisterFields {
  const names = realmSettingNames;
  return Object.fromEntries(names.map((name) => [`realm_${name}`, state.setting(name)]));
}

function permissions(state: RealmState): RegisterFields {
  const names = realmGroupSettingNames;
  return {
    ...Object.fromEntries(names.map((name) => [`realm_${name}`, shownGroupSetting(state, state.groupSetting(name))])),
    server_supported_permission_settings: supportedPermissionSettings,
  };
}

function identity(state: RealmState, server: ServerTraits): RegisterFields {
  const pushStatus = pushStatusOf(state, server.hasPush);
  return {
    realm_name: state.row.name,
    realm_url: state.url,
    realm_uri: state.url,
    ...realmPictureFields(state),
    realm_uuid: state.row.uuid,
    realm_bot_domain: state.botDomain,
    // Owners see of private channels what anybody does.
    realm_owner_full_content_access: false,
    realm_date_created: state.row.date_created,
    realm_plan_type: 1,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: "",
    realm_upload_quota_mib: server.uploadQuotaMib,
    realm_empty_topic_display_name: emptyTopicDisplayName,
    realm_default_external_accounts: defaultExternalAccounts,
    realm_authentication_methods: authenticationMethodsOf(state),
    realm_email_auth_enabled: true,
    realm_password_auth_enabled: true,
    realm_push_notifications_enabled: pushStatus.can_push,
    realm_push_notifications_enabled_end_timestamp: pushStatus.end_timestamp,
    realm_available_video_chat_providers: callProviders(callServicesOf(state)),
    gif_rating_policy_options: gifRatings,
  };
}

function sizes(state: RealmState, { maxUploadMib }: ServerTraits): RegisterFields {
  const { minLength, minGuesses } = passwordRulesOf(state);
  return {
    max_stream_name_length: limits.channelName,
    max_stream_description_length: limits.channelDescription,
    max_topic_length: limits.topic,
    max_message_length: limits.message,
    max_channel_folder_name_length: limits.folderName,
    max_channel_folder_description_length: limits.folderDescription,
    max_reminder_note_length: limits.reminderNote,
    max_bulk_new_subscription_messages: limits.bulkSubscriptionMessages,
    max_file_upload_size_mib: maxUploadMib,
    max_avatar_file_size_mib: fileLimitsMib.avatar,
    max_icon_file_size_mib: fileLimitsMib.icon,
    max_logo_file_size_mib: fileLimitsMib.logo,
    password_min_length: minLength,
    password_max_length: limits.passwordMax,
    password_min_guesses: minGuesses,
  };
}

function serverTraits(state: RealmState, server: ServerTraits): RegisterFields {
  return {
    server_generation: server.generation,
    development_environment: server.isDevelopment,
    server_needs_upgrade: false,
    server_avatar_changes_disabled: false,
    server_name_changes_disabled: false,
    server_inline_image_preview: server.showsExternalContent,
    server_inline_url_embed_preview: server.previewsLinks,
    server_web_public_streams_enabled: server.webPublicChannelsEnabled,
    server_emoji_data_url: `${state.url}${emojiDataPath}`,
    server_jitsi_server_url: callServicesOf(state).jitsiUrl,
    jitsi_server_url: state.setting("jitsi_server_url") ?? callServicesOf(state).jitsiUrl,
    server_can_summarize_topics: server.summarizes,
    server_gif_provider: server.gifProvider,
    server_thumbnail_formats: thumbnailFormats,
    server_report_message_types: [...reportMessageTypes],
    server_min_deactivated_realm_deletion_days: minDeletionDays,
    server_max_deactivated_realm_deletion_days: null,
    settings_send_digest_emails: state.server.sendsEmail === true,
  };
}

/** On the scales of the integer policies that groups replaced. */
function deprecated(state: RealmState): RegisterFields {
  const breadth = (name: RealmGroupSettingName) => smallestSystemGroup(state, state.groupSetting(name));
  return {
    realm_mandatory_topics: state.setting("topics_policy") === "disable_empty_topic",
    realm_allow_edit_history: state.setting("message_edit_history_visibility_policy") !== "none",
    realm_wildcard_mention_policy: wildcardPolicies[breadth("can_mention_many_users_group")],
    realm_private_message_policy: breadth("direct_message_permission_group") === "role:nobody" ? 2 : 1,
    realm_create_web_public_stream_policy: webPublicPolicies[breadth("can_create_web_public_channel_group")],
    realm_create_public_stream_policy: creationPolicies[breadth("can_create_public_channel_group")],
    realm_create_private_stream_policy: creationPolicies[breadth("can_create_private_channel_group")],
    realm_delete_own_message_policy: deletionPolicies[breadth("can_delete_own_message_group")],
  };
}

type Breadth = ReturnType<typeof smallestSystemGroup>;

/** `realm_wildcard_mention_policy`. https://zulip.com/api/register-queue */
const wildcardPolicies: Record<Breadth, number> = {
  "role:nobody": 6,
  "role:owners": 5,
  "role:administrators": 5,
  "role:moderators": 7,
  "role:fullmembers": 3,
  "role:members": 2,
  "role:everyone": 1,
};
/** Source: what mobile clients of the integer policies know: owners 7, administrators 2, moderators 4, nobody 6. */
const webPublicPolicies: Record<Breadth, number> = {
  "role:nobody": 6,
  "role:owners": 7,
  "role:administrators": 2,
  "role:moderators": 4,
  "role:fullmembers": 4,
  "role:members": 4,
  "role:everyone": 4,
};
/** Members 1, administrators 2, full members 3, moderators 4. */
const creationPolicies: Record<Breadth, number> = {
  "role:nobody": 2,
  "role:owners": 2,
  "role:administrators": 2,
  "role:moderators": 4,
  "role:fullmembers": 3,
  "role:members": 1,
  "role:everyone": 1,
};
/** Members 1, administrators 2, full members 3, moderators 4, everyone 5. */
const deletionPolicies: Record<Breadth, number> = {
  "role:nobody": 2,
  "role:owners": 2,
  "role:administrators": 2,
  "role:moderators": 4,
  "role:fullmembers": 3,
  "role:members": 1,
  "role:everyone": 5,
};
