import type { ChannelRow, TopicsPolicy } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";

/** What a channel allows for topics; `inherit` takes the organization's setting. */
export function effectiveTopicsPolicy(state: RealmState, channel: ChannelRow): Exclude<TopicsPolicy, "inherit"> {
  return channel.topics_policy === "inherit"
    ? (state.setting("topics_policy") as "allow_empty_topic" | "disable_empty_topic")
    : channel.topics_policy;
}
