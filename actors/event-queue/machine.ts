/**
 * Lifecycle of one event queue (`queue_id`). Pure: it decides, `fan-out.ts` acts. It is stepped at the boundaries in
 * this table, never per event or per poll: parking and answering a poll is plain code in `event-queues.ts`.
 *
 * | Rule | In         | Event              | When                                              | Does    | Then      |
 * | EQ1  | live       | sweep.unpolled     | no poll parked or answered for `idleAfterSecs`    | shrink  | idle      |
 * | EQ2  | idle       | poll.attached      | the log still reaches the cursor                  | revive  | live      |
 * | EQ3  | live, idle | sweep.expired      | unpolled for the queue's `idle_queue_timeout`     | release | collected |
 * | EQ4  | any        | queue.deleted      | DELETE /events, its user was deactivated, or has  | release | collected |
 * |      |            |                    | more than `maxQueuesPerUser`, or the log-in that  |         |           |
 * |      |            |                    | registered it ended                               |         |           |
 * | EQ5  | live, idle | backlog.overflowed | more than `maxBacklogEvents` or `maxBacklogBytes` | release | collected |
 * | EQ6  | evicted    | poll.attached      | registration row and log still reach the cursor   | revive  | live      |
 * | EQ7  | evicted,   | poll.attached      | they do not                                       | release | collected |
 * |      | idle       |                    |                                                   |         |           |
 * | EQ8  | live, idle | node.released      | the node stops, or another node took the queue    | shrink  | evicted   |
 * | EQ9  | live       | poll.rewound       | the client asks again for what it acknowledged    | shrink  | idle      |
 * | EQ13 | live       | stream.cut         | the client of its stream does not read            | shrink  | idle      |
 * | EQ10 | unborn     | queue.registered   | POST /register                                    |         | live      |
 * | EQ12 | unborn     | queue.outrun       | registered, but memory reaches its start no more  |         | idle      |
 * | EQ11 | unborn     | queue.found        | a poll names a registration that no queue here is |         | evicted   |
 *
 * https://zulip.com/api/get-events
 */
import { setup } from "xstate";
import { keysOf, recordOf } from "../../storage/rows.ts";
import { type Step, stepper, typeOf } from "../lifecycle.ts";

/** Every event there is. The machine's events and its table of steps follow, so neither can forget one. */
const events = {
  recoverable: { type: "poll.attached", recoverable: true },
  unrecoverable: { type: "poll.attached", recoverable: false },
  "sweep.unpolled": { type: "sweep.unpolled" },
  "sweep.expired": { type: "sweep.expired" },
  "queue.deleted": { type: "queue.deleted" },
  "backlog.overflowed": { type: "backlog.overflowed" },
  "node.released": { type: "node.released" },
  "poll.rewound": { type: "poll.rewound" },
  "stream.cut": { type: "stream.cut" },
  "queue.registered": { type: "queue.registered" },
  "queue.outrun": { type: "queue.outrun" },
  "queue.found": { type: "queue.found" },
} as const;
export type EventQueueEvent = (typeof events)[keyof typeof events];

// Effects: a name and no body. The shell supplies them.
const actions = { shrink: () => {}, revive: () => {}, release: () => {} };
export type EventQueueAction = keyof typeof actions;

const end = { target: "collected" } as const;

export const eventQueueMachine = setup({
  types: { events: typeOf<EventQueueEvent>() },
  guards: { isRecoverable: ({ event }) => event.type === "poll.attached" && event.recoverable },
  actions,
}).createMachine({
  id: "eventQueue",
  initial: "unborn",
  states: {
    unborn: { on: { "queue.registered": "live", "queue.outrun": "idle", "queue.found": "evicted" } },
    live: {
      on: {
        "sweep.unpolled": { target: "idle", actions: "shrink" },
        "sweep.expired": end,
        "queue.deleted": end,
        "backlog.overflowed": end,
        "node.released": { target: "evicted", actions: "shrink" },
        "poll.rewound": { target: "idle", actions: "shrink" },
        "stream.cut": { target: "idle", actions: "shrink" },
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

const stepMachine = stepper<typeof eventQueueMachine, EventQueueAction>(eventQueueMachine);
export type EventQueueState = ReturnType<typeof stepMachine>["state"];

type EventQueueStep = Step<EventQueueState, EventQueueAction, never>;

type Steps = Record<keyof typeof events, EventQueueStep>;

const keyOf = (event: EventQueueEvent): keyof Steps =>
  event.type !== "poll.attached" ? event.type : event.recoverable ? "recoverable" : "unrecoverable";

const stepsFrom = (state: EventQueueState): Steps => recordOf(keysOf(events), (key) => stepMachine(state, events[key]));

/** Every step, by state and event. The machine has no context, so a step depends on nothing else. */
const steps: Record<EventQueueState, Steps> = {
  unborn: stepsFrom("unborn"),
  live: stepsFrom("live"),
  idle: stepsFrom("idle"),
  evicted: stepsFrom("evicted"),
  collected: stepsFrom("collected"),
};

/**
 * One step. A queue keeps the name of its state, not an interpreter. So a hundred thousand queues cost a string each,
 * and a sweep over them only looks steps up.
 */
export const stepEventQueue = (state: EventQueueState, event: EventQueueEvent): EventQueueStep =>
  steps[state][keyOf(event)];
