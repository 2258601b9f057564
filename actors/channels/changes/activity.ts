/** How busy channels are: whether they had messages lately, and how many in an average week. */
import type { ChannelId } from "../../../storage/ids.ts";
import { type ChannelChange, channelUpdate } from "../../events/channels.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";

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
    const becomes = { is_recently_active: isRecentlyActive, stream_weekly_traffic: weeklyTraffic };
    const isOther = channel.is_recently_active !== isRecentlyActive;
    const hasOtherTraffic = channel.stream_weekly_traffic !== weeklyTraffic;
    if (!isOther && !hasOtherTraffic) continue;
    tx.put("channels", { ...channel, ...becomes });
    const tell = (change: ChannelChange) =>
      tx.event(channelUpdate(channel, change), { to: "channelViewers", channelId });
    if (isOther) tell({ property: "is_recently_active", value: isRecentlyActive });
    if (hasOtherTraffic) tell({ property: "stream_weekly_traffic", value: weeklyTraffic });
  }
  return {};
});
