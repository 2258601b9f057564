/** The audience of edits, reactions and the like: the people who may read the message. */
import type { MessageId, UserId } from "../../storage/ids.ts";
import type { MessageAccess } from "../../storage/messages/access.ts";
import { receiversOf } from "../../storage/messages/carry.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { Audience } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Whether subscribers may read everything in the channel, also from before they came. */
export const hasOpenHistory = (channel: ChannelRow): boolean =>
  channel.is_web_public || channel.history_public_to_subscribers;

/** Where a message is: in a channel, or among people. */
export type Conversation =
  | { channel: ChannelRow; participants?: undefined }
  | { channel?: undefined; participants: readonly UserId[] };

/** The conversation of a message that is read with its people. */
export const conversationOf = (
  state: RealmState,
  { channel_id, participants }: Pick<MessageAccess, "channel_id" | "participants">,
): Conversation =>
  channel_id === null ? { participants: participants ?? [] } : { channel: state.knownChannel(channel_id) };

/**
 * The people of a direct conversation, or the channel's subscribers; with protected history those of them who received
 * one of the messages.
 *
 * @param ids ascending, all in the one conversation
 */
export async function messageAudience(
  state: RealmState,
  sql: Sql,
  { channel, participants }: Conversation,
  ids: readonly MessageId[],
): Promise<Audience> {
  if (!channel) return { to: "users", ids: [...participants] };
  if (hasOpenHistory(channel)) return { to: "subscribers", channelId: channel.id };
  const received = await receiversOf(sql, channel.recipient_id, ids);
  return { to: "users", ids: received.filter((id) => state.subscriptions.has(id, channel.id)) };
}
