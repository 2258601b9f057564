/**
 * The rows of the tables that make up a realm, as PostgreSQL keeps them, as the log carries them and as replicas hold
 * them. Columns keep the wire's spelling. Times are UNIX seconds.
 */
import type {
  ChannelId,
  DomainId,
  EmojiId,
  FolderId,
  GroupId,
  LinkifierId,
  MessageId,
  PlaygroundId,
  ProfileFieldId,
  RealmId,
  RecipientId,
  UserId,
} from "./ids.ts";

/** A group id, or an anonymous group. */
export type GroupSetting = GroupId | { direct_members: UserId[]; direct_subgroups: GroupId[] };

export const channelGroupSettings = [
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
export type ChannelGroupSetting = (typeof channelGroupSettings)[number];

export const userGroupSettings = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const;
export type UserGroupSetting = (typeof userGroupSettings)[number];

/** The keys of an object that has no others than its type says. */
export const keysOf = <Row extends object>(row: Row) => Object.keys(row) as (keyof Row & string)[];

/** Whether an object that has no others than its type says has this key. */
export const isKeyOf = <Row extends object>(row: Row, key: PropertyKey): key is keyof Row => Object.hasOwn(row, key);

/** An object with one value for each of these names. */
export function recordOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  // A loop: `Object.fromEntries` takes four times as long, and a register makes one for each channel.
  const record = {} as Record<Name, Value>;
  for (const name of names) record[name] = make(name);
  return record;
}

/** Where an emoji comes from. */
export type ReactionType = "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";

/** What an account may, by name: the lower the number, the more. https://zulip.com/help/user-roles */
export const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;
export type RoleName = keyof typeof roles;
export type Role = (typeof roles)[RoleName];
/** The numbers alone, highest role first. */
export const roleNumbers: readonly Role[] = Object.values(roles);

/**
 * What an organization has chosen: only what differs from the defaults in `actors/realm/state/settings.ts`. Names are
 * without `realm_`. Nouns add what else they keep there.
 */
export interface RealmChoices {
  [name: string]: unknown;
}

/** The same of an account: only what differs from the defaults in `actors/users/settings/settings.ts`. */
export interface UserChoices {
  [name: string]: unknown;
}

export interface RealmRow {
  id: RealmId;
  /** null: this realm answers to any host. */
  host: string | null;
  name: string;
  date_created: number;
  is_deactivated: boolean;
  /** Never changes. */
  uuid: string;
  settings: RealmChoices;
}

export interface UserRow {
  id: UserId;
  realm_id: RealmId;
  delivery_email: string;
  full_name: string;
  /** One of `roles`. */
  role: number;
  is_active: boolean;
  is_deleted: boolean;
  is_bot: boolean;
  is_system_bot: boolean;
  bot_type: number | null;
  bot_owner_id: UserId | null;
  is_imported_stub: boolean;
  date_joined: number;
  first_login_at: number | null;
  timezone: string;
  /** G: gravatar; J: drawn by the server; U: uploaded, at `avatar_path`. */
  avatar_source: "G" | "J" | "U";
  avatar_version: number;
  avatar_path: string | null;
  /** Bumped when the API key changes, so that nodes forget the old one. */
  api_key_version: number;
  /** Given to single accounts by whoever runs the server: an administrator may create accounts. Owners always may. */
  can_create_users: boolean;
  /** Given to single accounts by whoever runs the server: an owner may change other people's addresses. */
  can_change_user_emails: boolean;
  /** The address is what the account's holder said it was: nobody who may vouch for it did. */
  has_unconfirmed_email: boolean;
  settings: UserChoices;
  /** Custom profile field id → value; lists as JSON text. */
  profile_data: Record<string, string>;
  alert_words: string[];
  status: { status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: ReactionType };
}

export type ChannelRow = {
  id: ChannelId;
  realm_id: RealmId;
  recipient_id: RecipientId;
  name: string;
  description: string;
  rendered_description: string;
  creator_id: UserId | null;
  date_created: number;
  invite_only: boolean;
  is_web_public: boolean;
  history_public_to_subscribers: boolean;
  is_archived: boolean;
  message_retention_days: number | null;
  topics_policy: TopicsPolicy;
  folder_id: FolderId | null;
  first_message_id: MessageId | null;
  is_recently_active: boolean;
  stream_weekly_traffic: number | null;
} & Record<ChannelGroupSetting, GroupSetting>;
export type TopicsPolicy = "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only";

/** The overridable notification settings of a subscription; null inherits the user's own. */
export const subscriptionNotificationSettings = [
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
] as const;
export type SubscriptionNotificationSetting = (typeof subscriptionNotificationSettings)[number];

export type SubscriptionRow = {
  user_id: UserId;
  channel_id: ChannelId;
  realm_id: RealmId;
  /** false: was subscribed once; colour and what was received are kept. */
  is_active: boolean;
  /** 24-bit RGB */
  color: number;
  is_muted: boolean;
  pin_to_top: boolean;
} & Record<SubscriptionNotificationSetting, boolean | null>;

/** A subscription's colour and switches in one word of 32 bits: `color << 8`, and these bits. */
export const subscriptionBits = { muted: 1, pinned: 2, ended: 4 } as const;

/**
 * All of one person's subscriptions but for their notification overrides; the lists go together, in order of channel.
 */
export interface PackedSubscriptions {
  userId: UserId;
  channelIds: Int32Array<ArrayBuffer>;
  words: Int32Array<ArrayBuffer>;
}

export type UserGroupRow = {
  id: GroupId;
  realm_id: RealmId;
  name: string;
  description: string;
  creator_id: UserId | null;
  date_created: number | null;
  is_system_group: boolean;
  deactivated: boolean;
} & Record<UserGroupSetting, GroupSetting>;
export interface UserGroupMemberRow {
  group_id: GroupId;
  user_id: UserId;
  realm_id: RealmId;
}
export interface UserGroupSubgroupRow {
  group_id: GroupId;
  subgroup_id: GroupId;
  realm_id: RealmId;
}

export interface ChannelFolderRow {
  id: FolderId;
  realm_id: RealmId;
  name: string;
  description: string;
  rendered_description: string;
  date_created: number;
  creator_id: UserId | null;
  is_archived: boolean;
  order: number;
}
export interface LinkifierRow {
  id: LinkifierId;
  realm_id: RealmId;
  order: number;
  pattern: string;
  url_template: string;
  example_input: string | null;
  reverse_template: string | null;
  alternative_url_templates: string[];
}
export interface PlaygroundRow {
  id: PlaygroundId;
  realm_id: RealmId;
  name: string;
  pygments_language: string;
  url_template: string;
}
export interface RealmDomainRow {
  id: DomainId;
  realm_id: RealmId;
  domain: string;
  allow_subdomains: boolean;
}
export interface CustomProfileFieldRow {
  id: ProfileFieldId;
  realm_id: RealmId;
  type: number;
  name: string;
  hint: string;
  field_data: string;
  order: number;
  required: boolean;
  editable_by_user: boolean;
  display_in_profile_summary: boolean;
  use_for_user_matching: boolean;
}
export interface RealmEmojiRow {
  id: EmojiId;
  realm_id: RealmId;
  name: string;
  file_name: string;
  is_animated: boolean;
  deactivated: boolean;
  author_id: UserId | null;
}
export interface DefaultChannelRow {
  channel_id: ChannelId;
  realm_id: RealmId;
}
export interface UserTopicRow {
  user_id: UserId;
  channel_id: ChannelId;
  /** The topic in lower case: topics compare ignoring case. */
  topic_key: string;
  realm_id: RealmId;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}
export interface MutedUserRow {
  user_id: UserId;
  muted_user_id: UserId;
  realm_id: RealmId;
  date_muted: number;
}

/** Rows that replicas hold in memory; every other table is only in PostgreSQL. */
export interface StateRows {
  realms: RealmRow;
  users: UserRow;
  channels: ChannelRow;
  subscriptions: SubscriptionRow;
  user_groups: UserGroupRow;
  user_group_members: UserGroupMemberRow;
  user_group_subgroups: UserGroupSubgroupRow;
  channel_folders: ChannelFolderRow;
  linkifiers: LinkifierRow;
  playgrounds: PlaygroundRow;
  realm_domains: RealmDomainRow;
  custom_profile_fields: CustomProfileFieldRow;
  realm_emoji: RealmEmojiRow;
  default_channels: DefaultChannelRow;
  user_topics: UserTopicRow;
  muted_users: MutedUserRow;
}
export type StateTable = keyof StateRows;

/** Key columns of the tables that rows are removed from. Rows of the others change their state instead. */
export interface RemovedRows {
  user_group_members: Pick<UserGroupMemberRow, "group_id" | "user_id">;
  user_group_subgroups: Pick<UserGroupSubgroupRow, "group_id" | "subgroup_id">;
  linkifiers: Pick<LinkifierRow, "id">;
  playgrounds: Pick<PlaygroundRow, "id">;
  realm_domains: Pick<RealmDomainRow, "id">;
  custom_profile_fields: Pick<CustomProfileFieldRow, "id">;
  default_channels: Pick<DefaultChannelRow, "channel_id">;
  user_topics: Pick<UserTopicRow, "user_id" | "channel_id" | "topic_key">;
  muted_users: Pick<MutedUserRow, "user_id" | "muted_user_id">;
}
export type RemovedRow<T extends StateTable> = T extends keyof RemovedRows ? RemovedRows[T] : never;

/** Rows of one of these tables, put (whole, by key) and removed (by key columns). */
export type ChangeOf<T extends StateTable> = {
  [K in T]: { table: K; put?: StateRows[K][]; remove?: RemovedRow<K>[] };
}[T];

/**
 * One step in a realm's history. The same change is written to PostgreSQL, carried by the log and applied by every
 * replica.
 */
export type Change = ChangeOf<StateTable>;
