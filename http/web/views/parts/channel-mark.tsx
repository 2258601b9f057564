import { useApp } from "../../model/app.ts";
import { Icon } from "./icons.tsx";

/** The icon of a channel, in the person's colour for it. */
export function ChannelMark({ channelId, size = 15 }: { channelId: number; size?: number }) {
  const channel = useApp().channels.get(channelId);
  const name = channel?.invite_only ? "lock" : channel?.is_web_public ? "globe" : "hash";
  return (
    <span class="channel-mark" style={{ "--channel": channel?.color ?? "var(--soft)" }}>
      <Icon name={name} size={size} />
    </span>
  );
}
