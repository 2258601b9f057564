/** Counts of unread messages, by conversation. */
import { computed, type ReadonlySignal } from "@preact/signals";
import { sameTopic } from "../../client/state/unread.ts";
import type { Channels } from "./channels.ts";
import type { Store } from "./store.ts";

export interface UnreadTopic {
  channelId: number;
  topic: string;
  ids: readonly number[];
  isMuted: boolean;
  hasMention: boolean;
}
export interface UnreadDirect {
  /** Without the caller. Empty for notes to oneself. */
  userIds: readonly number[];
  ids: readonly number[];
}

export interface ChannelCount {
  audible: number;
  muted: number;
  hasMention: boolean;
  topics: readonly UnreadTopic[];
}

export interface Counted {
  /** Only conversations that are not muted. */
  total: number;
  direct: number;
  mentions: number;
  /** Direct messages and mentions, each once; and with those of followed topics. */
  notable: number;
  notableOrFollowed: number;
  topics: readonly UnreadTopic[];
  directs: readonly UnreadDirect[];
  byChannel: ReadonlyMap<number, ChannelCount>;
  isIncomplete: boolean;
}

export const peopleKey = (userIds: readonly number[]): string => [...userIds].sort((a, b) => a - b).join(",");

export class Unread {
  readonly counted: ReadonlySignal<Counted>;
  readonly #byPeople: ReadonlySignal<ReadonlyMap<string, UnreadDirect>>;

  constructor(store: Store, channels: Channels) {
    this.counted = computed(() => count(store, channels));
    this.#byPeople = computed(
      () => new Map(this.counted.value.directs.map((entry) => [peopleKey(entry.userIds), entry])),
    );
  }

  ofTopic(channelId: number, topic: string): number {
    const { topics = [] } = this.counted.value.byChannel.get(channelId) ?? {};
    return topics.find((entry) => sameTopic(entry.topic, topic))?.ids.length ?? 0;
  }

  ofPeople(userIds: readonly number[]): number {
    return this.#byPeople.value.get(peopleKey(userIds))?.ids.length ?? 0;
  }
}

function count(store: Store, channels: Channels): Counted {
  const { unread_msgs: unread, user_id: me } = store.read("unread");
  const mentions = new Set(unread?.mentions ?? []);
  const byChannel = new Map<number, ChannelCount & { topics: UnreadTopic[] }>();
  const standingOf = channels.standing();
  let channelMentions = 0;
  let followed = 0;
  const topics = (unread?.streams ?? []).map((entry): UnreadTopic => {
    const { stream_id: channelId, topic, unread_message_ids: ids } = entry;
    const { isMuted, isFollowed } = standingOf(channelId, topic);
    const mentioned = mentions.size > 0 ? ids.filter((id) => mentions.has(id)).length : 0;
    const hasMention = mentioned > 0;
    channelMentions += mentioned;
    if (isFollowed) followed += ids.length - mentioned;
    let sum = byChannel.get(channelId);
    if (!sum) byChannel.set(channelId, (sum = { audible: 0, muted: 0, hasMention: false, topics: [] }));
    if (isMuted) sum.muted += ids.length;
    else sum.audible += ids.length;
    sum.hasMention ||= hasMention;
    const counted = { channelId, topic, ids, isMuted, hasMention };
    sum.topics.push(counted);
    return counted;
  });
  const directs: UnreadDirect[] = [
    ...(unread?.pms ?? []).map(({ other_user_id, unread_message_ids: ids }) => ({
      userIds: other_user_id === me ? [] : [other_user_id],
      ids,
    })),
    ...(unread?.huddles ?? []).map(({ user_ids_string, unread_message_ids: ids }) => ({
      userIds: user_ids_string
        .split(",")
        .map(Number)
        .filter((id) => id !== me),
      ids,
    })),
  ];
  const direct = directs.reduce((sum, { ids }) => sum + ids.length, 0);
  const audible = topics.reduce((sum, { ids, isMuted }) => sum + (isMuted ? 0 : ids.length), 0);
  return {
    total: direct + audible,
    direct,
    mentions: mentions.size,
    notable: direct + channelMentions,
    notableOrFollowed: direct + channelMentions + followed,
    topics,
    directs,
    byChannel,
    isIncomplete: unread?.old_unreads_missing ?? false,
  };
}
