import type { ChannelRow, TopicsPolicy } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";

/** The topics policy that applies to a channel. `inherit` means the organization's. */
export function effectiveTopicsPolicy(state: RealmState, channel: ChannelRow): Exclude<TopicsPolicy, "inherit"> {
  return channel.topics_policy === "inherit" ? state.setting("topics_policy") : channel.topics_policy;
}
