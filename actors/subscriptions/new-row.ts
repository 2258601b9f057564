import type { ChannelId, RealmId, UserId } from "../../storage/ids.ts";
import type { SubscriptionRow } from "../../storage/rows.ts";

/** A new subscription's row. Its colour is still to be chosen. */
export function newSubscriptionRow(realmId: RealmId, userId: UserId, channelId: ChannelId): SubscriptionRow {
  return {
    user_id: userId,
    channel_id: channelId,
    realm_id: realmId,
    is_active: true,
    color: 0,
    is_muted: false,
    pin_to_top: false,
    desktop_notifications: null,
    audible_notifications: null,
    push_notifications: null,
    email_notifications: null,
    wildcard_mentions_notify: null,
  };
}
