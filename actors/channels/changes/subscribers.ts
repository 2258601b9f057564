/**
 * Subscribing and unsubscribing people: the rows, what each person receives from then on, and the events. Their
 * callers decide before whether somebody may.
 *
 * Many people and many channels at once cost one statement per table, and the log grows with people plus channels, not
 * with their product. All who join share one event. Personal fields, such as the colour, stand beside the records in
 * it, and `actors/events/channel-forms.ts` puts them into each reader's copy.
 */

import { defined, firstOf, lastOf } from "../../../storage/failures.ts";
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { newestMessageId } from "../../../storage/messages/messages.ts";
import { beginReceiving, endReceiving } from "../../../storage/messages/read-state.ts";
import {
  type ChannelRow,
  keysOf,
  roles,
  type SubscriptionRow,
  subscriptionNotificationSettings,
} from "../../../storage/rows.ts";
import type { SubscriptionAddEvent } from "../../events/channels.ts";
import { markLeftRead } from "../../messages/changes/leave-read.ts";
import { canSeeChannel, seesUnsubscribed } from "../../realm/access.ts";
import type { Audience } from "../../realm/entry.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { formatColor, pickColor } from "../../subscriptions/colors.ts";
import { newSubscriptionRow } from "../../subscriptions/new-row.ts";
import { personalFields } from "../../subscriptions/record.ts";
import type { PersonalFields } from "../../subscriptions/shapes.ts";
import { renderChannel } from "../record.ts";
import { tellGuestsOfPeople } from "./guest-acquaintance.ts";
import { tellMutedTopics } from "./visibility-by-person.ts";

/** Id of the newest message so far. People receive messages after it from now on, or up to it. */
const newestId = (tx: Tx): Promise<MessageId> => newestMessageId(tx.sql, tx.realmId);

/** People who join one channel. */
export interface Joining {
  /**
   * The row as it will be. The channel may be new in this command; then its `stream` create event was recorded before.
   */
  channel: ChannelRow;
  /** Those who are subscribed already are ignored. */
  userIds: readonly UserId[];
  /** 24-bit colours that were asked for. The others get one that they use little. */
  colors?: ReadonlyMap<UserId, number> | undefined;
}

/** People who leave one channel. */
export interface Leaving {
  channel: ChannelRow;
  /** Those who are not subscribed are ignored. */
  userIds: readonly UserId[];
}

/** Subscribes users to one channel; see `addSubscriptions`. */
export function addSubscribers(
  tx: Tx,
  channel: ChannelRow,
  userIds: readonly UserId[],
  options: { colors?: ReadonlyMap<UserId, number> } = {},
): Promise<void> {
  return addSubscriptions(tx, [{ channel, userIds, ...options }]);
}

/**
 * Subscribes users. Events: `stream` create for those who could not see a channel before, and `subscription` add for
 * each with all their new channels. `peer_add` for the others who see the channels.
 */
export function addSubscriptions(tx: Tx, joinings: readonly Joining[]): Promise<void> {
  return inTurns(tx, joinings, addTurn);
}

async function addTurn(tx: Tx, joinings: readonly Joining[]): Promise<void> {
  const { state } = tx;
  const fresh = joinings
    .map(({ channel, userIds, colors }) => ({
      channel,
      colors,
      userIds: ascending(userIds.filter((id) => !state.subscriptions.has(id, channel.id))),
    }))
    .filter(({ userIds }) => userIds.length > 0);
  if (fresh.length === 0) return;
  tellOfUnseen(tx, fresh);
  const after = await newestId(tx);
  const pairs = fresh.flatMap(({ channel, userIds }) =>
    userIds.map((user_id) => ({ user_id, recipient_id: channel.recipient_id })),
  );
  tx.write((sql) => beginReceiving(sql, tx.realmId, pairs, after));
  const rows = newSubscriptions(state, fresh);
  tx.put("subscriptions", ...rows.values());
  tellJoined(tx, fresh, rows);
  tellPeers(tx, "peer_add", fresh);
  tellGuestsOfPeople(tx, fresh, "join");
}

/**
 * Unsubscribes users. Events: `update_message_flags` for what they leave unread, and `subscription` remove for each
 * with all the channels they leave. `peer_remove` for everyone who sees the channels, and `stream` delete for those who
 * see one no longer.
 */
export function removeSubscriptions(tx: Tx, leavings: readonly Leaving[]): Promise<void> {
  return inTurns(tx, leavings, removeTurn);
}

/** Subscriptions in one commit: a tenth of a second, in which nobody else writes. */
const pairsPerTurn = 2000;

/** Does the first part now and leaves the rest for later commits, channel by channel. */
async function inTurns<T extends Leaving>(
  tx: Tx,
  all: readonly T[],
  act: (tx: Tx, some: readonly T[]) => Promise<void>,
): Promise<void> {
  const now: T[] = [];
  const turns = [now];
  let room = pairsPerTurn;
  for (const each of all) {
    for (let first = 0; first < each.userIds.length; ) {
      if (room === 0) {
        turns.push([]);
        room = pairsPerTurn;
      }
      // A channel that fits into a turn is not split, since each part has an event for its subscribers.
      const left = each.userIds.length - first;
      const count = left > room && left <= pairsPerTurn ? 0 : Math.min(left, room);
      if (count > 0) lastOf(turns).push({ ...each, userIds: each.userIds.slice(first, first + count) });
      room = count > 0 ? room - count : 0;
      first += count;
    }
  }
  await act(tx, now);
  for (const turn of turns.slice(1)) tx.later((next) => act(next, asTheyAre(next, turn)));
}

/** The channels as they are in a later turn, and the people who are still there. */
function asTheyAre<T extends Leaving>({ state }: Tx, turn: readonly T[]): T[] {
  return turn.map((each) => ({
    ...each,
    channel: state.knownChannel(each.channel.id),
    userIds: each.userIds.filter((id) => state.users.get(id)?.is_active),
  }));
}

async function removeTurn(tx: Tx, leavings: readonly Leaving[]): Promise<void> {
  const { state } = tx;
  const gone = leavings
    .map(({ channel, userIds }) => ({
      channel,
      userIds: ascending(userIds.filter((id) => state.subscriptions.has(id, channel.id))),
    }))
    .filter(({ userIds }) => userIds.length > 0);
  if (gone.length === 0) return;
  const last = await newestId(tx);
  const pairs = gone.flatMap(({ channel, userIds }) =>
    userIds.map((user_id) => ({ user_id, recipient_id: channel.recipient_id })),
  );
  await markLeftRead(tx, pairs, last);
  tx.write((sql) => endReceiving(sql, pairs, last));
  for (const { channel, userIds } of gone)
    tx.put(
      "subscriptions",
      ...userIds.map((userId) => ({
        ...defined(state.subscriptions.find(userId, channel.id), "subscription"),
        is_active: false,
      })),
    );
  for (const { channels, userIds } of byChannels(gone)) {
    const subscriptions = channels.map(({ id, name }) => ({ stream_id: id, name }));
    tx.event({ type: "subscription", op: "remove", subscriptions }, { to: "users", ids: userIds });
  }
  tellPeers(tx, "peer_remove", gone);
  const blind = gone.map(({ channel, userIds }) => ({
    channel,
    userIds: userIds.filter((id) => !seesWithoutSubscription(state, channel, id)),
  }));
  for (const { channels, userIds } of byChannels(blind)) {
    const stream_ids = channels.map(({ id }) => id);
    const streams = stream_ids.map((stream_id) => ({ stream_id }));
    tx.event({ type: "stream", op: "delete", stream_ids, streams }, { to: "users", ids: userIds });
  }
  tellMutedTopics(
    tx,
    blind.map(({ channel, userIds }) => ({ channel, gained: [], lost: userIds })),
  );
  tellGuestsOfPeople(tx, gone, "leave");
}

/**
 * One event for all who join, see `SubscriptionAddEvent`. Archived channels are apart, since not every client gets
 * their events.
 */
function tellJoined(tx: Tx, joinings: readonly Leaving[], rows: ReadonlyMap<string, SubscriptionRow>): void {
  const { state } = tx;
  for (const isArchived of [false, true]) {
    const subscriptions: SubscriptionAddEvent["subscriptions"] = [];
    const personal: SubscriptionAddEvent["personal"] = {};
    for (const { channel, userIds } of joinings) {
      if (channel.is_archived !== isArchived) continue;
      const subscribers = ascending([...state.subscriptions.activeSubscribers(channel.id), ...userIds]);
      subscriptions.push({
        ...renderChannel(state, channel),
        ...plainFields,
        subscriber_count: subscribers.length,
        subscribers,
      });
      for (const userId of userIds)
        (personal[userId] ??= {})[channel.id] = unusualFields(defined(rows.get(`${userId}:${channel.id}`), "row"));
    }
    if (subscriptions.length === 0) continue;
    const event: SubscriptionAddEvent = { type: "subscription", op: "add", subscriptions, personal };
    tx.event(event, { to: "users", ids: Object.keys(personal).map(Number) });
  }
}

/** Whether somebody sees the channel even without a subscription. */
export function seesWithoutSubscription(state: RealmState, channel: ChannelRow, userId: UserId): boolean {
  const user = state.users.get(userId);
  return user !== undefined && seesUnsubscribed(channel, user, state.groups);
}

const ascending = (ids: readonly UserId[]): UserId[] => [...new Set(ids)].sort((a, b) => a - b);

/** Tells those who cannot see a channel of it first. People who are new in this command have no queues yet. */
function tellOfUnseen(tx: Tx, joinings: readonly Leaving[]): void {
  const { state } = tx;
  const unseen = joinings.map(({ channel, userIds }) => ({
    channel,
    userIds: userIds.filter((id) => {
      const user = state.users.get(id);
      return user !== undefined && !canSeeChannel(state, channel, user);
    }),
  }));
  for (const { channels, userIds } of byChannels(unseen)) {
    const streams = channels.map((channel) => renderChannel(state, channel));
    tx.event({ type: "stream", op: "create", streams }, { to: "users", ids: userIds });
  }
  tellMutedTopics(
    tx,
    unseen.map(({ channel, userIds }) => ({ channel, gained: userIds, lost: [] })),
  );
}

/**
 * People by the set of channels they join or leave, or by single channels if there are more sets than channels.
 * Archived channels are apart, since not every client gets their events.
 */
function byChannels(changes: readonly Leaving[]): { channels: ChannelRow[]; userIds: UserId[] }[] {
  const channelsOf = new Map<string, ChannelRow[]>();
  for (const { channel, userIds } of changes) {
    for (const id of userIds) {
      const key = `${channel.is_archived ? "a" : ""}${id}`;
      const channels = channelsOf.get(key);
      if (channels) channels.push(channel);
      else channelsOf.set(key, [channel]);
    }
  }
  const sets = new Map<string, { channels: ChannelRow[]; userIds: UserId[] }>();
  for (const [key, channels] of channelsOf) {
    const set = channels.map(({ id }) => id).join();
    const userId = Number(key.replace("a", ""));
    const entry = sets.get(set);
    if (entry) entry.userIds.push(userId);
    else sets.set(set, { channels, userIds: [userId] });
  }
  if (sets.size <= changes.length) return [...sets.values()];
  return changes
    .filter(({ userIds }) => userIds.length > 0)
    .map(({ channel, userIds }) => ({ channels: [channel], userIds: [...userIds] }));
}

/**
 * Tells those who see the channels who joined or left. Public channels that the same people join or leave share one
 * event for all members. Guests are told only of the channels they are in.
 *
 * People who join know the subscribers from their own event. People who leave go on seeing a public channel, so they
 * are told of the others, without themselves.
 */
export function tellPeers(tx: Tx, op: "peer_add" | "peer_remove", changes: readonly Leaving[]): void {
  const { state } = tx;
  const together = new Map<string, Leaving[]>();
  for (const change of changes) {
    const { channel } = change;
    const isShared = !channel.invite_only && !channel.is_web_public && !channel.is_archived;
    const key = isShared ? change.userIds.join() : `channel ${channel.id}`;
    const group = together.get(key);
    if (group) group.push(change);
    else together.set(key, [change]);
  }
  for (const group of together.values()) {
    const user_ids = [...firstOf(group).userIds];
    const stream_ids = group.map(({ channel }) => channel.id);
    const { channel } = firstOf(group);
    // Those who are left out are named: whoever reads the log later ceases to see the channel only with `stream`
    // delete.
    const isTold = (id: UserId) =>
      op === "peer_remove" && user_ids.length > 1 && seesWithoutSubscription(state, channel, id);
    const except = user_ids.filter((id) => !isTold(id));
    const guests = state.roles.idsOf(roles.guest);
    const guestsOf = (channelId: ChannelId) => [...guests].filter((id) => state.subscriptions.has(id, channelId));
    // All members see these channels. A guest sees only those they are in, and is told apart.
    if (group.length > 1) except.push(...guestsOf(channel.id));
    const audience: Audience = { to: "channelViewers", channelId: channel.id, except };
    tx.event({ type: "subscription", op, stream_ids, user_ids }, audience);
    if (group.length === 1) continue;
    for (const channelId of stream_ids) {
      const ids = guestsOf(channelId).filter((id) => !user_ids.includes(id));
      if (ids.length === 0) continue;
      tx.event({ type: "subscription", op, stream_ids: [channelId], user_ids }, { to: "users", ids });
    }
  }
}

/** The personal fields of an unchanged subscription, apart from the colour. */
const plainFields = personalFields({
  color: 0,
  pin_to_top: false,
  is_muted: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
});

/** The fields of a subscription that differ from `plainFields`. */
function unusualFields(row: SubscriptionRow): Partial<PersonalFields> {
  const isPlain =
    !row.is_muted && !row.pin_to_top && subscriptionNotificationSettings.every((name) => row[name] === null);
  if (isPlain) return { color: formatColor(row.color) };
  const fields = personalFields(row);
  const unusual = keysOf(fields).filter((name) => fields[name] !== plainFields[name]);
  return Object.fromEntries(unusual.map((name) => [name, fields[name]]));
}

/** The rows of subscriptions that begin, by user and channel. Those that begin again keep their colour and settings. */
function newSubscriptions(state: RealmState, joinings: readonly Joining[]): Map<string, SubscriptionRow> {
  const rows = new Map<string, SubscriptionRow>();
  const used = new Map<UserId, number[]>();
  for (const { channel, userIds, colors } of joinings) {
    for (const userId of userIds) {
      const asked = colors?.get(userId);
      const before = state.subscriptions.find(userId, channel.id);
      const mine = used.get(userId) ?? state.subscriptions.colorsOf(userId);
      const color = asked ?? before?.color ?? pickColor(mine);
      // Kept only for people who join several channels: for ten thousand who join one, the lists would be a million
      // numbers.
      if (joinings.length > 1) {
        mine.push(color);
        used.set(userId, mine);
      }
      rows.set(`${userId}:${channel.id}`, {
        ...(before ?? newSubscriptionRow(state.id, userId, channel.id)),
        is_active: true,
        color,
      });
    }
  }
  return rows;
}
