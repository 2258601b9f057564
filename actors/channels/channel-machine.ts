/**
 * Life of a channel. Pure: it decides, `archive.ts` and `update.ts` act.
 *
 * | Rule | In       | Event         | When                              | Does                     | Then     |
 * | CH1  | active   | archive.asked | by who may administer the channel | announce, leaveDefaults, | archived |
 * |      |          |               |                                   | endNotices, show         |          |
 * | CH2  | any      | archive.asked | by anybody else                   | refuse mayNotAdminister  |          |
 * | CH3  | archived | archive.asked |                                   | refuse isArchived        |          |
 * | CH4  | archived | return.asked  | by an administrator, its name is  | show                     | active   |
 * |      |          |               | free                              |                          |          |
 * | CH5  | archived | return.asked  | by anybody else                   | refuse notAdministrator  |          |
 * | CH6  | archived | return.asked  | an active channel has its name    | refuse nameTaken         |          |
 *
 * A channel that is active is not brought back: nothing happens. https://zulip.com/help/archive-a-channel
 */
import { setup } from "xstate";
import { type ApiError, badRequest, mustBeAdmin } from "../errors.ts";
import { refuse, stepper } from "../lifecycle.ts";

export type ChannelRefusal = "mayNotAdminister" | "isArchived" | "notAdministrator" | "nameTaken";

export type ChannelEvent =
  | { type: "archive.asked"; mayAdminister: boolean }
  | { type: "return.asked"; byAdmin: boolean; isNameFree: boolean };

/** Effects: a name and no body. The shell supplies them. */
const actions = { announce: () => {}, leaveDefaults: () => {}, endNotices: () => {}, show: () => {} };
export type ChannelAction = keyof typeof actions;

export const channelMachine = setup({
  types: { events: {} as ChannelEvent },
  guards: {
    mayNotAdminister: ({ event }) => event.type === "archive.asked" && !event.mayAdminister,
    notAdministrator: ({ event }) => event.type === "return.asked" && !event.byAdmin,
    isNameTaken: ({ event }) => event.type === "return.asked" && !event.isNameFree,
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
      },
    },
    archived: {
      on: {
        "archive.asked": [{ guard: "mayNotAdminister", ...refuse("mayNotAdminister") }, refuse("isArchived")],
        "return.asked": [
          { guard: "notAdministrator", ...refuse("notAdministrator") },
          { guard: "isNameTaken", ...refuse("nameTaken") },
          { target: "active", actions: "show" },
        ],
      },
    },
  },
});

export const stepChannel = stepper<typeof channelMachine, ChannelAction, ChannelRefusal>(channelMachine);
export type ChannelStep = ReturnType<typeof stepChannel>;
export type ChannelState = ChannelStep["state"];

/** What the caller is told, by the machine's reason. */
export const channelRefusals: Record<ChannelRefusal, (takenName: string) => ApiError> = {
  mayNotAdminister: () => badRequest("You do not have permission to administer this channel."),
  isArchived: () => badRequest("Channel is already archived."),
  notAdministrator: mustBeAdmin,
  nameTaken: (takenName) => badRequest(`Channel '${takenName}' already exists`),
};
