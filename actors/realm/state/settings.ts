/**
 * All settings of organizations: their defaults, their values, and whether clients see them as `realm_<name>`. A
 * realm's row stores only what differs from the default. https://zulip.com/api/register-queue
 */
import type { ChannelId } from "../../../storage/ids.ts";
import { keysOf } from "../../../storage/rows.ts";
import type { SystemGroupName } from "./group-index.ts";

type Kind =
  | "boolean"
  | "integer"
  | "string"
  | "language"
  | "url"
  | "days"
  | "limit"
  | "channel"
  | { oneOf: readonly (string | number)[] };

export interface RealmSetting<T = unknown> {
  default: T;
  kind: Kind;
  /** In code points; only of strings. */
  maxLength?: number;
  min?: number;
  max?: number;
  /** Only owners may change it. */
  owner?: true;
}

const flag = (value: boolean): RealmSetting<boolean> => ({ default: value, kind: "boolean" });
const number = (value: number, min = 0, max = 2 ** 31 - 1): RealmSetting<number> => ({
  default: value,
  kind: "integer",
  min,
  max,
});
const text = (value: string, maxLength: number): RealmSetting<string> => ({
  default: value,
  kind: "string",
  maxLength,
});
const oneOf = <const T extends string | number>(value: NoInfer<T>, ...values: T[]): RealmSetting<T> => ({
  default: value,
  kind: { oneOf: values },
});
/** Seconds, or null for no limit. Requests call that `unlimited`. */
const limit = (seconds: number): RealmSetting<number | null> => ({
  default: seconds,
  kind: "limit",
  min: 1,
  max: 2 ** 31 - 1,
});
/** A channel's id, or -1 for none. */
const channel: RealmSetting<ChannelId> = { default: -1, kind: "channel" };
const url: RealmSetting<string | null> = { default: null, kind: "url", maxLength: 200 };
const language: RealmSetting<string> = { default: "en", kind: "language" };
const days = (value: number): RealmSetting<number> => ({ default: value, kind: "days", min: 1, max: 2 ** 31 - 1 });
const ownersOnly = <T>(setting: RealmSetting<T>): RealmSetting<T> => ({ ...setting, owner: true });

export const realmSettings = {
  description: text("", 1000),
  /** -1: for ever. Requests call that `unlimited`. */
  message_retention_days: ownersOnly(days(-1)),
  allow_message_editing: flag(true),
  message_content_edit_limit_seconds: limit(600),
  message_content_delete_limit_seconds: limit(600),
  move_messages_within_stream_limit_seconds: limit(604_800),
  move_messages_between_streams_limit_seconds: limit(604_800),
  message_edit_history_visibility_policy: oneOf("all", "all", "moves", "none"),
  topics_policy: oneOf("allow_empty_topic", "allow_empty_topic", "disable_empty_topic"),
  /** Days. */
  waiting_period_threshold: ownersOnly(number(0, 0, 36_500)),
  enable_read_receipts: flag(false),
  presence_disabled: flag(false),
  moderation_request_channel_id: channel,
  new_stream_announcements_stream_id: channel,
  signup_announcements_stream_id: channel,
  zulip_update_announcements_stream_id: channel,
  /** A number of `callProviders`. Only those that the server is configured for are accepted. */
  video_chat_provider: oneOf(1, 0, 1, 3, 4, 5, 6, 7, 8),
  /** Null: the server's own. Requests call that `default`. */
  jitsi_server_url: url,
  /** 0: no GIFs. Else the highest rating: 1 G, 2 PG, 3 PG-13, 4 R. */
  gif_rating_policy: oneOf(1, 0, 1, 2, 3, 4),
  /** Percent of the usual height of pictures and videos. */
  media_preview_size: oneOf(100, 100, 150, 200),
  /** Pictures of new accounts: G from Gravatar, J drawn by the server. */
  default_avatar_source: oneOf("G", "G", "J"),
  default_language: language,
  default_code_block_language: text("", 40),
  invite_required: ownersOnly(flag(true)),
  emails_restricted_to_domains: ownersOnly(flag(false)),
  disallow_disposable_email_addresses: ownersOnly(flag(true)),
  email_changes_disabled: flag(false),
  name_changes_disabled: flag(false),
  avatar_changes_disabled: flag(false),
  require_unique_names: flag(false),
  require_e2ee_push_notifications: flag(false),
  enable_spectator_access: flag(false),
  want_advertise_in_communities_directory: flag(false),
  inline_image_preview: flag(true),
  inline_url_embed_preview: flag(false),
  message_content_allowed_in_email_notifications: flag(true),
  send_welcome_emails: flag(true),
  send_channel_events_messages: flag(true),
  digest_emails_enabled: flag(false),
  digest_weekday: number(1, 0, 6),
  enable_guest_user_indicator: flag(true),
  enable_guest_user_dm_warning: flag(true),
  org_type: oneOf(0, 0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 110, 1000),
  welcome_message_custom_text: text("", 8000),
} satisfies Record<string, RealmSetting>;
export type RealmSettingName = keyof typeof realmSettings;
export const realmSettingNames = keysOf(realmSettings);
/** What a setting is, once it is read. */
export type RealmSettingValue<N extends RealmSettingName> = (typeof realmSettings)[N]["default"];

export interface RealmGroupSetting {
  default: SystemGroupName;
  everyone: boolean;
  nobody: boolean;
  /** Only these system groups may be chosen: no named group and no anonymous one. */
  only?: readonly SystemGroupName[] | undefined;
  /** Only owners may change it. */
  owner?: true | undefined;
}

const group = (
  value: SystemGroupName,
  choices: { everyone?: boolean; nobody?: boolean; only?: readonly SystemGroupName[]; owner?: true } = {},
): RealmGroupSetting => ({
  default: value,
  everyone: choices.everyone ?? false,
  nobody: choices.nobody ?? true,
  only: choices.only,
  owner: choices.owner,
});

/** The permissions of an organization, each held by a group. */
export const realmGroupSettings = {
  create_multiuse_invite_group: group("role:administrators", { owner: true }),
  can_access_all_users_group: group("role:everyone", {
    everyone: true,
    nobody: false,
    only: ["role:everyone", "role:members"],
  }),
  can_add_custom_emoji_group: group("role:members"),
  can_add_subscribers_group: group("role:members"),
  can_create_bots_group: group("role:members"),
  can_create_groups: group("role:members", { owner: true }),
  can_create_private_channel_group: group("role:members"),
  can_create_public_channel_group: group("role:members"),
  can_create_web_public_channel_group: group("role:owners", {
    only: ["role:owners", "role:administrators", "role:moderators", "role:nobody"],
  }),
  can_create_write_only_bots_group: group("role:members"),
  can_delete_any_message_group: group("role:administrators"),
  can_delete_own_message_group: group("role:everyone", { everyone: true }),
  can_invite_users_group: group("role:members", { owner: true }),
  can_manage_all_groups: group("role:owners", { nobody: false, owner: true }),
  can_manage_billing_group: group("role:administrators", { nobody: false, owner: true }),
  can_mention_many_users_group: group("role:administrators", { everyone: true }),
  can_move_messages_between_channels_group: group("role:members"),
  can_move_messages_between_topics_group: group("role:everyone", { everyone: true }),
  can_resolve_topics_group: group("role:everyone", { everyone: true }),
  can_set_delete_message_policy_group: group("role:moderators"),
  can_set_topics_policy_group: group("role:members", { everyone: true }),
  can_summarize_topics_group: group("role:everyone", { everyone: true }),
  direct_message_initiator_group: group("role:everyone", { everyone: true }),
  direct_message_permission_group: group("role:everyone", { everyone: true }),
  workplace_users_group: group("role:everyone", { everyone: true, nobody: false, owner: true }),
} satisfies Record<string, RealmGroupSetting>;
export type RealmGroupSettingName = keyof typeof realmGroupSettings;
export const realmGroupSettingNames = keysOf(realmGroupSettings);

/** The name of the empty topic for clients that do not know of empty topics. */
export const emptyTopicDisplayName = "general chat";
/** Code points, as a register response has them. https://zulip.com/api/register-queue */
export const limits = {
  channelName: 60,
  channelDescription: 1024,
  topic: 60,
  message: 10_000,
  fullName: 100,
  realmName: 40,
  realmDescription: 1000,
  userGroupName: 100,
  /** The limit of channels, for the same reason: every register answer has all descriptions. */
  userGroupDescription: 1024,
  folderName: 100,
  folderDescription: 1024,
  snippetTitle: 60,
  snippetContent: 10_000,
  statusText: 60,
  alertWord: 100,
  reminderNote: 500,
  reportDescription: 1000,
  welcomeText: 8000,
  passwordMin: 8,
  passwordMax: 100,
  /** Guesses that a password must withstand, by the estimate of clients. */
  passwordMinGuesses: 10_000,
  /** Most new subscribers of one request that get a direct message about it. */
  bulkSubscriptionMessages: 100,
} as const;
