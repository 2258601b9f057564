/** Channels and topics, in the form that views need. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ChannelRecord, FolderRecord } from "../../client/state/state.ts";
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

/** `demote_inactive_streams`. https://zulip.com/api/update-settings */
const demotions = { automatic: 1, always: 2 };
/** From so many subscriptions on it happens by itself, as with Zulip's page. */
const manyChannels = 30;

/** `user_topics`. https://zulip.com/api/update-user-topic */
export const policies = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export class Channels {
  readonly #byId: ReadonlySignal<Map<number, Channel>>;
  readonly #subscribedIds: ReadonlySignal<ReadonlySet<number>>;
  /** By channel, and by topic in lower case. */
  readonly #policies: ReadonlySignal<ReadonlyMap<number, ReadonlyMap<string, number>>>;
  /** All channels that the person may see, by name. */
  readonly all: ReadonlySignal<readonly Channel[]>;
  readonly subscribed: ReadonlySignal<readonly Channel[]>;
  readonly folders: ReadonlySignal<readonly FolderRecord[]>;
  /** Whether the person wants channels in which nobody writes to be listed last. */
  readonly #demotesInactive: ReadonlySignal<boolean>;

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
      [...(store.read("channels").channel_folders ?? [])].sort((a, b) => a.order - b.order),
    );
    this.#demotesInactive = computed(() => {
      const policy = store.read("settings").user_settings?.["demote_inactive_streams"];
      const isOneOfMany = policy === demotions.automatic && this.subscribed.value.length >= manyChannels;
      return policy === demotions.always || isOneOfMany;
    });
    this.#policies = computed(() => {
      const policies = new Map<number, Map<string, number>>();
      for (const { stream_id, topic_name, visibility_policy } of store.read("topics").user_topics ?? []) {
        const ofChannel = policies.get(stream_id) ?? new Map<string, number>();
        policies.set(stream_id, ofChannel.set(topic_name.toLowerCase(), visibility_policy));
      }
      return policies;
    });
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

  /** Whether a channel is listed last, as nobody has written there lately. What is pinned stays where it is. */
  isDemoted(channel: Channel): boolean {
    if (channel.is_recently_active || channel.pin_to_top || channel.is_archived) return false;
    return this.#demotesInactive.value;
  }

  policy(channelId: number, topic: string): number {
    return this.#policies.value.get(channelId)?.get(topic.toLowerCase()) ?? policies.inherit;
  }

  /** Topics of a channel with a visibility policy. */
  policiesOf(channelId: number): { topic: string; policy: number }[] {
    return (this.store.read("topics").user_topics ?? [])
      .filter(({ stream_id }) => stream_id === channelId)
      .map(({ topic_name, visibility_policy }) => ({ topic: topic_name, policy: visibility_policy }));
  }

  /** Whether a conversation is muted. The topic's policy counts before the channel's setting. */
  isMuted(channelId: number, topic: string): boolean {
    return this.standing()(channelId, topic).isMuted;
  }

  /** Makes a function for many conversations. The signals are read once. */
  standing(): (channelId: number, topic: string) => { isMuted: boolean; isFollowed: boolean } {
    const [all, channels] = [this.#policies.value, this.#byId.value];
    return (channelId, topic) => {
      const policy = all.get(channelId)?.get(topic.toLowerCase()) ?? policies.inherit;
      const isMuted =
        policy === policies.inherit ? channels.get(channelId)?.is_muted === true : policy === policies.muted;
      return { isMuted, isFollowed: policy === policies.followed };
    };
  }

  search(text: string, limit: number): Channel[] {
    const wanted = folded(text.trim());
    const found = this.all.value.filter((channel) => !channel.is_archived && folded(channel.name).includes(wanted));
    const rank = (channel: Channel): number =>
      (folded(channel.name).startsWith(wanted) ? 0 : 2) + (this.isSubscribed(channel.stream_id) ? 0 : 1);
    return found.sort((a, b) => rank(a) - rank(b)).slice(0, limit);
  }
}
