import { defineNoun } from "../../realm/noun.ts";
import { noteChannelActivity } from "./activity.ts";
import { channelActivityJob } from "./activity-job.ts";
import { archiveChannel } from "./archive.ts";
import { createChannel } from "./create.ts";
import { addDefaultChannel, removeDefaultChannel } from "./default-channels.ts";
import {
  addDefaultGroup,
  removeDefaultGroup,
  updateDefaultGroup,
  updateDefaultGroupChannels,
} from "./default-groups.ts";
import { createFolder, reorderFolders, updateFolder } from "./folders.ts";
import { updateChannel } from "./update.ts";

export const channelsNoun = defineNoun({
  commands: {
    addDefaultGroup,
    updateDefaultGroup,
    removeDefaultGroup,
    updateDefaultGroupChannels,
    createChannel,
    updateChannel,
    noteChannelActivity,
    archiveChannel,
    addDefaultChannel,
    removeDefaultChannel,
    createFolder,
    updateFolder,
    reorderFolders,
  },
  jobs: [channelActivityJob],
});
