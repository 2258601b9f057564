/** Groups of default channels, which new people may choose from. */

import { array, size, string } from "superstruct";
import { limits } from "../../../actors/realm/state/settings.ts";
import { json, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const doc = "https://zulip.com/help/set-default-channels-for-new-users";
/** Channels named in one request. */
const maxNames = 1000;
const names = () => json(size(array(string()), 0, maxNames));

export const addDefaultGroup = route({
  doc,
  summary: "Makes a group of channels that somebody new may choose to begin with.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    group_name: text()
      .declares({ minLength: 1, maxLength: limits.channelName })
      .describe("The name of the group of channels."),
    description: text().declares({ maxLength: limits.channelDescription }).describe("What the group is for."),
    stream_names: names(),
  },
  returns: {},
  handle: ({ realm, user, params: { group_name: name, description, stream_names: channelNames } }) =>
    realm.execute("addDefaultGroup", { userId: user.id, name, description, channelNames }),
});

export const updateDefaultGroup = route({
  doc,
  summary: "Changes the name or the description of a group of default channels.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    group_id: pathInt().describe("The id of the group of channels."),
    new_group_name: text().optional().describe("Another name."),
    new_description: text().optional().describe("Another description."),
  },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateDefaultGroup", {
      userId: user.id,
      groupId: params.group_id,
      newName: params.new_group_name,
      newDescription: params.new_description,
    }),
});

export const removeDefaultGroup = route({
  doc,
  summary: "Removes a group of default channels; its channels stay.",
  auth: anyAccount,
  permission: "administrator",
  params: { group_id: pathInt().describe("The id of the group of channels.") },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("removeDefaultGroup", { userId: user.id, groupId: params.group_id }),
});

export const updateDefaultGroupChannels = route({
  doc,
  summary: "Adds channels to a group of default channels, or takes them out.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    group_id: pathInt().describe("The id of the group of channels."),
    op: oneOf("add", "remove").describe("Whether to add the channels or take them out."),
    stream_names: names(),
  },
  returns: {},
  handle: ({ realm, user, params: { group_id: groupId, op, stream_names: channelNames } }) =>
    realm.execute("updateDefaultGroupChannels", { userId: user.id, groupId, op, channelNames }),
});
