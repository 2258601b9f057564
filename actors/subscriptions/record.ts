/** A subscription as its owner sees it, without subscribers. https://zulip.com/api/get-subscriptions */
import {
  type ChannelRow,
  type SubscriptionNotificationSetting,
  type SubscriptionRow,
  subscriptionNotificationSettings,
} from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import type { RealmState } from "../realm/state/state.ts";
import { formatColor } from "./colors.ts";
import type { PersonalFields, SubscriptionRecord } from "./shapes.ts";

/** The fields of a subscription that are its owner's alone. */
export function personalFields(row: SubscriptionRow): PersonalFields {
  const notifications = {} as Record<SubscriptionNotificationSetting, boolean | null>;
  for (const name of subscriptionNotificationSettings) notifications[name] = row[name];
  return {
    color: formatColor(row.color),
    pin_to_top: row.pin_to_top,
    is_muted: row.is_muted,
    in_home_view: !row.is_muted,
    ...notifications,
  };
}

export function renderSubscription(state: RealmState, channel: ChannelRow, row: SubscriptionRow): SubscriptionRecord {
  return Object.assign(renderChannel(state, channel), personalFields(row));
}
