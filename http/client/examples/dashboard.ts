/** A dashboard: how many are unread in each channel, as it changes. It computes nothing but sums: the state follows. */
import { ParleyClient, type RegisterState } from "../index.ts";
import type { Account } from "./bot.ts";

/** A line of the dashboard. */
export interface ChannelLine {
  name: string;
  unread: number;
}

function linesOf({ subscriptions = [], unread_msgs }: RegisterState): ChannelLine[] {
  const counts = new Map<number, number>();
  for (const { stream_id, unread_message_ids } of unread_msgs?.streams ?? [])
    counts.set(stream_id, (counts.get(stream_id) ?? 0) + unread_message_ids.length);
  return subscriptions
    .map(({ stream_id, name }) => ({ name, unread: counts.get(stream_id) ?? 0 }))
    .sort((a, b) => b.unread - a.unread || a.name.localeCompare(b.name));
}

/** Shows the lines now, and after each change. `isLive`: whether the server answers. */
export function showDashboard(account: Account, show: (lines: ChannelLine[], isLive: boolean) => void) {
  let isLive = true;
  const draw = () => show(linesOf(followed.state), isLive);
  const followed = new ParleyClient(account).follow({
    gatherMs: 100,
    onState: draw,
    onEvents: draw,
    onConnection(isConnected) {
      const isChange = isLive !== isConnected;
      isLive = isConnected;
      if (isChange) draw();
    },
  });
  return followed;
}
