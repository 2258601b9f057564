/** Channel folders. */

import { array } from "superstruct";
import { listFolders, renderFolder } from "../../../actors/channels/changes/folders.ts";
import { channelFolder } from "../../../actors/channels/shapes.ts";
import { folderId } from "../../../actors/id-shapes.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import type { FolderId } from "../../../storage/ids.ts";
import { bool, json, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Adds a folder. https://zulip.com/api/create-channel-folder */
export const createChannelFolder = route({
  doc: "https://zulip.com/api/create-channel-folder",
  summary: "Creates a channel folder.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    name: text().declares({ minLength: 1, maxLength: limits.folderName }).describe("The folder's name."),
    description: text()
      .declares({ maxLength: limits.folderDescription })
      .default("")
      .describe("What the folder is for, in Markdown."),
  },
  returns: { channel_folder_id: folderId() },
  handle: ({ realm, user, params }) =>
    realm.execute("createFolder", { userId: user.id, name: params.name, description: params.description }),
});

/** Lists folders. https://zulip.com/api/get-channel-folders */
export const getChannelFolders = route({
  doc: "https://zulip.com/api/get-channel-folders",
  summary: "Lists the channel folders in their order.",
  auth: anyAccount,
  params: { include_archived: bool().default(false).describe("Whether to list archived folders too.") },
  returns: { channel_folders: array(channelFolder) },
  handle: ({ realm, params }) => ({
    channel_folders: listFolders(realm.state, params.include_archived).map(renderFolder),
  }),
});

/** Orders folders. https://zulip.com/api/patch-channel-folders */
export const reorderChannelFolders = route({
  doc: "https://zulip.com/api/patch-channel-folders",
  summary: "Puts the channel folders, archived ones too, in a new order.",
  auth: anyAccount,
  permission: "administrator",
  params: { order: json(array(folderId())).describe("Ids of all folders, in their new order.") },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("reorderFolders", { userId: user.id, order: params.order }),
});

/** Changes a folder. https://zulip.com/api/update-channel-folder */
export const updateChannelFolder = route({
  doc: "https://zulip.com/api/update-channel-folder",
  summary: "Renames, describes, archives or unarchives a channel folder.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    channel_folder_id: pathInt<FolderId>(),
    name: text().declares({ minLength: 1, maxLength: limits.folderName }).optional().describe("The folder's name."),
    description: text()
      .declares({ maxLength: limits.folderDescription })
      .optional()
      .describe("What the folder is for, in Markdown."),
    is_archived: bool().optional(),
  },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateFolder", {
      userId: user.id,
      folderId: params.channel_folder_id,
      name: params.name,
      description: params.description,
      isArchived: params.is_archived,
    }),
});
