import type { ChannelId, MessageId } from "../../../storage/ids.ts";
import type { Tx } from "../../realm/transaction.ts";

/** Updates `first_message_id` of a channel and sends its event. */
export function putFirstMessage(tx: Tx, channelId: ChannelId, messageId: MessageId | null): void {
  const channel = tx.channelNow(channelId)!;
  tx.put("channels", { ...channel, first_message_id: messageId });
  tx.event(
    {
      type: "stream",
      op: "update",
      stream_id: channel.id,
      name: channel.name,
      property: "first_message_id",
      value: messageId,
    },
    { to: "channelViewers", channelId: channel.id },
  );
}
