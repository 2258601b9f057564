/**
 * Archiving channels and bringing them back. Archived channels keep their subscribers and messages; nobody posts there.
 */
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { accessChannel, canAdministerChannel, requireAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { dropDefaultChannel } from "./default-channels.ts";
import { noteArchived } from "./notices.ts";
import { checkNameIsFree } from "./rules.ts";

/** The organization's settings that name a channel for its notices. */
const namingSettings = [
  "moderation_request_channel_id",
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
] as const;

export const archiveChannel = command(async (tx: Tx, args: { userId: number; channelId: number }) => {
  const user = tx.user(args.userId);
  const channel = accessChannel(tx.state, user, args.channelId);
  if (!canAdministerChannel(tx.state, channel, user))
    throw badRequest("You do not have permission to administer this channel.");
  if (channel.is_archived) throw badRequest("Channel is already archived.");
  await noteArchived(tx, user, channel);
  dropDefaultChannel(tx, channel.id);
  forgetNotices(tx, channel.id);
  tellArchived(tx, { ...tx.channelNow(channel.id)!, is_archived: true });
  return {};
});

/**
 * Brings a channel back, under the name it is to have; part of changing one.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST when another channel has the name meanwhile
 */
export function unarchive(tx: Tx, user: UserRow, channel: ChannelRow, name: string): void {
  requireAdmin(user);
  checkNameIsFree(tx.state, name, channel.id);
  tellArchived(tx, { ...channel, name, is_archived: false });
}

/**
 * Clients that do not know of archived channels see them go and come. What such a client is then told about its
 * subscription and the other subscribers is a second event, which no other client gets: `actors/events/forms.ts`.
 */
function tellArchived(tx: Tx, row: ChannelRow): void {
  const { id: stream_id, name, is_archived } = row;
  tx.put("channels", row);
  const viewers = { to: "channelViewers", channelId: stream_id } as const;
  tx.event({ type: "stream", op: "update", stream_id, name, property: "is_archived", value: is_archived }, viewers);
  const subscribers = tx.state.subscriptions.activeSubscribers(stream_id);
  if (subscribers.length === 0) return;
  if (is_archived)
    tx.event({ type: "subscription", op: "archived", stream_id, name }, { to: "subscribers", channelId: stream_id });
  else tx.event({ type: "subscription", op: "unarchived", stream_id, subscribers }, viewers);
}

/** Nothing is announced in an archived channel. */
function forgetNotices(tx: Tx, channelId: number): void {
  const { row } = tx.state;
  const named = namingSettings.filter((name) => row.settings[name] === channelId);
  if (named.length === 0) return;
  const kept = Object.entries(row.settings).filter(([name]) => !(named as string[]).includes(name));
  tx.put("realms", { ...row, settings: Object.fromEntries(kept) });
  for (const property of named) tx.event({ type: "realm", op: "update", property, value: -1 }, { to: "realm" });
}
