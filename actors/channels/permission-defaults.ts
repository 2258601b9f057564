import type { GroupId, UserId } from "../../storage/ids.ts";
import type { ChannelGroupSetting, GroupSetting } from "../../storage/rows.ts";
import { channelGroupSettings, recordOf } from "../../storage/rows.ts";
import type { SystemGroupName } from "../realm/state/group-index.ts";

/**
 * Default of each channel permission, and whether `role:everyone` may be chosen.
 * https://zulip.com/api/group-setting-values
 */
export const channelGroupDefaults: Record<
  ChannelGroupSetting,
  { default: SystemGroupName | "channel_creator"; everyone: boolean }
> = {
  can_add_subscribers_group: { default: "role:nobody", everyone: false },
  can_administer_channel_group: { default: "channel_creator", everyone: false },
  can_create_topic_group: { default: "role:everyone", everyone: true },
  can_delete_any_message_group: { default: "role:nobody", everyone: true },
  can_delete_own_message_group: { default: "role:nobody", everyone: true },
  can_move_messages_out_of_channel_group: { default: "role:nobody", everyone: true },
  can_move_messages_within_channel_group: { default: "role:nobody", everyone: true },
  can_remove_subscribers_group: { default: "role:administrators", everyone: true },
  can_resolve_topics_group: { default: "role:nobody", everyone: true },
  can_send_message_group: { default: "role:everyone", everyone: true },
  can_subscribe_group: { default: "role:nobody", everyone: false },
};

/** @param creatorId undefined: only administrators administer the channel */
export function defaultChannelGroups(
  systemGroup: (name: SystemGroupName) => GroupId,
  creatorId: UserId | undefined,
): Record<ChannelGroupSetting, GroupSetting> {
  return recordOf(channelGroupSettings, (name) => {
    const { default: group } = channelGroupDefaults[name];
    if (group !== "channel_creator") return systemGroup(group);
    return creatorId === undefined ? systemGroup("role:nobody") : { direct_members: [creatorId], direct_subgroups: [] };
  });
}
