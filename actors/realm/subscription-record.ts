/** A subscription as its owner sees it: object 6.3 of spec/clients.md, without subscribers. */
import { type ChannelRow, type SubscriptionRow, subscriptionNotificationSettings } from "../../storage/rows.ts";
import { formatColor } from "./channel-colors.ts";
import { renderChannel } from "./channel-record.ts";
import type { RealmState } from "./state.ts";

export function renderSubscription(
  state: RealmState,
  channel: ChannelRow,
  row: SubscriptionRow,
): Record<string, unknown> & { stream_id: number } {
  const record = renderChannel(state, channel) as Record<string, unknown> & { stream_id: number };
  record["color"] = formatColor(row.color);
  record["pin_to_top"] = row.pin_to_top;
  record["is_muted"] = row.is_muted;
  record["in_home_view"] = !row.is_muted;
  for (const name of subscriptionNotificationSettings) record[name] = row[name];
  return record;
}
