/**
 * Who may claim a realm. Pure: facts go in, a verdict and what to remember come out. `candidate.ts` collects the facts
 * with every check of the lease. The first rule that fits decides.
 *
 * A writer renews its lease, and so does a node while its claim is under way (`judgeRenewal`):
 *
 * | Rule | When                                            | Verdict       | Remembers                            |
 * | K1   | another node holds the lease                    | lease.denied  |                                      |
 * | K2   | a claim has been under way for over `claimMs`   | claim.overdue | to wait for `backOffChecks`          |
 * | K3   | otherwise                                       |               |                                      |
 *
 * Any other node claims a free lease (`judgeLease`):
 *
 * | Rule | When                                            | Verdict       | Remembers                            |
 * | K4   | another node holds the lease                    | follow        | that it was not free                 |
 * | K5   | an earlier claim of this node is under way      | wait          |                                      |
 * | K6   | this node is stopping                           | wait          |                                      |
 * | K7   | this node could not begin a term lately         | wait          | to wait for one check less           |
 * | K8   | another node should write, and the lease has    | wait          | for how many checks it has been free |
 * |      | been free for less than `patience` checks       |               |                                      |
 * | K9   | otherwise                                       | claim         |                                      |
 *
 * While no lease can be asked for, PostgreSQL names the newest term (`judgeTerm`):
 *
 * | Rule | When                                            | Verdict       | Remembers                            |
 * | K10  | this node is stopping                           | wait          |                                      |
 * | K11  | this node could not begin a term lately         | wait          | to wait for one check less           |
 * | K12  | the term has been vacant for over `patience`    | claim         |                                      |
 * |      | checks                                          |               |                                      |
 * | K13  | the node in the term does not answer            | claim         |                                      |
 * | K14  | otherwise                                       | wait          |                                      |
 *
 * A term is vacant when no node is in it, or this node, or a node that says that it does not write. Such a node lost
 * PostgreSQL and could not say that its term ended. Or the command line took the realm and left. Every check counts for
 * how long the term has been vacant. The count begins anew when it is not vacant, or when a node has begun a newer one.
 * Of several nodes that claim a vacant term one begins the next epoch. A node of an older build is in a term without a
 * name. Nobody can ask such a node, so nobody takes the realm from it.
 */
import type { NewestTerm } from "../../storage/realm-log.ts";

/** For so many checks a free lease is left to the node that should have it. */
export const patience = 2;
/**
 * For so many checks a node that could not begin a term leaves the lease to the others. Perhaps only it cannot reach
 * PostgreSQL.
 */
export const backOffChecks = patience + 2;
/**
 * How long a node may take to begin a term. It is longer than PostgreSQL lets a sleeping writer delay its successor,
 * and longer than a follower takes to read the end of the log.
 */
export const claimMs = 5000;

/** What a candidate remembers from one check to the next. */
export interface ClaimMemory {
  /** For how many checks the lease has been free, and another node should have it. */
  readonly freeChecks: number;
  /** For how many checks more this node claims nothing. */
  readonly backOff: number;
  /** For how many checks the newest term has been vacant. */
  readonly vacantChecks: number;
  /** The epoch of the newest term. */
  readonly epoch: number;
}

export const noMemory: ClaimMemory = { freeChecks: 0, backOff: 0, vacantChecks: 0, epoch: 0 };

export interface Judged<Verdict> {
  verdict: Verdict;
  memory: ClaimMemory;
}

export interface RenewalFacts {
  isHeld: boolean;
  /** For how long this node's claim has been under way. Undefined: it writes. */
  claimingMs: number | undefined;
}

/** @returns the event for the machine, if there is one */
export function judgeRenewal(
  memory: ClaimMemory,
  { isHeld, claimingMs }: RenewalFacts,
): Judged<"lease.denied" | "claim.overdue" | undefined> {
  if (!isHeld) return { verdict: "lease.denied", memory };
  if (claimingMs === undefined || claimingMs <= claimMs) return { verdict: undefined, memory };
  return { verdict: "claim.overdue", memory: { ...memory, backOff: backOffChecks } };
}

export interface LeaseFacts {
  isHeldElsewhere: boolean;
  isClaimUnderWay: boolean;
  isDraining: boolean;
  /** Whether this node should write the realm. */
  isPreferred: boolean;
}

export function judgeLease(memory: ClaimMemory, facts: LeaseFacts): Judged<"follow" | "wait" | "claim"> {
  if (facts.isHeldElsewhere) return { verdict: "follow", memory: { ...memory, freeChecks: 0 } };
  if (facts.isClaimUnderWay || facts.isDraining) return { verdict: "wait", memory };
  if (memory.backOff > 0) return { verdict: "wait", memory: { ...memory, backOff: memory.backOff - 1 } };
  if (facts.isPreferred) return { verdict: "claim", memory };
  const verdict = memory.freeChecks < patience ? "wait" : "claim";
  return { verdict, memory: { ...memory, freeChecks: memory.freeChecks + 1 } };
}

export interface TermFacts {
  term: NewestTerm;
  nodeId: string;
  /** The node in the term says that it does not write the realm. */
  isDisowned: boolean;
  /** The node in the term was asked for long enough, and says nothing. */
  isGone: boolean;
  isDraining: boolean;
}

/** The other node that is in a term. Null: it has no name. Undefined: there is none. */
export const otherNodeIn = ({ isServed, node }: NewestTerm, nodeId: string): string | null | undefined =>
  isServed && node !== nodeId ? node : undefined;

export function judgeTerm(before: ClaimMemory, facts: TermFacts): Judged<"wait" | "claim"> {
  const { epoch, isServed } = facts.term;
  const other = otherNodeIn(facts.term, facts.nodeId);
  const isVacant = other === undefined || (other !== null && facts.isDisowned);
  const isSameTerm = epoch === before.epoch || !isServed;
  const memory = { ...before, epoch, vacantChecks: isVacant && isSameTerm ? before.vacantChecks + 1 : 0 };
  if (facts.isDraining) return { verdict: "wait", memory };
  if (memory.backOff > 0) return { verdict: "wait", memory: { ...memory, backOff: memory.backOff - 1 } };
  const isGone = typeof other === "string" && facts.isGone;
  return { verdict: memory.vacantChecks > patience || isGone ? "claim" : "wait", memory };
}
