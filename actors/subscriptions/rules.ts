/** Who may subscribe other people. */
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { canAdministerChannel, canReadContent, isGuest } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

/**
 * Whether the user may subscribe others to a channel, now or through an invitation. It requires access to the channel's
 * content, which administrators do not have for every private channel. Source:
 * https://zulip.com/help/configure-who-can-invite-to-channels
 */
export function maySubscribeOthers(state: RealmState, channel: ChannelRow, user: UserRow): boolean {
  return !channel.is_archived && canReadContent(state, channel, user) && mayAddOthers(state, channel, user);
}

/** The same for a channel that the user is creating, who need not be in it. */
export function mayAddOthers(
  state: RealmState,
  channel: Pick<ChannelRow, "can_add_subscribers_group" | "can_administer_channel_group">,
  user: UserRow,
): boolean {
  if (isGuest(user)) return false;
  return (
    state.may(user, "can_add_subscribers_group") ||
    state.groups.holds(channel.can_add_subscribers_group, user) ||
    canAdministerChannel(state, channel, user)
  );
}
