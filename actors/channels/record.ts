/** A channel as clients see it. https://zulip.com/api/get-streams */
import type { ChannelId, UserId } from "../../storage/ids.ts";
import {
  type ChannelGroupSetting,
  type ChannelRow,
  channelGroupSettings,
  type GroupSetting,
  recordOf,
} from "../../storage/rows.ts";
import { shownGroupSetting } from "../groups/setting-values.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { ChannelRecord } from "./shapes.ts";

/** 1 anyone, 2 administrators, 3 full members, 4 moderators: the value must cover every user who may post. */
export function streamPostPolicy(state: RealmState, setting: GroupSetting): ChannelRecord["stream_post_policy"] {
  if (setting === state.systemGroup("role:administrators")) return 2;
  if (setting === state.systemGroup("role:fullmembers")) return 3;
  if (setting === state.systemGroup("role:moderators")) return 4;
  return 1;
}

export function renderChannel(state: RealmState, channel: ChannelRow): ChannelRecord {
  return {
    stream_id: channel.id,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.rendered_description,
    date_created: channel.date_created,
    creator_id: channel.creator_id,
    first_message_id: channel.first_message_id,
    folder_id: channel.folder_id,
    invite_only: channel.invite_only,
    is_web_public: channel.is_web_public,
    history_public_to_subscribers: channel.history_public_to_subscribers,
    is_archived: channel.is_archived,
    message_retention_days: channel.message_retention_days,
    topics_policy: channel.topics_policy,
    stream_post_policy: streamPostPolicy(state, channel.can_send_message_group),
    is_announcement_only: streamPostPolicy(state, channel.can_send_message_group) === 2,
    is_recently_active: channel.is_recently_active,
    stream_weekly_traffic: channel.stream_weekly_traffic,
    subscriber_count: state.subscriptions.countActive(channel.id),
    ...shownSettings(state, channel),
  };
}

const shownSettings = (state: RealmState, channel: ChannelRow): Record<ChannelGroupSetting, GroupSetting> =>
  recordOf(channelGroupSettings, (name) => shownGroupSetting(state, channel[name]));

/** Active users subscribed to a channel, the caller included. */
export function activeSubscribers(state: RealmState, channelId: ChannelId): UserId[] {
  return state.subscriptions.activeSubscribers(channelId);
}
