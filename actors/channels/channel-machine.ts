/**
 * Life of a channel. Pure: it decides, `archive.ts` and `update.ts` act.
 *
 * | Rule | In       | Event         | When                              | Does                     | Then     |
 * | CH1  | active   | archive.asked | by who may administer the channel | announce, leaveDefaults, | archived |
 * |      |          |               |                                   | endNotices, show         |          |
 * | CH2  | any      | archive.asked | by anybody else                   | refuse mayNotAdminister  |          |
 * | CH3  | archived | archive.asked |                                   | refuse isArchived        |          |
 * | CH4  | archived | return.asked  | by an administrator, its name is  | show, announceReturn     | active   |
 * |      |          |               | free                              |                          |          |
 * | CH5  | archived | return.asked  | by anybody else                   | refuse notAdministrator  |          |
 * | CH6  | archived | return.asked  | an active channel has its name    | refuse nameTaken         |          |
 * | CH7  | archived | return.asked  | as CH4, its folder was archived   | leaveFolder, show,       | active   |
 * |      |          |               | meanwhile                         | announceReturn           |          |
 * | CH8  | active   | rename.asked  | another active channel has the    | refuse nameTaken         |          |
 * |      |          |               | name                              |                          |          |
 * | CH9  | archived | default.asked | new people are not put there      | refuse notDefault        |          |
 * | CH10 | archived | role.asked    | the organization has it for       | refuse hasNoRole         |          |
 * |      |          |               | notices, reports or the like      |                          |          |
 * | CH11 | archived | message.asked | nothing in it is sent, edited,    | refuse isClosed          |          |
 * |      |          |               | moved or deleted                  |                          |          |
 *
 * A channel that is active is not brought back: nothing happens. Archived channels keep people, names and messages, and
 * any number of them may have one name. https://zulip.com/help/archive-a-channel
 */
import { setup } from "xstate";
import type { ChannelRow } from "../../storage/rows.ts";
import { type ApiError, badRequest, mustBeAdmin } from "../errors.ts";
import { granted, refuse, stepper, typeOf } from "../lifecycle.ts";

export type ChannelRefusal =
  | "mayNotAdminister"
  | "isArchived"
  | "notAdministrator"
  | "nameTaken"
  | "notDefault"
  | "hasNoRole"
  | "isClosed";

export type ChannelEvent =
  | { type: "archive.asked"; mayAdminister: boolean }
  | { type: "return.asked"; byAdmin: boolean; isNameFree: boolean; isFolderArchived: boolean }
  | { type: "rename.asked"; isNameFree: boolean }
  | { type: "default.asked" }
  | { type: "role.asked" }
  | { type: "message.asked" };

/** Effects: a name and no body. The shell supplies them. */
const actions = {
  announce: () => {},
  leaveDefaults: () => {},
  endNotices: () => {},
  leaveFolder: () => {},
  show: () => {},
  announceReturn: () => {},
};
export type ChannelAction = keyof typeof actions;

const nameTaken = { guard: "isNameTaken", ...refuse("nameTaken") } as const;

export const channelMachine = setup({
  types: { events: typeOf<ChannelEvent>() },
  guards: {
    mayNotAdminister: ({ event }) => event.type === "archive.asked" && !event.mayAdminister,
    notAdministrator: ({ event }) => event.type === "return.asked" && !event.byAdmin,
    isNameTaken: ({ event }) => "isNameFree" in event && !event.isNameFree,
    isFolderArchived: ({ event }) => event.type === "return.asked" && event.isFolderArchived,
  },
  actions: { ...actions, refuse: (_, _why: { reason: ChannelRefusal }) => {} },
}).createMachine({
  id: "channel",
  initial: "active",
  states: {
    active: {
      on: {
        "archive.asked": [
          { guard: "mayNotAdminister", ...refuse("mayNotAdminister") },
          { target: "archived", actions: ["announce", "leaveDefaults", "endNotices", "show"] },
        ],
        "rename.asked": nameTaken,
      },
    },
    archived: {
      on: {
        "archive.asked": [{ guard: "mayNotAdminister", ...refuse("mayNotAdminister") }, refuse("isArchived")],
        "return.asked": [
          { guard: "notAdministrator", ...refuse("notAdministrator") },
          nameTaken,
          { guard: "isFolderArchived", target: "active", actions: ["leaveFolder", "show", "announceReturn"] },
          { target: "active", actions: ["show", "announceReturn"] },
        ],
        "default.asked": refuse("notDefault"),
        "role.asked": refuse("hasNoRole"),
        "message.asked": refuse("isClosed"),
      },
    },
  },
});

export const stepChannel = stepper<typeof channelMachine, ChannelAction, ChannelRefusal>(channelMachine);
export type ChannelStep = ReturnType<typeof stepChannel>;
export type ChannelState = ChannelStep["state"];

/** The state of a channel's machine. */
export const channelState = (channel: Pick<ChannelRow, "is_archived">): ChannelState =>
  channel.is_archived ? "archived" : "active";

/** What the caller is told, by the machine's reason. */
export const channelRefusals: Record<ChannelRefusal, (name: string) => ApiError> = {
  mayNotAdminister: () => badRequest("You do not have permission to administer this channel."),
  isArchived: () => badRequest("Channel is already archived."),
  notAdministrator: mustBeAdmin,
  nameTaken: (takenName) => badRequest(`Channel '${takenName}' already exists`),
  notDefault: () => badRequest("An archived channel cannot be a default channel."),
  hasNoRole: () => badRequest("Invalid channel ID"),
  isClosed: () => badRequest("Invalid message(s)"),
};

/** A step of a channel. @param name what a refusal names @throws the error of the machine's refusal */
export const grantChannel = (channel: Pick<ChannelRow, "is_archived">, event: ChannelEvent, name = ""): ChannelStep =>
  granted(stepChannel(channelState(channel), event), (refusal) => channelRefusals[refusal](name));

/** Whether messages of the channel come, change and go. */
export const takesMessages = (channel: Pick<ChannelRow, "is_archived">): boolean => isTaking[channelState(channel)];

const isTaking: Record<ChannelState, boolean> = {
  active: stepChannel("active", { type: "message.asked" }).refusal === undefined,
  archived: stepChannel("archived", { type: "message.asked" }).refusal === undefined,
};
