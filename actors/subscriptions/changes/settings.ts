/** A person's settings for one of their channels: colour, pin, mute and notifications. */
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import { type SubscriptionRow, subscriptionNotificationSettings } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import type { EventOf } from "../../events/events.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { formatColor, parseColor } from "../colors.ts";

export interface SubscriptionChange {
  stream_id: ChannelId;
  property: string;
  value: boolean | string;
}

export interface SetSubscriptionPropertiesArgs {
  userId: UserId;
  changes: SubscriptionChange[];
}

type SubscriptionUpdate = Extract<EventOf<"subscription">, { op: "update" }>;

const switches: readonly string[] = ["is_muted", "in_home_view", "pin_to_top", ...subscriptionNotificationSettings];

/**
 * Changes the caller's subscriptions: all of the changes or none. Muting has an event under its old name too.
 *
 * @throws BAD_REQUEST for a channel they are not subscribed to, an unknown property, or a value it does not take
 */
export const setSubscriptionProperties = command((tx: Tx, { userId, changes }: SetSubscriptionPropertiesArgs) => {
  tx.user(userId);
  const rows = new Map<ChannelId, SubscriptionRow>();
  const told: SubscriptionUpdate[] = [];
  for (const { stream_id, property, value } of changes) {
    const row = rows.get(stream_id) ?? tx.state.subscriptions.find(userId, stream_id);
    if (!row?.is_active) throw badRequest(`Not subscribed to channel id ${stream_id}`);
    const next = changed(row, property, value);
    rows.set(stream_id, next);
    const update = { type: "subscription", op: "update", stream_id } as const;
    if (next.color !== row.color) told.push({ ...update, property: "color", value: formatColor(next.color) });
    if (next.is_muted !== row.is_muted) {
      told.push({ ...update, property: "in_home_view", value: !next.is_muted });
      told.push({ ...update, property: "is_muted", value: next.is_muted });
    }
    if (next.pin_to_top !== row.pin_to_top) told.push({ ...update, property: "pin_to_top", value: next.pin_to_top });
    for (const name of subscriptionNotificationSettings)
      if (next[name] !== row[name]) told.push({ ...update, property: name, value: next[name] });
  }
  if (told.length === 0) return {};
  tx.put("subscriptions", ...rows.values());
  for (const event of told) tx.event(event, { to: "users", ids: [userId] });
  return {};
});

/** The row with one property changed. @throws BAD_REQUEST */
function changed(row: SubscriptionRow, property: string, value: boolean | string): SubscriptionRow {
  if (property === "color") {
    const color = typeof value === "string" ? parseColor(value.trim()) : undefined;
    if (color === undefined) throw badRequest("color is not a valid hex color code");
    return { ...row, color };
  }
  if (!switches.includes(property)) throw badRequest(`Unknown subscription property: ${property}`);
  if (typeof value !== "boolean") throw badRequest(`${property} is not a boolean`);
  if (property === "in_home_view") return { ...row, is_muted: !value };
  return { ...row, [property]: value };
}
