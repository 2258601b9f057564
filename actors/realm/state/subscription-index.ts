/**
 * Who is subscribed to what, both ways round, in typed arrays: a realm of five million subscriptions takes tens of
 * megabytes. Per subscription it keeps one word (colour and switches); the rare notification overrides are in a map.
 */
import type { ChannelId, RealmId, UserId } from "../../../storage/ids.ts";
import {
  type PackedSubscriptions,
  type SubscriptionNotificationSetting,
  type SubscriptionRow,
  subscriptionBits,
  subscriptionNotificationSettings,
} from "../../../storage/rows.ts";
import { emptyIds, IdSet, type ReadonlyIdSet } from "./id-set.ts";

const { muted: mutedBit, pinned: pinnedBit, ended: endedBit } = subscriptionBits;
const overridesBit = 8;

/** One user's subscriptions, past ones too: channel ids ascending, and a word for each. */
class UserSubscriptions {
  channels = new IdSet<ChannelId>();
  words = new Uint32Array(0);
  overrides: Map<ChannelId, (boolean | null)[]> | undefined;

  load(channelIds: Int32Array<ArrayBuffer>, words: Int32Array<ArrayBuffer>): void {
    this.channels = IdSet.ofAscending(channelIds);
    this.words = new Uint32Array(words.buffer);
  }

  put(row: SubscriptionRow): void {
    const place = this.channels.indexOf(row.channel_id);
    if (place < 0) {
      const words =
        this.words.length > this.channels.size ? this.words : new Uint32Array(Math.max(4, this.channels.size * 1.5));
      if (words !== this.words) words.set(this.words);
      words.copyWithin(~place + 1, ~place, this.channels.size);
      this.words = words;
      this.channels.add(row.channel_id);
    }
    const overrides = subscriptionNotificationSettings.map((name) => row[name]);
    const overridden = overrides.some((value) => value !== null);
    if (overridden) {
      this.overrides ??= new Map();
      this.overrides.set(row.channel_id, overrides);
    } else this.overrides?.delete(row.channel_id);
    this.words[place < 0 ? ~place : place] =
      ((row.color << 8) |
        (row.is_muted ? mutedBit : 0) |
        (row.pin_to_top ? pinnedBit : 0) |
        (row.is_active ? 0 : endedBit) |
        (overridden ? overridesBit : 0)) >>>
      0;
  }
}

export class Subscriptions {
  readonly #byUser = new Map<UserId, UserSubscriptions>();
  readonly #byChannel = new Map<ChannelId, IdSet<UserId>>();
  readonly #inactiveUsers = new Set<UserId>();
  /** Channel id → how many of its subscribers are deactivated users. */
  readonly #inactiveCounts = new Map<ChannelId, number>();
  /** How often a count of those has changed. */
  #inactiveChanges = 0;
  /** Channel id → users who override their notification settings there. */
  readonly #overriding = new Map<ChannelId, Set<UserId>>();
  constructor(private readonly realmId: RealmId) {}

  put(row: SubscriptionRow): void {
    let mine = this.#byUser.get(row.user_id);
    if (!mine) this.#byUser.set(row.user_id, (mine = new UserSubscriptions()));
    mine.put(row);
    this.#noteOverrides(row);
    let members = this.#byChannel.get(row.channel_id);
    if (!members) this.#byChannel.set(row.channel_id, (members = new IdSet()));
    const changed = row.is_active ? members.add(row.user_id) : members.delete(row.user_id);
    if (changed && this.#inactiveUsers.has(row.user_id)) this.#countInactive(row.channel_id, row.is_active ? 1 : -1);
  }

  #noteOverrides(row: SubscriptionRow): void {
    const users = this.#overriding.get(row.channel_id);
    if (subscriptionNotificationSettings.every((name) => row[name] === null)) users?.delete(row.user_id);
    else if (users) users.add(row.user_id);
    else this.#overriding.set(row.channel_id, new Set([row.user_id]));
  }

  /** Adds all subscriptions of somebody who has none yet. */
  load({ userId, channelIds, words }: PackedSubscriptions): void {
    const mine = new UserSubscriptions();
    mine.load(channelIds, words);
    this.#byUser.set(userId, mine);
    for (let index = 0; index < channelIds.length; index++) {
      const channelId = channelIds[index]!;
      let members = this.#byChannel.get(channelId);
      if (!members) this.#byChannel.set(channelId, (members = new IdSet()));
      if ((words[index]! & endedBit) === 0 && members.add(userId) && this.#inactiveUsers.has(userId))
        this.#countInactive(channelId, 1);
    }
  }

  /**
   * A user was deactivated, or is active again. Deactivated users stay subscribed, but are neither listed nor counted.
   */
  setActive(userId: UserId, isActive: boolean): void {
    const changed = isActive ? this.#inactiveUsers.delete(userId) : !this.#inactiveUsers.has(userId);
    if (!changed) return;
    if (!isActive) this.#inactiveUsers.add(userId);
    for (const channelId of this.channelsOf(userId)) this.#countInactive(channelId, isActive ? -1 : 1);
  }

  /** Users who want other notifications of a channel than of others, subscribed or not. */
  overriding(channelId: ChannelId): ReadonlySet<UserId> {
    return this.#overriding.get(channelId) ?? nobody;
  }

  /** Active users subscribed now. */
  countActive(channelId: ChannelId): number {
    return this.subscribers(channelId).size - (this.#inactiveCounts.get(channelId) ?? 0);
  }

  /** Active users subscribed now, ascending. */
  activeSubscribers(channelId: ChannelId): UserId[] {
    const ids = this.subscribers(channelId).toArray();
    return this.#inactiveCounts.get(channelId) ? ids.filter((id) => !this.#inactiveUsers.has(id)) : ids;
  }

  /** Another number whenever `activeSubscribers` may give something else. */
  revisionOf(channelId: ChannelId): number {
    return this.subscribers(channelId).revision + this.#inactiveChanges;
  }

  #countInactive(channelId: ChannelId, by: number): void {
    this.#inactiveChanges++;
    this.#inactiveCounts.set(channelId, (this.#inactiveCounts.get(channelId) ?? 0) + by);
  }

  /** Every subscription of one user, those that ended too, by ascending channel id. */
  *of(userId: UserId): Generator<SubscriptionRow> {
    const mine = this.#byUser.get(userId);
    if (!mine) return;
    for (let place = 0; place < mine.channels.size; place++) yield this.#row(userId, mine, place);
  }

  /** One subscription, ended or not. */
  find(userId: UserId, channelId: ChannelId): SubscriptionRow | undefined {
    const mine = this.#byUser.get(userId);
    if (!mine) return undefined;
    const place = mine.channels.indexOf(channelId);
    return place < 0 ? undefined : this.#row(userId, mine, place);
  }

  has(userId: UserId, channelId: ChannelId): boolean {
    const mine = this.#byUser.get(userId);
    if (!mine) return false;
    const place = mine.channels.indexOf(channelId);
    return place >= 0 && (mine.words[place]! & endedBit) === 0;
  }

  /** Whether a user is subscribed to a channel and muted it. */
  isMuted(userId: UserId, channelId: ChannelId): boolean {
    const mine = this.#byUser.get(userId);
    if (!mine) return false;
    const place = mine.channels.indexOf(channelId);
    return place >= 0 && (mine.words[place]! & (mutedBit | endedBit)) === mutedBit;
  }

  /** The colours of all the user's channels, past ones too. */
  colorsOf(userId: UserId): number[] {
    const mine = this.#byUser.get(userId);
    const colors: number[] = [];
    if (mine) for (let place = 0; place < mine.channels.size; place++) colors.push(mine.words[place]! >>> 8);
    return colors;
  }

  /** Channels the user is subscribed to now, ascending. */
  channelsOf(userId: UserId): ChannelId[] {
    const mine = this.#byUser.get(userId);
    if (!mine) return [];
    const ids = mine.channels.values();
    const active: ChannelId[] = [];
    for (let place = 0; place < ids.length; place++)
      if ((mine.words[place]! & endedBit) === 0) active.push(ids[place]!);
    return active;
  }

  /** Everyone subscribed now, deactivated users too. */
  subscribers(channelId: ChannelId): ReadonlyIdSet<UserId> {
    return this.#byChannel.get(channelId) ?? emptyIds;
  }

  #row(userId: UserId, mine: UserSubscriptions, place: number): SubscriptionRow {
    const channelId = mine.channels.values()[place]!;
    const word = mine.words[place]!;
    const overrides = word & overridesBit ? mine.overrides!.get(channelId)! : undefined;
    const row = {
      user_id: userId,
      channel_id: channelId,
      realm_id: this.realmId,
      is_active: (word & endedBit) === 0,
      color: word >>> 8,
      is_muted: (word & mutedBit) !== 0,
      pin_to_top: (word & pinnedBit) !== 0,
    } as SubscriptionRow;
    subscriptionNotificationSettings.forEach((name: SubscriptionNotificationSetting, index) => {
      row[name] = overrides?.[index] ?? null;
    });
    return row;
  }
}

const nobody: ReadonlySet<UserId> = new Set();
