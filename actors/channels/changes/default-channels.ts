/** The channels that new users are subscribed to. */

import type { ChannelId, UserId } from "../../../storage/ids.ts";
import { accessChannel, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { grantChannel } from "../channel-machine.ts";
import { checkDefault } from "../rules.ts";
import { leaveDefaultGroup } from "./default-groups.ts";

export interface DefaultChannelArgs {
  userId: UserId;
  channelId: ChannelId;
}

/** Makes a channel a default channel, if it is not. */
export const addDefaultChannel = command((tx: Tx, { userId, channelId }: DefaultChannelArgs) => {
  const user = tx.user(userId);
  requireAdmin(user);
  const channel = accessChannel(tx.state, user, channelId);
  grantChannel(channel, { type: "default.asked" });
  checkDefault(user, channel.invite_only);
  putDefaultChannel(tx, channelId);
  return {};
});

/** Removes a channel from the default channels, if it is one. */
export const removeDefaultChannel = command((tx: Tx, { userId, channelId }: DefaultChannelArgs) => {
  const user = tx.user(userId);
  requireAdmin(user);
  accessChannel(tx.state, user, channelId);
  dropDefaultChannel(tx, channelId);
  return {};
});

export function putDefaultChannel(tx: Tx, channelId: ChannelId): void {
  if (tx.state.defaultChannels.has(channelId)) return;
  tx.put("default_channels", { channel_id: channelId, realm_id: tx.realmId });
  tellDefaults(tx, [...tx.state.defaultChannels, channelId]);
  leaveDefaultGroup(tx, channelId);
}

export function dropDefaultChannel(tx: Tx, channelId: ChannelId): void {
  if (!tx.state.defaultChannels.has(channelId)) return;
  tx.remove("default_channels", { channel_id: channelId });
  tellDefaults(
    tx,
    [...tx.state.defaultChannels].filter((id) => id !== channelId),
  );
}

/** Guests get no default channels, so they are not told. */
function tellDefaults(tx: Tx, ids: ChannelId[]): void {
  tx.event({ type: "default_streams", default_streams: ids.sort((a, b) => a - b) }, { to: "members" });
}
