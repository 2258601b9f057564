/** A subscription as its owner sees it, without subscribers. https://zulip.com/api/get-subscriptions */
import {
  type ChannelRow,
  recordOf,
  type SubscriptionNotificationSetting,
  type SubscriptionRow,
  subscriptionNotificationSettings,
} from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import type { RealmState } from "../realm/state/state.ts";
import { formatColor } from "./colors.ts";
import type { PersonalFields, SubscriptionRecord } from "./shapes.ts";

/** The columns of a subscription that are its owner's alone. */
export type OwnColumns = Pick<SubscriptionRow, "color" | "pin_to_top" | "is_muted" | SubscriptionNotificationSetting>;

/** The same as fields on the wire. */
export const personalFields = (row: OwnColumns): PersonalFields => ({
  color: formatColor(row.color),
  pin_to_top: row.pin_to_top,
  is_muted: row.is_muted,
  in_home_view: !row.is_muted,
  ...recordOf(subscriptionNotificationSettings, (name) => row[name]),
});

export function renderSubscription(state: RealmState, channel: ChannelRow, row: SubscriptionRow): SubscriptionRecord {
  return Object.assign(renderChannel(state, channel), personalFields(row));
}
