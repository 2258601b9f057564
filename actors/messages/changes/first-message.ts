import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import { channelUpdate } from "../../events/channels.ts";
import type { Tx } from "../../realm/transaction.ts";

/** Updates `first_message_id` of a channel and sends its event. */
export function putFirstMessage(tx: Tx, channelId: ChannelId, messageId: MessageId | null): void {
  const channel = tx.channelNow(channelId);
  tx.put("channels", { ...channel, first_message_id: messageId });
  const event = channelUpdate(channel, { property: "first_message_id", value: messageId });
  tx.event(event, { to: "channelViewers", channelId: channel.id });
}
