/**
 * Archiving and restoring channels. Archived channels keep their subscribers and messages, and nobody may post there.
 */
import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { channelUpdate } from "../../events/channels.ts";
import { accessChannel, canAdministerChannel, isAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { type ChannelAction, type ChannelStep, grantChannel } from "../channel-machine.ts";
import { dropDefaultChannel } from "./default-channels.ts";
import { leaveDefaultGroup } from "./default-groups.ts";
import { noteArchived, noteUnarchived } from "./notices.ts";

/** The organization's settings that name a channel for its notices. */
const namingSettings = [
  "moderation_request_channel_id",
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
] as const;

export const archiveChannel = command(async (tx: Tx, args: { userId: UserId; channelId: ChannelId }) => {
  const user = tx.user(args.userId);
  const channel = accessChannel(tx.state, user, args.channelId);
  const mayAdminister = canAdministerChannel(tx.state, channel, user);
  const step = grantChannel(channel, { type: "archive.asked", mayAdminister });
  await perform(tx, user, rowAfter(channel, step), step.actions);
  return {};
});

/**
 * The step that restores a channel under the name it will have, as part of changing it.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST when another channel has the name meanwhile
 */
export function decideReturn(state: RealmState, user: UserRow, channel: ChannelRow, name: string): ChannelStep {
  const holder = state.channelByName(name);
  const isNameFree = holder === undefined || holder.id === channel.id;
  const isFolderArchived = channel.folder_id !== null && state.folders.get(channel.folder_id)?.is_archived === true;
  const event = { type: "return.asked", byAdmin: isAdmin(user), isNameFree, isFolderArchived } as const;
  return grantChannel(channel, event, holder?.name ?? name);
}

/** The row of a channel after a step. Nothing else archives or restores a channel. */
export const rowAfter = (channel: ChannelRow, { state, actions }: ChannelStep): ChannelRow => ({
  ...channel,
  is_archived: state === "archived",
  ...(actions.includes("leaveFolder") && { folder_id: null }),
});

/** Does what the machine orders for a channel, which will be this row. */
export async function perform(
  tx: Tx,
  user: UserRow,
  channel: ChannelRow,
  actions: readonly ChannelAction[],
): Promise<void> {
  for (const action of actions) await performOne(tx, user, channel, action);
}

async function performOne(
  tx: Tx,
  user: UserRow,
  { id, name, is_archived }: ChannelRow,
  action: ChannelAction,
): Promise<void> {
  const channel = tx.channelNow(id);
  switch (action) {
    case "announce":
      return noteArchived(tx, user, channel);
    case "leaveDefaults":
      dropDefaultChannel(tx, id);
      return leaveDefaultGroup(tx, id);
    case "endNotices":
      return forgetNotices(tx, id);
    case "leaveFolder":
      return; // `rowAfter` has taken it out, and the command tells of each property that changed.
    case "show":
      return tellArchived(tx, { ...channel, name, is_archived });
    case "announceReturn":
      return noteUnarchived(tx, user, channel);
    default:
      action satisfies never;
  }
}

/**
 * Clients that do not know archived channels are told that the channel is gone, or new. A second event, which no other
 * client gets, tells them about subscriptions: see `actors/events/forms.ts`.
 */
function tellArchived(tx: Tx, row: ChannelRow): void {
  const { id: stream_id, name, is_archived } = row;
  tx.put("channels", row);
  const viewers = { to: "channelViewers", channelId: stream_id } as const;
  tx.event(channelUpdate(row, { property: "is_archived", value: is_archived }), viewers);
  const subscribers = tx.state.subscriptions.activeSubscribers(stream_id);
  if (subscribers.length === 0) return;
  if (is_archived)
    tx.event({ type: "subscription", op: "archived", stream_id, name }, { to: "subscribers", channelId: stream_id });
  else tx.event({ type: "subscription", op: "unarchived", stream_id, subscribers }, viewers);
}

/** Clears settings that name the channel: nothing is announced in an archived one. */
function forgetNotices(tx: Tx, channelId: ChannelId): void {
  const row = tx.realmNow();
  const named = namingSettings.filter((name) => row.settings[name] === channelId);
  if (named.length === 0) return;
  const kept = Object.entries(row.settings).filter(([name]) => !named.some((one) => one === name));
  tx.put("realms", { ...row, settings: Object.fromEntries(kept) });
  for (const property of named) tx.event({ type: "realm", op: "update", property, value: -1 }, { to: "realm" });
}
