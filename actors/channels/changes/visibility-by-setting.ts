/**
 * Tells people who begin or cease to see a channel because its own settings change. They are addressed by rule, however
 * many they are.
 */
import type { ChannelRow } from "../../../storage/rows.ts";
import { seesUnsubscribed, sightSettings } from "../../realm/access.ts";
import type { Tx } from "../../realm/transaction.ts";
import { renderChannel } from "../record.ts";
import { type SightChange, tellMutedTopics } from "./visibility-by-person.ts";

/**
 * Tells those who begin to see the channel what it is and who is in it, and those who cease to that it is gone. The
 * caller has put the new row, and tells the properties afterwards.
 */
export function tellChannelSight(tx: Tx, before: ChannelRow, after: ChannelRow): void {
  const same = (name: keyof ChannelRow) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  if (same("invite_only") && same("is_web_public") && sightSettings.every(same)) return;
  const { state } = tx;
  const channelId = after.id;
  const sight = {
    id: channelId,
    invite_only: before.invite_only,
    is_web_public: before.is_web_public,
    can_add_subscribers_group: before.can_add_subscribers_group,
    can_subscribe_group: before.can_subscribe_group,
    can_administer_channel_group: before.can_administer_channel_group,
  };
  const gainers = { to: "channelGainers", channelId, before: sight } as const;
  const streams = [{ ...renderChannel(state, after), subscriber_count: 0 }];
  tx.event({ type: "stream", op: "create", streams }, gainers);
  const user_ids = state.subscriptions.activeSubscribers(channelId);
  if (user_ids.length > 0)
    tx.event({ type: "subscription", op: "peer_add", stream_ids: [channelId], user_ids }, gainers);
  tx.event(
    { type: "stream", op: "delete", stream_ids: [channelId], streams: [{ stream_id: channelId }] },
    { to: "channelLosers", channelId, before: sight },
  );
  const topics: SightChange = { channel: after, gained: [], lost: [] };
  for (const userId of state.userTopics.keys()) {
    const user = state.users.get(userId);
    if (!user?.is_active || state.subscriptions.has(userId, channelId)) continue;
    const [saw, sees] = [before, after].map((row) => seesUnsubscribed(row, user, state.groups));
    if (!saw && sees) topics.gained.push(userId);
    if (saw && !sees) topics.lost.push(userId);
  }
  tellMutedTopics(tx, [topics]);
}
