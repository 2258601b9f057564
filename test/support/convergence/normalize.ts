/** Makes two register answers comparable: no volatile fields, no order that carries no meaning, lists keyed by id. */

import { EARLIER_SUBSCRIPTION } from "../../../http/client/state/channels.ts";
import { type ClientProfile, MODERN } from "../../../http/client/state/client-profile.ts";
import { isAnonymousGroup } from "../../../http/client/state/groups.ts";
import type { ChannelRecord, RegisterState } from "../../../http/client/state/state.ts";
import { isUnknowable } from "../../../http/client/state/unknowable.ts";
import { OF_ACTIVE_USERS, VOLATILE_FIELDS } from "./volatile.ts";

type Item = Record<string, unknown>;

/** Lists whose order carries no meaning, and what names one of their objects. */
const KEYED_LISTS: Readonly<Record<string, (item: Item) => string>> = {
  realm_users: by("user_id"),
  realm_non_active_users: by("user_id"),
  cross_realm_bots: by("user_id"),
  realm_bots: by("user_id"),
  subscriptions: by("stream_id"),
  unsubscribed: by("stream_id"),
  never_subscribed: by("stream_id"),
  streams: by("stream_id"),
  channel_folders: by("id"),
  realm_user_groups: by("id"),
  realm_playgrounds: by("id"),
  realm_domains: by("domain"),
  realm_default_stream_groups: by("id"),
  muted_users: by("id"),
  muted_topics: (entry) => `${entry[0]}>${String(entry[1]).toLowerCase()}`,
  user_topics: (entry) => `${entry["stream_id"]}>${String(entry["topic_name"]).toLowerCase()}`,
  saved_snippets: by("id"),
  drafts: by("id"),
  scheduled_messages: by("scheduled_message_id"),
  reminders: by("reminder_id"),
  navigation_views: by("fragment"),
  onboarding_steps: by("name"),
};

/** Lists of plain values, anywhere in the state, whose order carries no meaning. */
const SETS = new Set([
  "subscribers",
  "partial_subscribers",
  "members",
  "direct_subgroup_ids",
  "direct_members",
  "direct_subgroups",
  "user_ids",
  "mentions",
  "alert_words",
  "starred_messages",
  "realm_default_streams",
]);

/** Fields of a subscription that a channel does not have. https://zulip.com/api/get-subscriptions */
const PERSONAL_FIELDS = [
  "color",
  "pin_to_top",
  "is_muted",
  "in_home_view",
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
];

function by(field: string): (item: Item) => string {
  return (item) => String(item[field]);
}

/**
 * A copy of `state` that is deep-equal to that of another fetch of the same state, and whose differing paths read well.
 *
 * Lists without a meaningful order become objects keyed by id. Where order matters it is kept (linkifiers, profile
 * fields, unread ids) or replaced by a verdict (drafts: newest edit first; conversations: newest message first).
 */
export function normalizeState(state: RegisterState, profile: ClientProfile = MODERN): Record<string, unknown> {
  const copy: RegisterState = structuredClone(state);
  dropUnshared(copy);
  for (const field of OF_ACTIVE_USERS) keepActiveUsers(copy, field);
  for (const { path, when } of VOLATILE_FIELDS) if (!when || when(profile)) dropPath(copy, path.split("."));
  mergeStandings(copy);
  rankFolders(copy);
  const nobody = copy.realm_user_groups?.find((group) => group.name === "role:nobody")?.id;
  const result = simplify(copy, nobody) as RegisterState & Item;
  normalizeUnread(result);
  noteOrder(result, "drafts", "timestamp");
  noteOrder(result, "recent_private_conversations", "max_message_id");
  if (Array.isArray(result.recent_private_conversations)) {
    result["recent_private_conversations"] = keyed(result.recent_private_conversations, (entry) =>
      String(entry["user_ids"]),
    ) as never;
  }
  for (const [field, keyOf] of Object.entries(KEYED_LISTS)) {
    const list = result[field];
    if (Array.isArray(list)) result[field] = keyed(list as Item[], keyOf);
  }
  return result;
}

function keyed(list: Item[], keyOf: (item: Item) => string): Record<string, Item> {
  const result: Record<string, Item> = {};
  for (const item of list) {
    let key = keyOf(item);
    // Listing one thing twice is a difference of its own.
    for (let copies = 2; key in result; copies++) key = `${keyOf(item)} (no. ${copies})`;
    result[key] = item;
  }
  return result;
}

function dropPath(value: unknown, path: readonly string[]): void {
  const [head, ...rest] = path;
  if (typeof value !== "object" || value === null || head === undefined) return;
  const target = value as Item;
  const keys = head === "*" ? Object.keys(target) : [head];
  for (const key of keys) {
    if (rest.length === 0) delete target[key];
    else dropPath(target[key], rest);
  }
}

/** Sorts sets, and writes an anonymous group that equals a named one as that group's id. */
function simplify(value: unknown, nobody: number | undefined, name = ""): unknown {
  if (Array.isArray(value)) {
    const list = value.map((item) => simplify(item, nobody));
    return SETS.has(name) ? list.sort((a, b) => (String(a) < String(b) ? -1 : 1)) : list;
  }
  if (typeof value !== "object" || value === null) return value;
  if (isAnonymousGroup(value) && value.direct_members.length === 0) {
    if (value.direct_subgroups.length === 1) return value.direct_subgroups[0];
    if (value.direct_subgroups.length === 0 && nobody !== undefined) return nobody;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, simplify(item, nobody, key)]));
}

function keepActiveUsers(state: RegisterState, field: string): void {
  const entries = state[field] as Item | undefined;
  if (!entries) return;
  for (const user of state.realm_non_active_users ?? []) {
    delete entries[String(user.user_id)];
    delete entries[user.email];
  }
}

/** Who stops sharing their presence is gone by an event, and not listed in what is fetched: both look alike. */
function dropUnshared(state: RegisterState): void {
  const statuses = (state["user_status"] ?? {}) as Readonly<Record<string, Item>>;
  for (const user of state.realm_users ?? []) {
    if (!statuses[String(user.user_id)]?.["away"]) continue;
    delete state.presences?.[String(user.user_id)];
    delete state.presences?.[user.email];
  }
}

/** `unsubscribed` and `never_subscribed` become one list, since the difference can be unknowable. */
function mergeStandings(state: RegisterState): void {
  if (!state.unsubscribed && !state.never_subscribed) return;
  const merged = [
    ...(state.unsubscribed ?? []).map((channel) => standing(channel, true)),
    ...(state.never_subscribed ?? []).map((channel) => standing(channel, channel[EARLIER_SUBSCRIPTION] ?? false)),
  ];
  delete state.unsubscribed;
  delete state.never_subscribed;
  state["not subscribed"] = keyed(merged, by("stream_id"));
}

function standing(channel: ChannelRecord, earlier: unknown): Item {
  const { [EARLIER_SUBSCRIPTION]: _, ...record } = channel;
  const personal = Object.fromEntries(
    PERSONAL_FIELDS.filter((field) => field in record).map((field) => [field, record[field]]),
  );
  for (const field of PERSONAL_FIELDS) delete record[field];
  return { ...record, "was subscribed": earlier, "earlier settings": isUnknowable(earlier) ? earlier : personal };
}

/** Only the order of folders means something, not the numbers that express it. */
function rankFolders(state: RegisterState): void {
  const folders = state["channel_folders"] as Item[] | undefined;
  const ranked = [...(folders ?? [])].sort((a, b) => Number(a["order"]) - Number(b["order"]));
  for (const [rank, folder] of ranked.entries()) if ("order" in folder) folder["order"] = rank;
}

/** Unread conversations are keyed; a topic is spelled in lower case, since one bucket may hold several spellings. */
function normalizeUnread(state: Item): void {
  const unread = state["unread_msgs"] as Item | undefined;
  if (!unread) return;
  const lowered = (unread["streams"] as Item[]).map((entry) => ({
    ...entry,
    topic: String(entry["topic"]).toLowerCase(),
  }));
  unread["streams"] = keyed(lowered, (entry) => `${entry["stream_id"]}>${entry["topic"]}`);
  unread["pms"] = keyed(unread["pms"] as Item[], by("other_user_id"));
  unread["huddles"] = keyed(unread["huddles"] as Item[], by("user_ids_string"));
}

/** Notes whether a list is in falling order of `field`, leaving out what is unknowable. */
function noteOrder(state: Item, list: string, field: string): void {
  const items = state[list];
  if (!Array.isArray(items)) return;
  const values = (items as Item[]).map((item) => item[field]).filter((value) => typeof value === "number");
  const isFalling = values.every((value, i) => i === 0 || value <= Number(values[i - 1]));
  state[`order of ${list}`] = isFalling ? "newest first" : "not newest first";
}
