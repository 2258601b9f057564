/**
 * Lifecycle of one event queue (`queue_id`). Pure: it decides, `queue.ts` and `fan-out.ts` act. It is stepped at the
 * boundaries in this table, never per event or per poll: parking and answering a poll is plain code in `queue.ts`.
 *
 * | Rule | In         | Event              | When                                              | Does    | Then      |
 * | EQ1  | live       | sweep.unpolled     | no poll parked or answered for `idleAfterSecs`    | shrink  | idle      |
 * | EQ2  | idle       | poll.attached      | the log still reaches the cursor                  | revive  | live      |
 * | EQ3  | live, idle | sweep.expired      | unpolled for the queue's `idle_queue_timeout`     | release | collected |
 * | EQ4  | any        | queue.deleted      | DELETE /events, or its user was deactivated       | release | collected |
 * | EQ5  | live, idle | backlog.overflowed | more than `maxBacklogEvents` or `maxBacklogBytes` | release | collected |
 * | EQ6  | evicted    | poll.attached      | registration row and log still reach the cursor   | revive  | live      |
 * | EQ7  | evicted,   | poll.attached      | they do not                                       | release | collected |
 * |      | idle       |                    |                                                   |         |           |
 * | EQ8  | live, idle | node.released      | the node stops, or another node took the queue    | shrink  | evicted   |
 *
 * Source: spec/http-api.md, States and transitions; Events 1.
 */
import { setup, transition } from "xstate";

export type EventQueueEvent =
  | { type: "poll.attached"; recoverable: boolean }
  | { type: "sweep.unpolled" }
  | { type: "sweep.expired" }
  | { type: "queue.deleted" }
  | { type: "backlog.overflowed" }
  | { type: "node.released" };

const end = { target: "collected" } as const;

export const eventQueueMachine = setup({
  types: { events: {} as EventQueueEvent },
  guards: { isRecoverable: ({ event }) => event.type === "poll.attached" && event.recoverable },
  // Effects: a name and no body. The shell supplies them.
  actions: { shrink: () => {}, revive: () => {}, release: () => {} },
}).createMachine({
  id: "eventQueue",
  initial: "live",
  states: {
    live: {
      on: {
        "sweep.unpolled": { target: "idle", actions: "shrink" },
        "sweep.expired": end,
        "queue.deleted": end,
        "backlog.overflowed": end,
        "node.released": { target: "evicted", actions: "shrink" },
      },
    },
    idle: {
      on: {
        "poll.attached": [{ guard: "isRecoverable", target: "live", actions: "revive" }, end],
        "sweep.expired": end,
        "queue.deleted": end,
        "backlog.overflowed": end,
        "node.released": { target: "evicted", actions: "shrink" },
      },
    },
    evicted: {
      on: {
        "poll.attached": [{ guard: "isRecoverable", target: "live", actions: "revive" }, end],
        "queue.deleted": end,
      },
    },
    collected: { type: "final", entry: "release" },
  },
});

export type EventQueueState = "live" | "idle" | "evicted" | "collected";
export type EventQueueAction = "shrink" | "revive" | "release";

const snapshots = Object.fromEntries(
  (["live", "idle", "evicted", "collected"] as const).map((value) => [
    value,
    eventQueueMachine.resolveState({ value, context: {} }),
  ]),
) as Record<EventQueueState, ReturnType<typeof eventQueueMachine.resolveState>>;

/** One step: a queue keeps a state's name, not an interpreter, so a hundred thousand of them cost a string each. */
export function stepEventQueue(
  state: EventQueueState,
  event: EventQueueEvent,
): { state: EventQueueState; actions: EventQueueAction[] } {
  const [next, actions] = transition(eventQueueMachine, snapshots[state], event);
  return { state: next.value as EventQueueState, actions: actions.map((action) => action.type as EventQueueAction) };
}
