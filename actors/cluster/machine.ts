/**
 * A node's seat in one realm's cluster. Pure: it decides, `seat.ts` acts. Stepped by the beat of the lease, a few times a
 * second, and by what other nodes say.
 *
 * | Rule | In       | Event         | When                                         | Does             | Then     |
 * | S1   | standing | lease.granted |                                              | win              | claiming |
 * | S2   | claiming | term.begun    |                                              |                  | holding  |
 * | S3   | claiming | term.failed   | PostgreSQL did not let it begin              | giveBack         | standing |
 * | S4   | holding  | lease.denied  | another node holds it                        | lose             | standing |
 * | S5   | holding  | fenced        | another node has begun a term                | giveBack         | standing |
 * | S6   | holding  | handover      | another node should write, or this one stops | lose, giveBack   | standing |
 * | S7   | any      | left          | the realm is let go here                     | lose*, giveBack* | left     |
 *
 * (*) where there is something to lose or to give back. A lease that cannot be asked for, because Redis is gone, changes
 * nothing: a writer goes on, since PostgreSQL tells it when it must not.
 */
import { setup, transition } from "xstate";

export type SeatEvent =
  | { type: "lease.granted" }
  | { type: "lease.denied" }
  | { type: "term.begun" }
  | { type: "term.failed" }
  | { type: "fenced" }
  | { type: "handover" }
  | { type: "left" };

export const seatMachine = setup({
  types: { events: {} as SeatEvent },
  // Effects: a name and no body. The shell supplies them.
  actions: { win: () => {}, lose: () => {}, giveBack: () => {} },
}).createMachine({
  id: "seat",
  initial: "standing",
  states: {
    standing: { on: { "lease.granted": { target: "claiming", actions: "win" }, left: "left" } },
    claiming: {
      on: {
        "term.begun": "holding",
        "term.failed": { target: "standing", actions: "giveBack" },
        left: { target: "left", actions: "giveBack" },
      },
    },
    holding: {
      on: {
        "lease.denied": { target: "standing", actions: "lose" },
        fenced: { target: "standing", actions: "giveBack" },
        handover: { target: "standing", actions: ["lose", "giveBack"] },
        left: { target: "left", actions: ["lose", "giveBack"] },
      },
    },
    left: { type: "final" },
  },
});

export type SeatState = "standing" | "claiming" | "holding" | "left";
export type SeatAction = "win" | "lose" | "giveBack";

/** One step: the next state, and what the shell has to do for it, in order. */
export function stepSeat(state: SeatState, event: SeatEvent): { state: SeatState; actions: SeatAction[] } {
  const [next, actions] = transition(seatMachine, seatMachine.resolveState({ value: state, context: {} }), event);
  return { state: next.value as SeatState, actions: actions.map((action) => action.type as SeatAction) };
}
