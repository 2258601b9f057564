/**
 * Life of a realm on one node. Pure: it decides, `realm.ts` acts. Never stepped per request, but at first use, after a
 * while without use, when a lease is won or lost, and when something failed.
 *
 * | Rule | In                       | Event      | When                               | Does          | Then       |
 * | R1   | passivated               | used       |                                    | load          | loading    |
 * | R2   | loading                  | loaded     |                                    |               | following  |
 * | R3   | following, idle          | lease.won  |                                    | beginTerm     | writing    |
 * | R4   | writing, idle            | lease.lost |                                    | endTerm       | following  |
 * | R5   | following, writing       | unused     | no queue, no request for a while   | shed          | idle       |
 * | R6   | idle                     | used       | it kept its term                   |               | writing    |
 * |      |                          |            | it has none                        |               | following  |
 * | R7   | idle                     | unused     | still nothing after as long again  | endTerm, drop | passivated |
 * | R8   | loading                  | failed     |                                    | drop          | failed     |
 * | R9   | following, writing, idle | failed     | a commit failed, the log has a gap | endTerm, drop | failed     |
 * | R10  | failed                   | used       |                                    | load          | loading    |
 * | R11  | following, writing, idle | doubted    | a commit got no answer, a standby  | endTerm,      | failed     |
 * |      |                          |            | was promoted                       | setAside      |            |
 * |      | loading                  | doubted    |                                    | drop          | failed     |
 *
 * A replica that is set aside is used again if PostgreSQL has all that it was made of; else it is loaded anew.
 * An idle writer keeps its term until it is passivated: coming back costs no lease and no reading.
 */
import { setup } from "xstate";
import { stepper, typeOf } from "../lifecycle.ts";

export type RealmMachineEvent =
  | { type: "used"; hasTerm?: boolean }
  | { type: "loaded" }
  | { type: "lease.won" }
  | { type: "lease.lost" }
  | { type: "unused" }
  | { type: "failed" }
  | { type: "doubted" };

// Effects: a name and no body. The shell supplies them.
const actions = {
  load: () => {},
  beginTerm: () => {},
  endTerm: () => {},
  shed: () => {},
  setAside: () => {},
  drop: () => {},
};
export type RealmMachineAction = keyof typeof actions;

const fail = { target: "failed", actions: ["endTerm", "drop"] } as const;
const doubt = { target: "failed", actions: ["endTerm", "setAside"] } as const;

export const realmMachine = setup({
  types: { events: typeOf<RealmMachineEvent>() },
  guards: { hasTerm: ({ event }) => event.type === "used" && event.hasTerm === true },
  actions,
}).createMachine({
  id: "realm",
  initial: "passivated",
  states: {
    passivated: { on: { used: { target: "loading", actions: "load" } } },
    loading: {
      on: {
        loaded: "following",
        failed: { target: "failed", actions: "drop" },
        doubted: { target: "failed", actions: "drop" },
      },
    },
    following: {
      on: {
        "lease.won": { target: "writing", actions: "beginTerm" },
        unused: { target: "idle", actions: "shed" },
        failed: { ...fail, actions: [...fail.actions] },
        doubted: { ...doubt, actions: [...doubt.actions] },
      },
    },
    writing: {
      on: {
        "lease.lost": { target: "following", actions: "endTerm" },
        unused: { target: "idle", actions: "shed" },
        failed: { ...fail, actions: [...fail.actions] },
        doubted: { ...doubt, actions: [...doubt.actions] },
      },
    },
    idle: {
      on: {
        used: [{ guard: "hasTerm", target: "writing" }, { target: "following" }],
        "lease.won": { target: "writing", actions: "beginTerm" },
        "lease.lost": { target: "following", actions: "endTerm" },
        unused: { target: "passivated", actions: ["endTerm", "drop"] },
        failed: { ...fail, actions: [...fail.actions] },
        doubted: { ...doubt, actions: [...doubt.actions] },
      },
    },
    failed: { on: { used: { target: "loading", actions: "load" } } },
  },
});

export const stepRealm = stepper<typeof realmMachine, RealmMachineAction>(realmMachine);
export type RealmMachineState = ReturnType<typeof stepRealm>["state"];
