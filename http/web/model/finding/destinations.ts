/** What the palette finds by a text: topics, people, channels and, when there is no text, places visited lately. */

import { t } from "../../texts.ts";
import { type Conversation, narrowOf } from "../../wire/narrow.ts";
import type { App } from "../app.ts";
import { conversationKey } from "../drafts.ts";
import { folded } from "../people.ts";
import { placeName } from "../route.ts";

export interface Destination {
  key: string;
  label: string;
  /** What the label does not say: a topic's channel. */
  detail?: string;
  hash: string;
  channelId?: number;
  topic?: string;
  userIds?: readonly number[];
}

/** How well a text has what is wanted: 0 at its start, 1 at a word's start, 2 within; undefined for not at all. */
export function rankOf(text: string, wanted: string): number | undefined {
  const at = folded(text).indexOf(wanted);
  if (at < 0) return undefined;
  return at === 0 ? 0 : folded(text).includes(` ${wanted}`) ? 1 : 2;
}

type Parts = Pick<App, "route" | "people" | "channels" | "topics" | "recent" | "unread" | "visited" | "me">;

const limit = 5;
const maxVisited = 8;

function toTopic({ route, channels }: Parts, channelId: number, topic: string): Destination {
  return {
    key: conversationKey({ kind: "topic", channelId, topic }),
    label: topic || t.generalChat,
    detail: `#${channels.name(channelId)}`,
    hash: route.link(narrowOf({ kind: "topic", channelId, topic })),
    channelId,
    topic,
  };
}

/** Topics that the page knows of: recent ones, unread ones, and those of channels whose topics were listed. */
function knownTopics({ recent, unread, topics }: Parts): Map<string, Conversation & { kind: "topic" }> {
  const known = new Map<string, Conversation & { kind: "topic" }>();
  const add = (channelId: number, topic: string) => {
    const conversation = { kind: "topic" as const, channelId, topic };
    const key = conversationKey(conversation);
    if (!known.has(key)) known.set(key, conversation);
  };
  for (const { conversation } of recent.all.value ?? [])
    if (conversation.kind === "topic") add(conversation.channelId, conversation.topic);
  for (const { channelId, topic } of unread.counted.value.topics) add(channelId, topic);
  for (const [channelId, listed] of topics.listed) for (const { name } of listed) add(channelId, name);
  return known;
}

/** @param text a topic's name or a part of it; `channel > topic` for those of one channel */
export function findTopics(parts: Parts, text: string): Destination[] {
  const [channel, ofChannel] = text.includes(">") ? text.split(">", 2) : [];
  const wanted = folded((ofChannel ?? text).trim());
  const [only] = channel?.trim() ? parts.channels.search(channel.replace("#", ""), 1) : [];
  const known = only
    ? (parts.topics.of(only.stream_id) ?? []).map(({ name }) => ({ channelId: only.stream_id, topic: name }))
    : [...knownTopics(parts).values()];
  return known
    .flatMap(({ channelId, topic }) => {
      const rank = rankOf(topic || t.generalChat, wanted);
      return rank === undefined ? [] : [{ channelId, topic, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ channelId, topic }) => toTopic(parts, channelId, topic));
}

export const findPeople = ({ people, route }: Parts, text: string): Destination[] =>
  people.search(text, limit).map(({ user_id, full_name }) => ({
    key: `u${user_id}`,
    label: full_name,
    hash: route.link(narrowOf({ kind: "direct", userIds: [user_id] })),
    userIds: [user_id],
  }));

export const findChannels = ({ channels, route }: Parts, text: string): Destination[] =>
  channels.search(text, limit).map(({ stream_id, name }) => ({
    key: `c${stream_id}`,
    label: name,
    hash: route.link([{ operator: "channel", operand: stream_id }]),
    channelId: stream_id,
  }));

/** Where the person was lately, without the open place. */
export function recentPlaces(parts: Parts): Destination[] {
  const { route, visited, channels } = parts;
  return visited.all.value.slice(1, maxVisited + 1).map(({ view, narrow }) => {
    const hash = route.hashOf({ view, narrow });
    const [first, second] = narrow;
    if (
      view === "messages" &&
      first?.operator === "channel" &&
      typeof first.operand === "number" &&
      narrow.length <= 2
    ) {
      const channelId = first.operand;
      if (second?.operator === "topic") return { ...toTopic(parts, channelId, String(second.operand)), hash };
      if (!second) return { key: hash, label: channels.name(channelId), hash, channelId };
    }
    const label = placeName(parts, { view, narrow, near: undefined });
    const userIds = first?.operator === "dm" && Array.isArray(first.operand) ? first.operand : undefined;
    return { key: hash, label, hash, ...(userIds && { userIds: userIds.filter((id) => id !== parts.me) }) };
  });
}
