/**
 * The forms an event takes for queues that declared different formats: one table. An event is encoded once per form, not
 * once per queue: `key` says which form a queue gets, `render` builds it. A type that is not in the table has one form.
 */

import { type MessageEvent, type RealmEvent, subscriptionsFor } from "../events.ts";
import { canSeeEmail, canSeeUser, everybodyKnowsAll, placeholderEmail } from "../realm/access.ts";
import { renderChannel } from "../realm/channel-record.ts";
import type { LogEntry } from "../realm/entry.ts";
import { renderGroup } from "../realm/group-record.ts";
import type { FlagsNow } from "../realm/message-flags-now.ts";
import { emptyTopicDisplayName } from "../realm/realm-settings.ts";
import type { RealmState } from "../realm/state.ts";
import { personalFields } from "../realm/subscription-record.ts";
import { type Gravatar, unknownSender, unknownUser } from "../realm/user-record.ts";
import { userSetting } from "../realm/user-settings.ts";
import type { Capability } from "./capabilities.ts";
import type { Registration } from "./registration.ts";

/** What a queue tells about the forms it wants. */
export interface Reader {
  id: string;
  userId: number;
  registration: Registration;
  has: ReadonlySet<Capability>;
  /** The part of a message's form that does not depend on the message, worked out once. */
  messageForm: string;
}

interface Variant<E extends RealmEvent = RealmEvent> {
  key(event: E, reader: Reader, state: RealmState): string;
  /** One event, several (each takes a place of its own, see `Entry.span`), or none. */
  render(event: E, reader: Reader, state: RealmState): RealmEvent | RealmEvent[];
}

export function messageForm(registration: Registration, has: ReadonlySet<Capability>): string {
  return `${registration.apply_markdown ? "h" : "m"}${registration.client_gravatar ? "g" : "-"}${has.has("empty_topic_name") ? "e" : "-"}`;
}

const noFlags: string[] = [];
const noReaders: number[] = [];

/** The flags of one reader's copy of a new message. */
export function messageFlags(event: MessageEvent, userId: number): string[] {
  const own = event.flags[userId];
  const read =
    (event.read_by_sender && event.message.sender_id === userId) || isListed(event.read_by ?? noReaders, userId);
  if (!read && own === undefined) return event.common_flags;
  return [...(read ? ["read"] : noFlags), ...(own ?? noFlags), ...event.common_flags];
}

const topicFor = (topic: unknown, reader: Reader) =>
  topic === "" && !reader.has.has("empty_topic_name") ? emptyTopicDisplayName : topic;
const emptyTopicKey = (reader: Reader) => (reader.has.has("empty_topic_name") ? "e" : "");

const message: Variant<MessageEvent> = {
  key(event, reader, state) {
    const flags = messageFlags(event, reader.userId);
    let form = isFromStranger(event, reader, state) ? `u${reader.messageForm}` : reader.messageForm;
    if (seesHiddenGravatar(event, reader, state)) form = `s${form}`;
    if (event.local?.queue_id === reader.id) return `${form}${flags.join()}|${reader.id}`;
    return flags.length === 0 ? form : form + flags.join();
  },
  render(event, reader, state) {
    const sent = isFromStranger(event, reader, state)
      ? { ...event.message, ...unknownSender(state, event.message.sender_id) }
      : event.message;
    const { rendered_content, gravatar, hidden_gravatar, ...shown } = sent;
    if (hidden_gravatar !== undefined && seesHiddenGravatar(event, reader, state)) shown.avatar_url = hidden_gravatar;
    const html = reader.registration.apply_markdown;
    return {
      type: "message",
      message: {
        ...shown,
        avatar_url: gravatar && reader.registration.client_gravatar ? null : shown.avatar_url,
        content: html ? rendered_content : shown.content,
        content_type: html ? "text/html" : "text/x-markdown",
        subject: shown.type === "stream" ? topicFor(shown.subject, reader) : "",
        reactions: [],
        submessages: [],
      },
      flags: messageFlags(event, reader.userId),
      ...(event.local?.queue_id === reader.id && { local_message_id: event.local.local_id }),
    };
  },
};

/** Whether the reader may know the address of a sender who does not show it to everybody. */
function seesHiddenGravatar({ message: sent }: MessageEvent, reader: Reader, state: RealmState): boolean {
  return sent.hidden_gravatar !== undefined && seesEmailOf(sent.sender_id, reader, state);
}

function seesEmailOf(userId: number, reader: Reader, state: RealmState): boolean {
  const target = state.users.get(userId);
  return target !== undefined && canSeeEmail(target, state.users.get(reader.userId));
}

/** Whoever writes to a channel from outside may be unknown to a guest in it. */
function isFromStranger(event: MessageEvent, reader: Reader, state: RealmState): boolean {
  return event.has_strangers === true && isStranger(event.message.sender_id, reader, state);
}

/** Whether the reader may not know of a user. */
function isStranger(userId: number, reader: Reader, state: RealmState): boolean {
  if (everybodyKnowsAll(state)) return false;
  const target = state.users.get(userId);
  const user = state.users.get(reader.userId);
  return target !== undefined && user !== undefined && !canSeeUser(state, target, user);
}

const updateMessage: Variant = {
  key: (event, reader) => emptyTopicKey(reader) + editedFlags(event, reader.userId).join(),
  render(event, reader) {
    const { user_flags: _u, common_flags: _c, read_by: _r, unread_by: _n, ...fields } = event;
    const shown: RealmEvent = { ...(fields as RealmEvent), flags: editedFlags(event, reader.userId) };
    for (const field of ["orig_subject", "subject"]) if (field in shown) shown[field] = topicFor(shown[field], reader);
    return shown;
  },
};

/** A reader's flags on an edited message, see `actors/realm/message-flags-now.ts`. */
function editedFlags(event: RealmEvent, userId: number): string[] {
  const { user_flags, common_flags, read_by, unread_by } = event as RealmEvent & Partial<FlagsNow>;
  const hasRead = unread_by ? !isListed(unread_by, userId) : isListed(read_by ?? [], userId);
  return [...(hasRead ? ["read"] : noFlags), ...(user_flags?.[userId] ?? noFlags), ...(common_flags ?? noFlags)];
}

/** @param ids ascending */
function isListed(ids: readonly number[], id: number): boolean {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id;
}

/** An edit under way names its conversation inside `recipient`. */
const typingEditMessage: Variant = {
  key: (event, reader) => (recipientOf(event).topic === "" ? emptyTopicKey(reader) : ""),
  render(event, reader) {
    const recipient = recipientOf(event);
    return recipient.topic === "" ? { ...event, recipient: { ...recipient, topic: topicFor("", reader) } } : event;
  },
};
const recipientOf = (event: RealmEvent) => event["recipient"] as { topic?: string };

const deleteMessage: Variant = {
  key: (_, reader) => (reader.has.has("bulk_message_deletion") ? "b" : "") + emptyTopicKey(reader),
  render(event, reader) {
    const shown = "topic" in event ? { ...event, topic: topicFor(event["topic"], reader) } : event;
    if (reader.has.has("bulk_message_deletion")) return shown;
    const { message_ids, ...rest } = shown as RealmEvent & { message_ids: number[] };
    return message_ids.map((message_id) => ({ ...rest, message_id }));
  },
};

const updateMessageFlags: Variant = {
  key: (_, reader) => emptyTopicKey(reader),
  render(event, reader) {
    const details = event["message_details"] as Record<string, { topic?: string }> | undefined;
    if (!details || reader.has.has("empty_topic_name")) return event;
    const shown = Object.entries(details).map(([id, detail]) => [
      id,
      "topic" in detail ? { ...detail, topic: topicFor(detail.topic, reader) } : detail,
    ]);
    return { ...event, message_details: Object.fromEntries(shown) };
  },
};

/** `topic` or `topic_name` of a channel conversation. */
const topicEvent = (field: string): Variant => ({
  key: (event, reader) => (event[field] === "" ? emptyTopicKey(reader) : ""),
  render: (event, reader) => (event[field] === "" ? { ...event, [field]: topicFor("", reader) } : event),
});

const mutedTopics: Variant = {
  key: (event, reader) => (mutedTopicsOf(event).some(([, topic]) => topic === "") ? emptyTopicKey(reader) : ""),
  render: (event, reader) => ({
    ...event,
    muted_topics: mutedTopicsOf(event).map(([channel, topic, at]) => [channel, topicFor(topic, reader), at]),
  }),
};
const mutedTopicsOf = (event: RealmEvent) => event["muted_topics"] as [string, string, number][];

const presence: Variant = {
  key(event, reader, state) {
    if (reader.has.has("simplified_presence_events")) return "n";
    if (reader.registration.slim_presence) return "s";
    return isStranger(event["user_id"] as number, reader, state) ? "u" : "";
  },
  render({ active_timestamp, idle_timestamp, ...event }, reader, state) {
    if (reader.has.has("simplified_presence_events")) {
      return { type: "presence", presences: { [event["user_id"] as number]: { active_timestamp, idle_timestamp } } };
    }
    if (!reader.registration.slim_presence) {
      const userId = event["user_id"] as number;
      return (
        isStranger(userId, reader, state) ? { ...event, email: placeholderEmail(state, userId) } : event
      ) as RealmEvent;
    }
    const { email: _, ...slim } = event as RealmEvent;
    return slim as RealmEvent;
  },
};

/** `user` says who reacted, to whom that may be told. */
const reaction: Variant = {
  key: (event, reader, state) => (isStranger(event["user_id"] as number, reader, state) ? "u" : ""),
  render(event, reader, state) {
    const user_id = event["user_id"] as number;
    if (!isStranger(user_id, reader, state)) return event;
    const { sender_email: email, sender_full_name: full_name } = unknownSender(state, user_id);
    return { ...event, user: { user_id, email, full_name } };
  },
};

const userGroup: Variant = {
  key: (event, reader) =>
    deactivation(event) === undefined || reader.has.has("include_deactivated_groups") ? "" : "h",
  render(event, reader, state) {
    const deactivated = deactivation(event);
    if (deactivated === undefined || reader.has.has("include_deactivated_groups")) return event;
    if (deactivated) return { type: "user_group", op: "remove", group_id: event["group_id"] };
    return {
      type: "user_group",
      op: "add",
      group: renderGroup(state, state.groups.byId.get(event["group_id"] as number)!),
    };
  },
};

function deactivation(event: RealmEvent): boolean | undefined {
  return event.op === "update" ? (event["data"] as { deactivated?: boolean }).deactivated : undefined;
}

const stream: Variant = {
  key: (event, reader) => (event["property"] !== "is_archived" || reader.has.has("archived_channels") ? "" : "l"),
  render(event, reader, state) {
    if (event["property"] !== "is_archived" || reader.has.has("archived_channels")) return event;
    const channelId = event["stream_id"] as number;
    if (event["value"])
      return { type: "stream", op: "delete", stream_ids: [channelId], streams: [{ stream_id: channelId }] };
    // Its subscribers follow, see `unarchived` below.
    const channel = { ...renderChannel(state, state.channels.get(channelId)!), subscriber_count: 0 };
    return { type: "stream", op: "create", streams: [channel] };
  },
};

/** Level of the person, for the notification settings of a subscription that inherit it. */
const inherited = {
  desktop_notifications: "enable_stream_desktop_notifications",
  audible_notifications: "enable_stream_audible_notifications",
  push_notifications: "enable_stream_push_notifications",
  email_notifications: "enable_stream_email_notifications",
  wildcard_mentions_notify: "wildcard_mentions_notify",
} as const;
export type InheritedSetting = keyof typeof inherited;

/** For clients without `notification_settings_null`: the person's own value in place of null. */
export function withoutNullSettings(
  state: RealmState,
  userId: number,
  subscription: Record<string, unknown>,
): Record<string, unknown> {
  const user = state.users.get(userId)!;
  const shown = { ...subscription };
  for (const [name, setting] of Object.entries(inherited)) {
    if (shown[name] === null) shown[name] = userSetting(user, setting);
  }
  return shown;
}

const subscription: Variant = {
  key(event, reader, state) {
    if (event.op === "add" || (event.op === "unarchived" && isMine(event, reader, state)))
      return `${reader.userId}${nullsKey(reader)}${reader.registration.include_subscribers}`;
    if (event.op === "update") return event["value"] === null ? nullsKey(reader) || String(reader.userId) : "";
    return event.op === "peer_remove" && hasLeft(event, reader) ? String(reader.userId) : "";
  },
  render(logged, reader, state) {
    const event = asSubscriptionChange(logged, reader, state);
    const nulls = reader.has.has("notification_settings_null");
    if (event.op === "update" && event["value"] === null && !nulls) {
      const user = state.users.get(reader.userId)!;
      return { ...event, value: userSetting(user, inherited[event["property"] as InheritedSetting]) };
    }
    if (event.op === "peer_remove" && hasLeft(event, reader)) {
      return { ...event, user_ids: (event["user_ids"] as number[]).filter((id) => id !== reader.userId) };
    }
    if (event.op !== "add") return event;
    const subscriptions = subscriptionsFor(event, reader.userId).map((record) => {
      const { subscribers, ...rest } = nulls ? record : withoutNullSettings(state, reader.userId, record);
      return reader.registration.include_subscribers ? { ...rest, subscribers } : rest;
    });
    return { type: "subscription", op: "add", subscriptions };
  },
};

const isMine = (event: RealmEvent, reader: Reader, state: RealmState): boolean =>
  state.subscriptions.has(reader.userId, event["stream_id"] as number);

/**
 * A channel that goes into the archive or comes back, for a client that knows nothing of archived channels: its person
 * leaves, or is in it again; to others its subscribers come again.
 */
function asSubscriptionChange(event: RealmEvent, reader: Reader, state: RealmState): RealmEvent {
  const channelId = event["stream_id"] as number;
  if (event.op === "archived")
    return { type: "subscription", op: "remove", subscriptions: [{ stream_id: channelId, name: event["name"] }] };
  if (event.op !== "unarchived") return event;
  const subscribers = event["subscribers"] as number[];
  if (!isMine(event, reader, state))
    return { type: "subscription", op: "peer_add", stream_ids: [channelId], user_ids: subscribers };
  const record = { ...renderChannel(state, state.channels.get(channelId)!), subscribers };
  const mine = personalFields(state.subscriptions.find(reader.userId, channelId)!);
  const personal = { [reader.userId]: { [channelId]: mine } };
  return { type: "subscription", op: "add", subscriptions: [record], personal };
}

const nullsKey = (reader: Reader) => (reader.has.has("notification_settings_null") ? "n" : "");

/** The reader knows from their own event that they left. */
function hasLeft(event: RealmEvent, reader: Reader): boolean {
  const ids = event["user_ids"] as number[];
  return ids.length > 1 && ids.includes(reader.userId);
}

/**
 * Somebody whom the reader may not know of, for a client that counts on knowing every id it meets: it is told of a person
 * without qualities, when they come and when they go out of sight.
 */
function isUnknownTo(event: RealmEvent, reader: Reader, state: RealmState): boolean {
  if (event.op === "update" || reader.has.has("user_list_incomplete")) return false;
  return isStranger((event["person"] as { user_id: number }).user_id, reader, state);
}

const realmUser: Variant = {
  key(event, reader, state) {
    if (isUnknownTo(event, reader, state)) return "u";
    const { user_id, gravatar } = event["person"] as { user_id: number; gravatar?: Gravatar };
    if (event.op !== "add" && gravatar === undefined) return "";
    const sees = seesEmailOf(user_id, reader, state);
    return `${sees ? "s" : ""}${reader.registration.client_gravatar ? "g" : ""}`;
  },
  render(event, reader, state) {
    if (isUnknownTo(event, reader, state)) {
      const { user_id } = event["person"] as { user_id: number };
      return { type: "realm_user", op: "add", person: { ...unknownUser(state, user_id), is_active: true } };
    }
    const { gravatar, ...fields } = event["person"] as Record<string, unknown> & {
      user_id: number;
      gravatar?: Gravatar;
    };
    if (event.op !== "add" && gravatar === undefined) return event;
    const sees = seesEmailOf(fields.user_id, reader, state);
    const person = { ...fields, ...(sees && gravatar) };
    if (event.op !== "add") return { ...event, person };
    const { avatar_url_medium: _m, avatar_source: _s, ...added } = person as Record<string, unknown>;
    if (!sees) added["delivery_email"] = null;
    if (sees && gravatar && reader.registration.client_gravatar) added["avatar_url"] = null;
    return { ...event, person: added };
  },
};

/** `realm_emoji` is logged as one emoji's change, with the whole map beside it for older clients. */
const realmEmoji: Variant = {
  key: (_, reader) => (reader.has.has("individual_emoji_changes") ? "i" : ""),
  render({ full_map, ...event }, reader) {
    if (reader.has.has("individual_emoji_changes")) return event as RealmEvent;
    return { type: "realm_emoji", op: "update", realm_emoji: full_map };
  },
};

/** `client` only says whose queues it is for. */
const device: Variant = {
  key: () => "",
  render: ({ client: _, ...event }) => event as RealmEvent,
};

const variants: Record<string, Variant> = {
  device,
  message: message as Variant<RealmEvent> as Variant,
  update_message: updateMessage,
  delete_message: deleteMessage,
  update_message_flags: updateMessageFlags,
  typing: topicEvent("topic"),
  typing_edit_message: typingEditMessage,
  user_topic: topicEvent("topic_name"),
  muted_topics: mutedTopics,
  presence,
  reaction,
  user_group: userGroup,
  stream,
  subscription,
  realm_user: realmUser,
  realm_emoji: realmEmoji,
};

/** The JSON of an entry's event, or events joined by commas, as `reader` gets it; with ids. */
export function encodeFor(entry: LogEntry, reader: Reader, state: RealmState): Buffer {
  const event = entry.event!;
  const variant = variants[event.type];
  const key = variant ? variant.key(event, reader, state) : "";
  const kept = entry.encoded?.get(key);
  if (kept) return kept;
  const rendered = variant ? variant.render(event, reader, state) : event;
  const parts = Array.isArray(rendered) ? rendered : [rendered];
  const first = entry.position - parts.length + 1;
  const encoded = Buffer.from(parts.map((part, index) => JSON.stringify({ ...part, id: first + index })).join(","));
  entry.encoded ??= new Map();
  entry.encoded.set(key, encoded);
  return encoded;
}
