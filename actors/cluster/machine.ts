/**
 * A node as a candidate for one realm's writer. Pure: it decides, `candidate.ts` acts. It is stepped by checks of
 * the lease, a few times a second, and by messages of other nodes.
 *
 * | Rule | In        | Event         | When                                      | Does                  | Then      |
 * | C1   | following | lease.granted |                                           | beginTerm             | claiming  |
 * | C2   | claiming  | term.begun    |                                           |                       | writing   |
 * | C3   | claiming  | term.failed   | PostgreSQL did not let it begin           | releaseLease          | following |
 * | C4   | writing   | lease.denied  | another node holds it                     | endTerm               | following |
 * | C5   | writing   | fenced        | another node has begun a term             | releaseLease          | following |
 * | C6   | writing   | handover      | another should write, or this one stops   | endTerm, releaseLease | following |
 * | C7   | following | left          | the realm is let go here                  |                       | left      |
 * |      | claiming  | left          |                                           | releaseLease          | left      |
 * |      | yielding  | left          |                                           |                       | left      |
 * |      | writing   | left          |                                           | endTerm, releaseLease | left      |
 * | C8   | claiming  | lease.denied  | another node holds it by now              |                       | yielding  |
 * | C9   | claiming  | claim.overdue | PostgreSQL has not answered for `claimMs` | releaseLease          | yielding  |
 * | C10  | claiming  | handover      | another should write, or this one stops   | releaseLease          | yielding  |
 * | C11  | claiming  | fenced        | another node has begun a term             | releaseLease          | yielding  |
 * | C12  | yielding  | term.begun    | PostgreSQL let it begin after all         | endTerm               | following |
 * | C13  | yielding  | term.failed   |                                           |                       | following |
 * | C14  | left      | term.begun    | PostgreSQL let it begin after all         | endTerm               | left      |
 * | C15  | following | term.vacant   | Redis is away, and nobody seems to write  | beginVacantTerm       | claiming  |
 *
 * A claim cannot be called off. A node that gives it up waits for its outcome, asks for no lease until then, and ends
 * the term that may come of it. The lease is renewed while a claim is under way, and is free for others as soon as the
 * claim is given up. A lease that cannot be asked for, because Redis is gone, changes nothing: a writer goes on, since
 * PostgreSQL tells it when it must not.
 */
import { setup } from "xstate";
import { stepper, typeOf } from "../lifecycle.ts";

export type CandidateEvent =
  | { type: "lease.granted" }
  | { type: "lease.denied" }
  | { type: "term.vacant" }
  | { type: "term.begun" }
  | { type: "term.failed" }
  | { type: "claim.overdue" }
  | { type: "fenced" }
  | { type: "handover" }
  | { type: "left" };

// Effects: a name and no body. The shell supplies them.
const actions = { beginTerm: () => {}, beginVacantTerm: () => {}, endTerm: () => {}, releaseLease: () => {} };
export type CandidateAction = keyof typeof actions;

export const candidateMachine = setup({
  types: { events: typeOf<CandidateEvent>() },
  actions,
}).createMachine({
  id: "candidate",
  initial: "following",
  states: {
    following: {
      on: {
        "lease.granted": { target: "claiming", actions: "beginTerm" },
        "term.vacant": { target: "claiming", actions: "beginVacantTerm" },
        left: "left",
      },
    },
    claiming: {
      on: {
        "term.begun": "writing",
        "term.failed": { target: "following", actions: "releaseLease" },
        "lease.denied": "yielding",
        "claim.overdue": { target: "yielding", actions: "releaseLease" },
        handover: { target: "yielding", actions: "releaseLease" },
        fenced: { target: "yielding", actions: "releaseLease" },
        left: { target: "left", actions: "releaseLease" },
      },
    },
    yielding: {
      on: {
        "term.begun": { target: "following", actions: "endTerm" },
        "term.failed": "following",
        left: "left",
      },
    },
    writing: {
      on: {
        "lease.denied": { target: "following", actions: "endTerm" },
        fenced: { target: "following", actions: "releaseLease" },
        handover: { target: "following", actions: ["endTerm", "releaseLease"] },
        left: { target: "left", actions: ["endTerm", "releaseLease"] },
      },
    },
    left: { on: { "term.begun": { actions: "endTerm" } } },
  },
});

export const stepCandidate = stepper<typeof candidateMachine, CandidateAction>(candidateMachine);
export type CandidateState = ReturnType<typeof stepCandidate>["state"];
