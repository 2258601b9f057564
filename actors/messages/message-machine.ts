/**
 * Life of a message. Pure: it decides, `delete.ts` and `retention.ts` act. It is stepped once for messages that are
 * deleted together.
 *
 * | Rule | In       | Event                | When                              | Does                   | Then    |
 * | ME1  | existing | deletion.asked       | by who may delete what anybody    | erase                  | deleted |
 * |      |          |                      | wrote there                       |                        |         |
 * | ME2  | existing | deletion.asked       | their own or their bot's, which   | erase                  | deleted |
 * |      |          |                      | they may, in time                 |                        |         |
 * | ME3  | existing | deletion.asked       | by anybody else                   | refuse notAllowed      |         |
 * | ME4  | existing | deletion.asked       | too late, by who is held to the   | refuse tooLate         |         |
 * |      |          |                      | time limit                        |                        |         |
 * | ME5  | existing | topic.deletion.asked | by who may delete what anybody    | erase                  | deleted |
 * |      |          |                      | wrote there                       |                        |         |
 * | ME6  | existing | topic.deletion.asked | by anybody else                   | refuse topicNotAllowed |         |
 * | ME7  | existing | retention.ended      |                                   | erase                  | deleted |
 * | ME8  | deleted  | deletion.asked       | none is there, as far as who asks | refuse absent          |         |
 * |      |          |                      | may know                          |                        |         |
 *
 * https://zulip.com/help/delete-a-message
 */
import { setup } from "xstate";
import { type ApiError, badRequest } from "../errors.ts";
import { refuse, stepper } from "../lifecycle.ts";

export type MessageRefusal = "notAllowed" | "tooLate" | "topicNotAllowed" | "absent";

export type MessageEvent =
  /** `mayDeleteOwn`: the message is theirs or their bot's, and they may delete their own. */
  | { type: "deletion.asked"; mayDeleteAny: boolean; mayDeleteOwn: boolean; isLate: boolean }
  | { type: "topic.deletion.asked"; mayDeleteAny: boolean }
  | { type: "retention.ended" };

/** Effects: a name and no body. The shell supplies them. */
const actions = { erase: () => {} };
export type MessageAction = keyof typeof actions;

const erase = { target: "deleted", actions: "erase" } as const;

export const messageMachine = setup({
  types: { events: {} as MessageEvent },
  guards: {
    mayDeleteAny: ({ event }) => event.type !== "retention.ended" && event.mayDeleteAny,
    mayNotDeleteOwn: ({ event }) => event.type === "deletion.asked" && !event.mayDeleteOwn,
    isLate: ({ event }) => event.type === "deletion.asked" && event.isLate,
  },
  actions: { ...actions, refuse: (_, _why: { reason: MessageRefusal }) => {} },
}).createMachine({
  id: "message",
  initial: "existing",
  states: {
    existing: {
      on: {
        "deletion.asked": [
          { guard: "mayDeleteAny", ...erase },
          { guard: "mayNotDeleteOwn", ...refuse("notAllowed") },
          { guard: "isLate", ...refuse("tooLate") },
          erase,
        ],
        "topic.deletion.asked": [{ guard: "mayDeleteAny", ...erase }, refuse("topicNotAllowed")],
        "retention.ended": erase,
      },
    },
    deleted: { on: { "deletion.asked": refuse("absent") } },
  },
});

export const stepMessage = stepper<typeof messageMachine, MessageAction, MessageRefusal>(messageMachine);

/** What the caller is told, by the machine's reason. */
export const messageRefusals: Record<MessageRefusal, () => ApiError> = {
  notAllowed: () => badRequest("You don't have permission to delete this message"),
  tooLate: () => badRequest("The time limit for deleting this message has passed"),
  topicNotAllowed: () => badRequest("You don't have permission to delete this topic"),
  absent: () => badRequest("Invalid message(s)"),
};
