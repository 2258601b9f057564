/** The parts of a POST /register answer that events change. A part that was not fetched is absent, and stays so. */
import type { Draft, ProfileField, Reaction, Reminder, ScheduledMessage, Snippet } from "../types.ts";
import type { ClientProfile } from "./client-profile.ts";

/** An event as GET /events answers it. */
export interface WireEvent {
  id: number;
  type: string;
  op?: string;
  [field: string]: unknown;
}

/** The id of a named group, or an anonymous group. */
export type GroupSetting = number | { direct_members: number[]; direct_subgroups: number[] };

/** A user as listed in `realm_users`. */
export interface UserRecord {
  user_id: number;
  email: string;
  full_name: string;
  is_bot: boolean;
  role: number;
  is_owner: boolean;
  is_admin: boolean;
  is_guest: boolean;
  delivery_email?: string | null;
  timezone?: string;
  avatar_url?: string | null;
  profile_data?: Record<string, { value: string; rendered_value?: string }>;
  [field: string]: unknown;
}

/** A channel, subscribed to or not. */
export interface ChannelRecord {
  stream_id: number;
  name: string;
  subscriber_count?: number | undefined;
  subscribers?: number[];
  partial_subscribers?: number[];
  is_muted?: boolean;
  [field: string]: unknown;
}

/** A user group as listed in `realm_user_groups`. */
export interface GroupRecord {
  id: number;
  name: string;
  members: number[];
  direct_subgroup_ids: number[];
  [field: string]: unknown;
}

/** `unread_msgs`. */
export interface UnreadMessages {
  count: number;
  pms: { other_user_id: number; sender_id: number; unread_message_ids: number[] }[];
  streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
  huddles: { user_ids_string: string; unread_message_ids: number[] }[];
  mentions: number[];
  old_unreads_missing: boolean;
}

/** One entry of `user_topics`. */
export interface UserTopic {
  stream_id: number;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}

/** One entry of `channel_folders`. */
export interface FolderRecord {
  id: number;
  name: string;
  description: string;
  order: number;
  is_archived: boolean;
}

/** One entry of `user_status`. */
export interface UserStatus {
  away?: true;
  status_text?: string;
  emoji_name?: string;
  emoji_code?: string;
  reaction_type?: Reaction["reaction_type"];
}

/** The person's settings. */
export interface UserSettings {
  color_scheme?: number;
  web_font_size_px?: number;
  web_home_view?: string;
  [name: string]: unknown;
}

/** When a person was present, in UNIX seconds. */
export interface Presence {
  active_timestamp?: number;
  idle_timestamp?: number;
  [field: string]: unknown;
}

/** A bot as its owner and administrators see it. */
export interface BotRecord extends Record<string, unknown> {
  user_id: number;
  owner_id: number | null;
  full_name: string;
  email: string;
  is_active: boolean;
}

/** A picture of the organization's own. */
export interface RealmEmoji {
  id: string;
  name: string;
  source_url: string;
  deactivated: boolean;
}

/** The fetched state. A `string` in place of a number is an `unknowable` value. */
export interface RegisterState {
  queue_id?: string | null;
  last_event_id?: number;
  user_id?: number;
  max_message_id?: number | string;
  unread_msgs?: UnreadMessages;
  starred_messages?: number[];
  recent_private_conversations?: { max_message_id: number | string; user_ids: number[] }[];
  subscriptions?: ChannelRecord[];
  unsubscribed?: ChannelRecord[];
  never_subscribed?: ChannelRecord[];
  streams?: ChannelRecord[];
  realm_users?: UserRecord[];
  realm_non_active_users?: UserRecord[];
  realm_user_groups?: GroupRecord[];
  realm_bots?: BotRecord[] | string;
  realm_emoji?: Record<string, RealmEmoji>;
  user_topics?: UserTopic[];
  muted_topics?: [string, string, number][];
  user_settings?: UserSettings;
  cross_realm_bots?: UserRecord[];
  muted_users?: { id: number; timestamp: number }[];
  user_status?: Record<string, UserStatus>;
  channel_folders?: FolderRecord[];
  drafts?: Draft[];
  devices?: Record<string, Record<string, unknown>>;
  presence_last_update_id?: number;
  max_topic_length?: number;
  max_file_upload_size_mib?: number;
  realm_moderation_request_channel_id?: number;
  realm_default_external_accounts?: Record<string, { name: string; url_pattern: string }>;
  server_presence_ping_interval_seconds?: number;
  server_typing_started_expiry_period_milliseconds?: number;
  server_typing_started_wait_period_milliseconds?: number;
  server_typing_stopped_wait_period_milliseconds?: number;
  /** By user id; by address where a client asks for them in the older form. */
  presences?: Record<string, Presence>;
  alert_words?: string[];
  saved_snippets?: Snippet[];
  scheduled_messages?: ScheduledMessage[];
  reminders?: Reminder[];
  realm_default_streams?: number[];
  realm_message_retention_days?: number;
  realm_playgrounds?: { name: string; pygments_language: string; url_template: string }[];
  realm_user_settings_defaults?: UserSettings;
  custom_profile_fields?: ProfileField[];
  custom_profile_field_types?: Record<string, { id: number; name: string }>;
  server_report_message_types?: { key: string; name: string }[];
  [field: string]: unknown;
}

/** Applies one event. Its shape has been checked. */
export type Handler = (state: RegisterState, event: never, profile: ClientProfile) => void;

/** An event does not fit the state: a client would fail here. */
export class InapplicableEventError extends Error {
  override readonly name = "InapplicableEventError";
}

/** The list `state[field]`. Undefined when it was not fetched. */
export function listOf(state: RegisterState, field: string): Record<string, unknown>[] | undefined {
  const list = state[field];
  return Array.isArray(list) ? list : undefined;
}

/** Appends `item`, or replaces the one with the same `key`. */
export function putItem<T extends object>(list: T[] | undefined, key: keyof T, item: T): void {
  if (!list) return;
  const place = list.findIndex((other) => other[key] === item[key]);
  if (place < 0) list.push(item);
  else list[place] = item;
}

/** Removes the item whose `key` is `value`, and returns it. */
export function takeItem<T extends object>(list: T[] | undefined, key: keyof T, value: unknown): T | undefined {
  const place = list?.findIndex((item) => item[key] === value) ?? -1;
  return place < 0 ? undefined : list?.splice(place, 1)[0];
}

/**
 * Replaces the item whose `key` is `value` with a copy, and returns the copy to change. A changed record is another
 * object, so a view that was given the record is drawn again.
 */
export function renewItem<T extends object>(list: T[] | undefined, key: keyof T, value: unknown): T | undefined {
  const place = list?.findIndex((item) => item[key] === value) ?? -1;
  const item = list?.[place];
  if (!list || !item) return undefined;
  const copy = { ...item };
  list[place] = copy;
  return copy;
}

/** The item whose `key` is `value`. @throws InapplicableEventError when the list was fetched without it */
export function accessItem<T extends object>(
  list: T[] | undefined,
  key: keyof T,
  value: unknown,
  what: string,
): T | undefined {
  const item = list?.find((candidate) => candidate[key] === value);
  if (list && !item) throw new InapplicableEventError(`${what} ${String(value)} is not known to this client`);
  return item;
}

/** Like `takeItem`. @throws InapplicableEventError when the list was fetched without the item */
export function removeItem<T extends object>(list: T[] | undefined, key: keyof T, value: unknown, what: string): void {
  if (list && !takeItem(list, key, value)) {
    throw new InapplicableEventError(`${what} ${String(value)} is not known to this client`);
  }
}

/** Adds `ids` to an ascending list without duplicates. */
export function addSorted(list: number[], ids: readonly number[]): void {
  // The usual case is one id that is newer than all.
  const [first] = ids;
  if (ids.length === 1 && first !== undefined && first > (list.at(-1) ?? Number.NEGATIVE_INFINITY)) {
    list.push(first);
    return;
  }
  const known = new Set(list);
  for (const id of ids) if (!known.has(id)) list.push(id);
  list.sort((a, b) => a - b);
}

/** Removes `ids` from a list, in place. */
export function dropAll<T>(list: T[], ids: ReadonlySet<T>): void {
  let kept = 0;
  for (const item of list) if (!ids.has(item)) list[kept++] = item;
  list.length = kept;
}
