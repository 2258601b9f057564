/**
 * The tables and columns of a Zulip export that an import reads. A foreign key is the id of the other row. Columns that
 * only some versions export are optional.
 */

import type { Id } from "../../../storage/ids.ts";
import type { ReactionType } from "../../../storage/rows.ts";

/** Ids of the old server. Their types keep them from being used here before `IdMaps` has translated them. */
export type OldUserId = Id<"old user">;
export type OldChannelId = Id<"old channel">;
export type OldGroupId = Id<"old group">;
export type OldMessageId = Id<"old message">;
export type OldRecipientId = Id<"old recipient">;
export type OldEmojiId = Id<"old emoji">;
export type OldFieldId = Id<"old profile field">;
export type OldFolderId = Id<"old channel folder">;

export interface RealmTable {
  id: number;
  name: string;
  string_id: string;
  date_created: number;
  [column: string]: unknown;
}

export interface UserTable {
  id: OldUserId;
  delivery_email: string;
  email: string;
  full_name: string;
  role: number;
  is_active: boolean;
  is_bot: boolean;
  bot_type: number | null;
  bot_owner: OldUserId | null;
  is_mirror_dummy: boolean;
  date_joined: number;
  last_login?: number | null;
  timezone?: string;
  avatar_source: string;
  avatar_version?: number;
  recipient: OldRecipientId | null;
  can_create_users?: boolean;
  [column: string]: unknown;
}

/** System bots, which the whole server shares. */
export interface SystemBotTable {
  id: OldUserId;
  email: string;
  recipient_id: OldRecipientId;
}

export interface ChannelTable {
  id: OldChannelId;
  name: string;
  description: string;
  rendered_description?: string;
  date_created: number;
  deactivated: boolean;
  invite_only: boolean;
  history_public_to_subscribers: boolean;
  is_web_public: boolean;
  message_retention_days: number | null;
  creator?: OldUserId | null;
  stream_post_policy?: number;
  folder?: OldFolderId | null;
  topics_policy?: number;
  [column: string]: unknown;
}

export interface SubscriptionTable {
  user_profile: OldUserId;
  recipient: OldRecipientId;
  active: boolean;
  is_muted: boolean;
  color: string;
  pin_to_top: boolean;
  desktop_notifications: boolean | null;
  audible_notifications: boolean | null;
  push_notifications: boolean | null;
  email_notifications: boolean | null;
  wildcard_mentions_notify: boolean | null;
}

export interface GroupTable {
  id: OldGroupId;
  name: string;
  description: string;
  is_system_group: boolean;
  can_mention_group?: OldGroupId;
  creator?: OldUserId | null;
  date_created?: number | null;
  deactivated?: boolean;
  [column: string]: unknown;
}

export interface MessageTable {
  id: OldMessageId;
  sender: OldUserId;
  recipient: OldRecipientId;
  subject: string;
  content: string;
  rendered_content: string | null;
  date_sent: number;
  sending_client: number;
  last_edit_time: number | null;
  edit_history: string | null;
  has_attachment: boolean;
  has_image: boolean;
  has_link: boolean;
}

export interface UserMessageTable {
  user_profile: OldUserId;
  message: OldMessageId;
  /** See `flagBits`. */
  flags_mask: number;
}

export const flagBits = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  channelWildcard: 16,
  topicWildcard: 32,
  groupMentioned: 64,
  alerted: 512,
  historical: 1024,
} as const;

/** What our own exports tell of a message that Zulip's tables cannot. */
export interface OwnMessageTable {
  id: OldMessageId;
  is_me_message?: boolean;
  channel_wildcard?: boolean;
  topic_wildcard?: boolean;
  mentioned?: OldUserId[];
  topic_participants?: OldUserId[];
  alerted?: OldUserId[];
  read_by_sender?: boolean;
  /** Who has flags on it without having received it. */
  not_received?: OldUserId[];
}

/** The tables of a file of messages. */
export interface MessageTables {
  zerver_message: MessageTable;
  zerver_usermessage: UserMessageTable;
  parley_message: OwnMessageTable;
}

export interface ReactionTable {
  id: number;
  user_profile: OldUserId;
  message: OldMessageId;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
}

export interface ScheduledTable {
  id: number;
  sender: OldUserId;
  recipient: OldRecipientId;
  subject: string;
  content: string;
  rendered_content: string | null;
  sending_client: number;
  scheduled_timestamp: number;
  read_by_sender?: boolean;
  delivered: boolean;
  failed: boolean;
  /** 1: a scheduled message; 2: a reminder. */
  delivery_type: number;
  reminder_target_message_id?: OldMessageId | null;
  reminder_note?: string | null;
}

export interface AttachmentTable {
  id: number;
  file_name: string;
  path_id: string;
  owner: OldUserId;
  create_time: number;
  size: number;
  content_type?: string | null;
  messages: OldMessageId[];
  scheduled_messages?: number[];
}

export interface FileRecord {
  path: string;
  user_profile_id?: OldUserId;
  file_name?: string;
  content_type?: string | null;
}

export interface Tables {
  zerver_realm: RealmTable[];
  zerver_userprofile: UserTable[];
  zerver_userprofile_mirrordummy?: UserTable[];
  zerver_userprofile_crossrealm?: SystemBotTable[];
  zerver_stream?: ChannelTable[];
  zerver_defaultstream?: { stream: OldChannelId }[];
  zerver_recipient?: { id: OldRecipientId; type: number; type_id: number }[];
  zerver_subscription?: SubscriptionTable[];
  zerver_usergroup?: GroupTable[];
  zerver_namedusergroup?: (GroupTable & { usergroup_ptr: OldGroupId })[];
  zerver_usergroupmembership?: { user_group: OldGroupId; user_profile: OldUserId }[];
  zerver_groupgroupmembership?: { supergroup: OldGroupId; subgroup: OldGroupId }[];
  zerver_realmdomain?: { domain: string; allow_subdomains: boolean }[];
  zerver_realmemoji?: {
    id: OldEmojiId;
    name: string;
    file_name: string;
    author: OldUserId | null;
    is_animated?: boolean;
    deactivated: boolean;
  }[];
  zerver_realmfilter?: {
    id: number;
    pattern: string;
    url_template?: string;
    url_format_string?: string;
    order?: number;
    example_input?: string | null;
    reverse_template?: string | null;
    alternative_url_templates?: string[];
  }[];
  zerver_realmplayground?: { id: number; name: string; pygments_language: string; url_template: string }[];
  zerver_customprofilefield?: {
    id: OldFieldId;
    name: string;
    hint: string;
    order: number;
    field_type: number;
    field_data: string;
    display_in_profile_summary?: boolean;
    required?: boolean;
    editable_by_user?: boolean;
    use_for_user_matching?: boolean;
  }[];
  zerver_customprofilefieldvalue?: { user_profile: OldUserId; field: OldFieldId; value: string }[];
  zerver_alertword?: { user_profile: OldUserId; word: string }[];
  zerver_muteduser?: { user_profile: OldUserId; muted_user: OldUserId; date_muted: number }[];
  zerver_userstatus?: {
    user_profile: OldUserId;
    status_text: string;
    emoji_name: string;
    emoji_code: string;
    reaction_type: ReactionType;
  }[];
  zerver_usertopic?: {
    user_profile: OldUserId;
    stream: OldChannelId;
    topic_name: string;
    last_updated: number;
    visibility_policy: number;
  }[];
  zerver_onboardingstep?: { user: OldUserId; onboarding_step: string }[];
  zerver_userpresence?: {
    user_profile: OldUserId;
    last_connected_time: number | null;
    last_active_time: number | null;
  }[];
  zerver_botstoragedata?: { bot_profile: OldUserId; key: string; value: string }[];
  zerver_scheduledmessage?: ScheduledTable[];
  zerver_client?: { id: number; name: string }[];
  zerver_realmauditlog?: {
    event_type: number;
    acting_user: OldUserId | null;
    modified_stream: OldChannelId | null;
    modified_user: OldUserId | null;
    [column: string]: unknown;
  }[];
  zerver_realmuserdefault?: Readonly<Record<string, unknown>>[];
  zerver_service?: { user_profile: OldUserId; base_url: string; interface: number }[];
  zerver_channelfolder?: {
    id: OldFolderId;
    name: string;
    description: string;
    rendered_description?: string;
    date_created: number;
    creator: OldUserId | null;
    is_archived: boolean;
    order: number;
  }[];
  zerver_defaultstreamgroup?: { id: number; name: string; description: string; streams: OldChannelId[] }[];
  zerver_draft?: {
    id: number;
    user_profile: OldUserId;
    recipient: OldRecipientId | null;
    topic: string;
    content: string;
    last_edit_time: number;
  }[];
  zerver_savedsnippet?: {
    id: number;
    user_profile: OldUserId;
    title: string;
    content: string;
    date_created: number;
  }[];
  zerver_navigationview?: { user: OldUserId; fragment: string; is_pinned: boolean; name: string | null }[];
  zerver_submessage?: {
    id: number;
    message: OldMessageId;
    sender: OldUserId;
    msg_type: string;
    content: string;
  }[];
  /** Conversions of other programs' exports say so where people have received and read all of a channel. */
  parley_received?: { user_profile: OldUserId; stream: OldChannelId }[];
  /** Our own exports have this, of one row. */
  parley_export?: { version: number; url: string }[];
  /** What Zulip's table of accounts has no columns for. */
  parley_userprofile?: {
    id: OldUserId;
    is_deleted?: boolean;
    has_unconfirmed_email?: boolean;
    edited_settings?: string[];
  }[];
}

/** Types of entries in the audit log that tell something. */
export const auditEvents = { channelCreated: 601, subscribed: 301, resubscribed: 302, unsubscribed: 303 } as const;

/** The tables above, by name. */
export const tablesRead: Readonly<Record<keyof Tables, true>> = {
  zerver_realm: true,
  zerver_userprofile: true,
  zerver_userprofile_mirrordummy: true,
  zerver_userprofile_crossrealm: true,
  zerver_stream: true,
  zerver_defaultstream: true,
  zerver_recipient: true,
  zerver_subscription: true,
  zerver_usergroup: true,
  zerver_namedusergroup: true,
  zerver_usergroupmembership: true,
  zerver_groupgroupmembership: true,
  zerver_realmdomain: true,
  zerver_realmemoji: true,
  zerver_realmfilter: true,
  zerver_realmplayground: true,
  zerver_customprofilefield: true,
  zerver_customprofilefieldvalue: true,
  zerver_alertword: true,
  zerver_muteduser: true,
  zerver_userstatus: true,
  zerver_usertopic: true,
  zerver_onboardingstep: true,
  zerver_userpresence: true,
  zerver_botstoragedata: true,
  zerver_scheduledmessage: true,
  zerver_client: true,
  zerver_realmauditlog: true,
  zerver_realmuserdefault: true,
  zerver_service: true,
  zerver_channelfolder: true,
  zerver_defaultstreamgroup: true,
  zerver_draft: true,
  zerver_savedsnippet: true,
  zerver_navigationview: true,
  zerver_submessage: true,
  parley_received: true,
  parley_export: true,
  parley_userprofile: true,
};
