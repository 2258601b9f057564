/**
 * Subscribing people to channels and back: the rows, what each person receives from then on, and who is told.
 * Whether the caller may do it is decided before, in `subscriptions-api.ts`.
 */
import { beginReceiving, endReceiving } from "../../storage/read-state.ts";
import type { ChannelRow, SubscriptionRow } from "../../storage/rows.ts";
import { canSeeChannel, isGuest } from "./access.ts";
import { pickColor } from "./channel-colors.ts";
import { activeSubscribers, renderChannel } from "./channel-record.ts";
import type { RealmState } from "./state.ts";
import { renderSubscription } from "./subscription-record.ts";
import type { Tx } from "./tx.ts";

/** Ids of the newest message so far: what is received begins after it, or ends with it. */
export async function newestId(tx: Tx): Promise<number> {
  const rows = await tx.sql<{ id: number | null }[]>`select max(id) as id from messages where realm_id = ${tx.realmId}`;
  return rows[0]?.id ?? 0;
}

/**
 * Subscribes users who are not subscribed yet. Events: `stream` create for those who could not see the channel before,
 * `subscription` add for each, `peer_add` for the others who see the channel.
 *
 * @param channel the row as it will be; it may be new in this command, its `stream` create event sent already
 */
export async function addSubscribers(
  tx: Tx,
  channel: ChannelRow,
  userIds: readonly number[],
  options: { colors?: ReadonlyMap<number, number> } = {},
): Promise<void> {
  if (userIds.length === 0) return;
  const { state } = tx;
  const rows = userIds.map((userId) => newSubscription(state, userId, channel.id, options.colors?.get(userId)));
  const unseen = userIds.filter((id) => !canSeeChannel(state, channel, state.users.get(id)));
  if (unseen.length > 0) {
    tx.event({ type: "stream", op: "create", streams: [renderChannel(state, channel)] }, { to: "users", ids: unseen });
  }
  const after = await newestId(tx);
  tx.write((sql) =>
    beginReceiving(
      sql,
      tx.realmId,
      userIds.map((user_id) => ({ user_id, recipient_id: channel.recipient_id })),
      after,
    ),
  );
  tx.put("subscriptions", ...rows);
  const subscribers = [...new Set([...activeSubscribers(state, channel.id), ...userIds])].sort((a, b) => a - b);
  for (const row of rows) {
    const record = { ...renderSubscription(state, channel, row), subscriber_count: subscribers.length, subscribers };
    tx.event({ type: "subscription", op: "add", subscriptions: [record] }, { to: "users", ids: [row.user_id] });
  }
  tx.event(
    { type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids: [...userIds] },
    { to: "channelViewers", channelId: channel.id, except: [...userIds] },
  );
}

/** Unsubscribes users who are subscribed. Those who cannot see the channel without it are told that it is gone. */
export async function removeSubscribers(tx: Tx, channel: ChannelRow, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  const { state } = tx;
  const rows = userIds.map((userId) => ({ ...state.subscriptions.find(userId, channel.id)!, is_active: false }));
  const last = await newestId(tx);
  tx.write((sql) =>
    endReceiving(
      sql,
      userIds.map((user_id) => ({ user_id, recipient_id: channel.recipient_id })),
      last,
    ),
  );
  tx.put("subscriptions", ...rows);
  for (const userId of userIds) {
    tx.event(
      { type: "subscription", op: "remove", subscriptions: [{ stream_id: channel.id, name: channel.name }] },
      { to: "users", ids: [userId] },
    );
  }
  tx.event(
    { type: "subscription", op: "peer_remove", stream_ids: [channel.id], user_ids: [...userIds] },
    { to: "channelViewers", channelId: channel.id, except: [...userIds] },
  );
  const blind = userIds.filter((id) => !seesWithoutSubscription(state, channel, id));
  if (blind.length > 0) {
    tx.event(
      { type: "stream", op: "delete", stream_ids: [channel.id], streams: [{ stream_id: channel.id }] },
      { to: "users", ids: blind },
    );
  }
}

/** Whether somebody sees the channel even when they are not in it. */
export function seesWithoutSubscription(state: RealmState, channel: ChannelRow, userId: number): boolean {
  const user = state.users.get(userId);
  if (!user) return false;
  if (channel.is_web_public) return true;
  if (isGuest(user)) return false;
  return (
    !channel.invite_only ||
    user.role <= 200 ||
    state.groups.holds(channel.can_add_subscribers_group, user) ||
    state.groups.holds(channel.can_subscribe_group, user) ||
    state.groups.holds(channel.can_administer_channel_group, user)
  );
}

/** The row of a subscription that begins, or begins again: then it keeps its colour. */
function newSubscription(
  state: RealmState,
  userId: number,
  channelId: number,
  color: number | undefined,
): SubscriptionRow {
  const before = state.subscriptions.find(userId, channelId);
  if (before) return { ...before, is_active: true, ...(color !== undefined && { color }) };
  const used = [...state.subscriptions.of(userId)].map((row) => row.color);
  return {
    user_id: userId,
    channel_id: channelId,
    realm_id: state.id,
    is_active: true,
    color: color ?? pickColor(used),
    is_muted: false,
    pin_to_top: false,
    desktop_notifications: null,
    audible_notifications: null,
    push_notifications: null,
    email_notifications: null,
    wildcard_mentions_notify: null,
  };
}
