/** The channels of another person that the viewer may know of. https://zulip.com/api/get-user-channels */
import type { ChannelId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { canSeeChannel } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Ids of the channels that `target` is subscribed to and `viewer` may see, without archived ones; ascending. */
export function visibleChannelsOf(state: RealmState, viewer: UserRow, target: UserRow): ChannelId[] {
  return state.subscriptions
    .channelsOf(target.id)
    .filter((id) => {
      const channel = state.channels.get(id);
      return channel !== undefined && !channel.is_archived && canSeeChannel(state, channel, viewer);
    })
    .sort((a, b) => a - b);
}
