/**
 * A node's seat in one realm's cluster. Pure: it decides, `seat.ts` acts. It is stepped by the beat of the lease, a few
 * times a second, and by messages of other nodes.
 *
 * | Rule | In         | Event         | When                                         | Does           | Then       |
 * | S1   | standing   | lease.granted |                                              | win            | claiming   |
 * | S2   | claiming   | term.begun    |                                              |                | holding    |
 * | S3   | claiming   | term.failed   | PostgreSQL did not let it begin              | giveBack       | standing   |
 * | S4   | holding    | lease.denied  | another node holds it                        | lose           | standing   |
 * | S5   | holding    | fenced        | another node has begun a term                | giveBack       | standing   |
 * | S6   | holding    | handover      | another node should write, or this one stops | lose, giveBack | standing   |
 * | S7   | standing   | left          | the realm is let go here                     |                | left       |
 * |      | claiming   | left          |                                              | giveBack       | left       |
 * |      | retreating | left          |                                              |                | left       |
 * |      | holding    | left          |                                              | lose, giveBack | left       |
 * | S8   | claiming   | lease.denied  | another node holds it by now                 |                | retreating |
 * | S9   | claiming   | claim.overdue | PostgreSQL has not answered for `claimMs`    | giveBack       | retreating |
 * | S10  | claiming   | handover      | another node should write, or this one stops | giveBack       | retreating |
 * | S11  | claiming   | fenced        | another node has begun a term                | giveBack       | retreating |
 * | S12  | retreating | term.begun    | PostgreSQL let it begin after all            | lose           | standing   |
 * | S13  | retreating | term.failed   |                                              |                | standing   |
 * | S14  | left       | term.begun    | PostgreSQL let it begin after all            | lose           | left       |
 * | S15  | standing   | term.vacant   | Redis is away, and nobody seems to write     | winVacant      | claiming   |
 *
 * A claim cannot be called off. A node that gives it up waits for its outcome, asks for no lease until then, and ends
 * the term that may come of it. The lease is renewed while a claim is under way, and is free for others as soon as the
 * claim is given up. A lease that cannot be asked for, because Redis is gone, changes nothing: a writer goes on, since
 * PostgreSQL tells it when it must not.
 */
import { setup, transition } from "xstate";

export type SeatEvent =
  | { type: "lease.granted" }
  | { type: "lease.denied" }
  | { type: "term.vacant" }
  | { type: "term.begun" }
  | { type: "term.failed" }
  | { type: "claim.overdue" }
  | { type: "fenced" }
  | { type: "handover" }
  | { type: "left" };

export const seatMachine = setup({
  types: { events: {} as SeatEvent },
  // Effects: a name and no body. The shell supplies them.
  actions: { win: () => {}, winVacant: () => {}, lose: () => {}, giveBack: () => {} },
}).createMachine({
  id: "seat",
  initial: "standing",
  states: {
    standing: {
      on: {
        "lease.granted": { target: "claiming", actions: "win" },
        "term.vacant": { target: "claiming", actions: "winVacant" },
        left: "left",
      },
    },
    claiming: {
      on: {
        "term.begun": "holding",
        "term.failed": { target: "standing", actions: "giveBack" },
        "lease.denied": "retreating",
        "claim.overdue": { target: "retreating", actions: "giveBack" },
        handover: { target: "retreating", actions: "giveBack" },
        fenced: { target: "retreating", actions: "giveBack" },
        left: { target: "left", actions: "giveBack" },
      },
    },
    retreating: {
      on: {
        "term.begun": { target: "standing", actions: "lose" },
        "term.failed": "standing",
        left: "left",
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
    left: { on: { "term.begun": { actions: "lose" } } },
  },
});

export type SeatState = "standing" | "claiming" | "retreating" | "holding" | "left";
export type SeatAction = "win" | "winVacant" | "lose" | "giveBack";

/** One step: the next state, and what the shell has to do for it, in order. */
export function stepSeat(state: SeatState, event: SeatEvent): { state: SeatState; actions: SeatAction[] } {
  const [next, actions] = transition(seatMachine, seatMachine.resolveState({ value: state, context: {} }), event);
  return { state: next.value as SeatState, actions: actions.map((action) => action.type as SeatAction) };
}
