/** A subscription as its owner sees it (https://zulip.com/api/get-subscriptions), without subscribers. */
import { type ChannelRow, type SubscriptionRow, subscriptionNotificationSettings } from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import type { RealmState } from "../realm/state/state.ts";
import { formatColor } from "./colors.ts";

export type SubscriptionRecord = Record<string, unknown> & { stream_id: number };

/** The fields of a subscription that are its owner's alone. */
export function personalFields(row: SubscriptionRow): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    color: formatColor(row.color),
    pin_to_top: row.pin_to_top,
    is_muted: row.is_muted,
    in_home_view: !row.is_muted,
  };
  for (const name of subscriptionNotificationSettings) fields[name] = row[name];
  return fields;
}

export function renderSubscription(state: RealmState, channel: ChannelRow, row: SubscriptionRow): SubscriptionRecord {
  return Object.assign(renderChannel(state, channel), personalFields(row));
}
