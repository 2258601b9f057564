/** Channels and topics, in the form that views need. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ChannelRecord } from "../state/state.ts";
import { folded } from "./people.ts";
import type { Store } from "./store.ts";

/** A channel's record. The last four fields exist only in subscriptions. */
export interface Channel extends ChannelRecord {
  description: string;
  rendered_description: string;
  invite_only: boolean;
  is_web_public: boolean;
  is_archived: boolean;
  is_recently_active: boolean;
  folder_id: number | null;
  topics_policy: string;
  color?: string;
  pin_to_top?: boolean;
}

export interface Folder {
  id: number;
  name: string;
  description: string;
  order: number;
  is_archived: boolean;
}

/** `user_topics`. https://zulip.com/api/update-user-topic */
export const policies = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

const topicKey = (channelId: number, topic: string): string => `${channelId}:${topic.toLowerCase()}`;

export class Channels {
  readonly #byId: ReadonlySignal<Map<number, Channel>>;
  readonly #subscribedIds: ReadonlySignal<ReadonlySet<number>>;
  readonly #policies: ReadonlySignal<ReadonlyMap<string, number>>;
  /** All channels that the person may see, by name. */
  readonly all: ReadonlySignal<readonly Channel[]>;
  readonly subscribed: ReadonlySignal<readonly Channel[]>;
  readonly folders: ReadonlySignal<readonly Folder[]>;

  constructor(private readonly store: Store) {
    const byName = (list: readonly Channel[]): Channel[] =>
      list
        .map((channel) => ({ channel, name: folded(channel.name) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ channel }) => channel);
    const listed = () => {
      const { subscriptions = [], unsubscribed = [], never_subscribed = [], streams = [] } = store.read("channels");
      return [...streams, ...never_subscribed, ...unsubscribed, ...subscriptions] as Channel[];
    };
    this.#byId = computed(() => new Map(listed().map((channel) => [channel.stream_id, channel])));
    this.all = computed(() => byName([...this.#byId.value.values()]));
    this.subscribed = computed(() => byName((store.read("channels").subscriptions ?? []) as Channel[]));
    this.#subscribedIds = computed(() => new Set(this.subscribed.value.map(({ stream_id }) => stream_id)));
    this.folders = computed(() =>
      [...((store.read("channels")["channel_folders"] as Folder[] | undefined) ?? [])].sort(
        (a, b) => a.order - b.order,
      ),
    );
    this.#policies = computed(
      () =>
        new Map(
          (store.read("topics").user_topics ?? []).map((entry) => [
            topicKey(entry.stream_id, entry.topic_name),
            entry.visibility_policy,
          ]),
        ),
    );
  }

  get(id: number): Channel | undefined {
    return this.#byId.value.get(id);
  }

  name(id: number): string {
    return this.get(id)?.name ?? `#${id}`;
  }

  idOf(name: string): number | undefined {
    const wanted = name.trim().toLowerCase();
    return this.all.value.find((channel) => channel.name.toLowerCase() === wanted)?.stream_id;
  }

  isSubscribed(id: number): boolean {
    return this.#subscribedIds.value.has(id);
  }

  policy(channelId: number, topic: string): number {
    return this.#policies.value.get(topicKey(channelId, topic)) ?? policies.inherit;
  }

  /** Topics of a channel with a visibility policy. */
  policiesOf(channelId: number): { topic: string; policy: number }[] {
    return (this.store.read("topics").user_topics ?? [])
      .filter(({ stream_id }) => stream_id === channelId)
      .map(({ topic_name, visibility_policy }) => ({ topic: topic_name, policy: visibility_policy }));
  }

  /** Whether a conversation is muted. The topic's policy counts before the channel's setting. */
  isMuted(channelId: number, topic: string): boolean {
    const policy = this.policy(channelId, topic);
    if (policy !== policies.inherit) return policy === policies.muted;
    return this.get(channelId)?.is_muted === true;
  }

  search(text: string, limit: number): Channel[] {
    const wanted = folded(text.trim());
    const found = this.all.value.filter((channel) => !channel.is_archived && folded(channel.name).includes(wanted));
    const rank = (channel: Channel): number =>
      (folded(channel.name).startsWith(wanted) ? 0 : 2) + (this.isSubscribed(channel.stream_id) ? 0 : 1);
    return found.sort((a, b) => rank(a) - rank(b)).slice(0, limit);
  }
}
