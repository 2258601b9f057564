/**
 * Life of a message that is to be sent later, and of a reminder. Pure: it decides, `messages.ts` and `reminders.ts`
 * act.
 *
 * | Rule | In              | Event           | When                                 | Does                | Then    |
 * | SM1  | waiting         | due             | its author may send it               | send, forget        | sent    |
 * | SM2  | waiting         | due             | its author is deactivated            | keep                | failed  |
 * | SM3  | waiting         | due             | its author may not send it           | keep, show, explain | failed  |
 * | SM4  | waiting         | reminder.due    | who asked for it still reads the     | forget, send        | sent    |
 * |      |                 |                 | message                              |                     |         |
 * | SM5  | waiting         | reminder.due    | they do not read it any more         | forget, explain     | deleted |
 * | SM6  | waiting, failed | edit.asked      | by its author; one that failed: to a | keep, show          | waiting |
 * |      |                 |                 | new time                             |                     |         |
 * | SM7  | failed          | edit.asked      | without a new time                   | refuse needsTime    |         |
 * | SM8  | waiting, failed | deletion.asked  | by its author                        | forget              | deleted |
 * | SM9  | any             | either is asked | by anybody else, or it is sent or    | refuse absent       |         |
 * |      |                 |                 | deleted                              |                     |         |
 *
 * A reminder, too, fails when whose it is was deactivated (SM2). One that failed waits for nothing but its author.
 * https://zulip.com/help/schedule-a-message
 */
import { setup } from "xstate";
import { type ApiError, badRequest, notFound } from "../errors.ts";
import { refuse, stepper, typeOf } from "../lifecycle.ts";

export type ScheduledRefusal = "absent" | "needsTime";

export type ScheduledEvent =
  | { type: "due"; isAuthorActive: boolean; maySend: boolean }
  | { type: "reminder.due"; isAuthorActive: boolean; mayRead: boolean }
  | { type: "edit.asked"; byAuthor: boolean; hasNewTime: boolean }
  | { type: "deletion.asked"; byAuthor: boolean };

/** Effects: a name and no body. The shell supplies them. */
const actions = { send: () => {}, forget: () => {}, keep: () => {}, show: () => {}, explain: () => {} };
export type ScheduledAction = keyof typeof actions;

const strangers = { guard: "isStranger", ...refuse("absent") } as const;
const deletion = [strangers, { target: "deleted", actions: "forget" }] as const;
const gone = { on: { "edit.asked": refuse("absent"), "deletion.asked": refuse("absent") } };

export const scheduledMachine = setup({
  types: { events: typeOf<ScheduledEvent>() },
  guards: {
    isStranger: ({ event }) => "byAuthor" in event && !event.byAuthor,
    hasNoNewTime: ({ event }) => event.type === "edit.asked" && !event.hasNewTime,
    isAuthorGone: ({ event }) => "isAuthorActive" in event && !event.isAuthorActive,
    maySend: ({ event }) => event.type === "due" && event.maySend,
    mayRead: ({ event }) => event.type === "reminder.due" && event.mayRead,
  },
  actions: { ...actions, refuse: (_, _why: { reason: ScheduledRefusal }) => {} },
}).createMachine({
  id: "scheduled",
  initial: "waiting",
  states: {
    waiting: {
      on: {
        due: [
          { guard: "isAuthorGone", target: "failed", actions: "keep" },
          { guard: "maySend", target: "sent", actions: ["send", "forget"] },
          { target: "failed", actions: ["keep", "show", "explain"] },
        ],
        "reminder.due": [
          { guard: "isAuthorGone", target: "failed", actions: "keep" },
          { guard: "mayRead", target: "sent", actions: ["forget", "send"] },
          { target: "deleted", actions: ["forget", "explain"] },
        ],
        "edit.asked": [strangers, { target: "waiting", actions: ["keep", "show"] }],
        "deletion.asked": deletion,
      },
    },
    failed: {
      on: {
        "edit.asked": [
          strangers,
          { guard: "hasNoNewTime", ...refuse("needsTime") },
          { target: "waiting", actions: ["keep", "show"] },
        ],
        "deletion.asked": deletion,
      },
    },
    sent: gone,
    deleted: gone,
  },
});

export const stepScheduled = stepper<typeof scheduledMachine, ScheduledAction, ScheduledRefusal>(scheduledMachine);
export type ScheduledStep = ReturnType<typeof stepScheduled>;
export type ScheduledState = ScheduledStep["state"];

/** The state of a scheduled message or reminder. One that does not exist counts as deleted. */
export function scheduledState(row: { failed: boolean } | undefined): ScheduledState {
  if (!row) return "deleted";
  return row.failed ? "failed" : "waiting";
}

/** The error for each reason of the machine. `what` is the kind of message. */
export const scheduledRefusals: Record<ScheduledRefusal, (what: "Scheduled message" | "Reminder") => ApiError> = {
  absent: (what) => notFound(`${what} does not exist`),
  needsTime: () => badRequest("Scheduled delivery time must be in the future."),
};
