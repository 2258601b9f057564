/** How busy channels are: whether they had messages lately, and how many in an average week. */
import type { ChannelId } from "../../storage/ids.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";

export interface ChannelActivity {
  channelId: ChannelId;
  isRecentlyActive: boolean;
  weeklyTraffic: number | null;
}

/** Stores how busy channels are, and sends changes to those who see the channel. */
export const noteChannelActivity = command((tx: Tx, { activities }: { activities: ChannelActivity[] }) => {
  for (const { channelId, isRecentlyActive, weeklyTraffic } of activities) {
    const channel = tx.state.channels.get(channelId);
    if (!channel) continue;
    const changed: Partial<ChannelRow> = {
      ...(channel.is_recently_active !== isRecentlyActive && { is_recently_active: isRecentlyActive }),
      ...(channel.stream_weekly_traffic !== weeklyTraffic && { stream_weekly_traffic: weeklyTraffic }),
    };
    if (Object.keys(changed).length === 0) continue;
    tx.put("channels", { ...channel, ...changed });
    for (const [property, value] of Object.entries(changed)) {
      tx.event(
        { type: "stream", op: "update", stream_id: channel.id, name: channel.name, property, value },
        { to: "channelViewers", channelId },
      );
    }
  }
  return {};
});
