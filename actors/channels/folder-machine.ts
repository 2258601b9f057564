/**
 * Life of a channel folder. Pure: it decides, `folders.ts` acts.
 *
 * | Rule | In       | Event         | When                                   | Does                    | Then     |
 * | FO1  | active   | archive.asked | by an administrator, no active channel | show                    | archived |
 * |      |          |               | is in it                               |                         |          |
 * | FO2  | active   | archive.asked | an active channel is in it             | refuse holdsChannels    |          |
 * | FO3  | archived | return.asked  | by an administrator                    | show                    | active   |
 * | FO4  | any      | either        | by anybody else                        | refuse notAdministrator |          |
 * | FO5  | archived | channel.put   | a channel is to be in it               | refuse isArchived       |          |
 *
 * What it is already it is not made again: nothing happens. An archived channel keeps its folder. If that is archived
 * too, the channel leaves it when it comes back (CH7). https://zulip.com/help/manage-channel-folders
 */
import { setup } from "xstate";
import type { ChannelFolderRow } from "../../storage/rows.ts";
import { type ApiError, badRequest, mustBeAdmin } from "../errors.ts";
import { granted, refuse, stepper, typeOf } from "../lifecycle.ts";

export type FolderRefusal = "notAdministrator" | "holdsChannels" | "isArchived";

export type FolderEvent =
  | { type: "archive.asked"; byAdmin: boolean; isEmpty: boolean }
  | { type: "return.asked"; byAdmin: boolean }
  | { type: "channel.put" };

/** Effects: a name and no body. The shell supplies them. */
const actions = { show: () => {} };
export type FolderAction = keyof typeof actions;

const outsiders = { guard: "notAdministrator", ...refuse("notAdministrator") } as const;

export const folderMachine = setup({
  types: { events: typeOf<FolderEvent>() },
  guards: {
    notAdministrator: ({ event }) => event.type !== "channel.put" && !event.byAdmin,
    holdsChannels: ({ event }) => event.type === "archive.asked" && !event.isEmpty,
  },
  actions: { ...actions, refuse: (_, _why: { reason: FolderRefusal }) => {} },
}).createMachine({
  id: "folder",
  initial: "active",
  states: {
    active: {
      on: {
        "archive.asked": [
          outsiders,
          { guard: "holdsChannels", ...refuse("holdsChannels") },
          { target: "archived", actions: "show" },
        ],
        "return.asked": outsiders,
      },
    },
    archived: {
      on: {
        "archive.asked": outsiders,
        "return.asked": [outsiders, { target: "active", actions: "show" }],
        "channel.put": refuse("isArchived"),
      },
    },
  },
});

export const stepFolder = stepper<typeof folderMachine, FolderAction, FolderRefusal>(folderMachine);

/** What the caller is told, by the machine's reason. */
export const folderRefusals: Record<FolderRefusal, () => ApiError> = {
  notAdministrator: mustBeAdmin,
  holdsChannels: () => badRequest("You need to remove all the channels from this folder to archive it."),
  isArchived: () => badRequest("The channel folder is archived."),
};

/** A step of a folder. @throws the error of the machine's refusal */
export const grantFolder = (folder: ChannelFolderRow, event: FolderEvent): ReturnType<typeof stepFolder> =>
  granted(stepFolder(folder.is_archived ? "archived" : "active", event), (refusal) => folderRefusals[refusal]());
