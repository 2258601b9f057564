import { describe, expect, it } from "vitest";
import {
  backOffChecks,
  type ClaimMemory,
  claimMs,
  judgeLease,
  judgeRenewal,
  judgeTerm,
  type LeaseFacts,
  noMemory,
  patience,
  type TermFacts,
} from "../../../actors/cluster/claim.ts";

/** What is said of the same facts at one check after the other. */
function verdicts<Facts>(
  judge: (memory: ClaimMemory, facts: Facts) => { verdict: string; memory: ClaimMemory },
  facts: Facts,
  { checks, from = noMemory }: { checks: number; from?: ClaimMemory },
): string[] {
  let memory = from;
  return Array.from({ length: checks }, () => {
    const judged = judge(memory, facts);
    memory = judged.memory;
    return judged.verdict;
  });
}

describe("a renewal", () => {
  it("K1 finds that another node holds the lease", () => {
    expect(judgeRenewal(noMemory, { isHeld: false, claimingMs: undefined }).verdict).toBe("lease.denied");
    expect(judgeRenewal(noMemory, { isHeld: false, claimingMs: claimMs + 1 }).verdict).toBe("lease.denied");
  });

  it("K2 ends a claim that takes too long, and claims nothing for some checks", () => {
    const { verdict, memory } = judgeRenewal(noMemory, { isHeld: true, claimingMs: claimMs + 1 });
    expect([verdict, memory]).toEqual(["claim.overdue", { ...noMemory, backOff: backOffChecks }]);
  });

  it("K3 has no other outcome", () => {
    for (const claimingMs of [undefined, 0, claimMs])
      expect(judgeRenewal(noMemory, { isHeld: true, claimingMs })).toEqual({ verdict: undefined, memory: noMemory });
  });
});

const free: LeaseFacts = { isHeldElsewhere: false, isClaimUnderWay: false, isDraining: false, isPreferred: true };

describe("a lease", () => {
  it("K4 that another node holds is not free, and was not", () => {
    const judged = judgeLease({ ...noMemory, freeChecks: patience }, { ...free, isHeldElsewhere: true });
    expect(judged).toEqual({ verdict: "follow", memory: noMemory });
  });

  it("K5 is not claimed while an earlier claim is under way", () => {
    expect(judgeLease(noMemory, { ...free, isClaimUnderWay: true })).toEqual({ verdict: "wait", memory: noMemory });
  });

  it("K6 is not claimed by a node that stops", () => {
    expect(judgeLease(noMemory, { ...free, isDraining: true })).toEqual({ verdict: "wait", memory: noMemory });
  });

  it("K7 is left to others for some checks by a node that could not begin a term", () => {
    const from = { ...noMemory, backOff: 2 };
    expect(verdicts(judgeLease, free, { checks: 3, from })).toEqual(["wait", "wait", "claim"]);
  });

  it("K8 is left for some checks to the node that should have it", () => {
    const said = verdicts(judgeLease, { ...free, isPreferred: false }, { checks: patience + 1 });
    expect(said).toEqual([...Array<string>(patience).fill("wait"), "claim"]);
  });

  it("K9 is claimed at once by the node that should have it", () => {
    expect(judgeLease(noMemory, free).verdict).toBe("claim");
  });
});

const vacant: TermFacts = {
  term: { epoch: 4, isServed: false, node: null },
  ...{ nodeId: "this", isDisowned: false, isGone: false, isDraining: false },
};
const served: TermFacts = { ...vacant, term: { epoch: 4, isServed: true, node: "other" } };
const inTerm = { ...noMemory, epoch: 4 };

describe("a term", () => {
  it("K10 is not followed by one of a node that stops", () => {
    const from = { ...inTerm, vacantChecks: patience };
    expect(judgeTerm(from, { ...vacant, isDraining: true }).verdict).toBe("wait");
    expect(judgeTerm(inTerm, { ...served, isGone: true, isDraining: true }).verdict).toBe("wait");
  });

  it("K11 is left to others for some checks by a node that could not begin one", () => {
    const from = { ...inTerm, backOff: 2 };
    expect(verdicts(judgeTerm, { ...served, isGone: true }, { checks: 3, from })).toEqual(["wait", "wait", "claim"]);
  });

  it.each([
    ["that no node is in", vacant],
    ["that this node is in", { ...served, nodeId: "other" }],
    ["whose node says that it does not write", { ...served, isDisowned: true }],
  ])("K12 %s is vacant, and is claimed after some checks", (_which, facts) => {
    const said = verdicts(judgeTerm, facts, { checks: patience + 1, from: inTerm });
    expect(said).toEqual([...Array<string>(patience).fill("wait"), "claim"]);
  });

  it("K12 that a node has begun since is counted anew, and one that nobody is in is not", () => {
    const from = { ...inTerm, vacantChecks: patience };
    const newer = { epoch: 5, isServed: true, node: "other" };
    expect(judgeTerm(from, { ...served, term: newer, isDisowned: true }).verdict).toBe("wait");
    expect(judgeTerm(from, { ...vacant, term: { ...newer, isServed: false } }).verdict).toBe("claim");
  });

  it("K12 that was not vacant at one check is counted anew", () => {
    const { memory } = judgeTerm({ ...inTerm, vacantChecks: patience }, served);
    expect(memory.vacantChecks).toBe(0);
  });

  it("K13 whose node does not answer is claimed at once", () => {
    expect(judgeTerm(inTerm, { ...served, isGone: true }).verdict).toBe("claim");
  });

  it("K14 whose node lives, or has no name, is claimed by nobody", () => {
    const unnamed = { ...served, term: { epoch: 4, isServed: true, node: null }, isDisowned: true, isGone: true };
    for (const facts of [served, unnamed])
      expect(new Set(verdicts(judgeTerm, facts, { checks: 20, from: inTerm }))).toEqual(new Set(["wait"]));
  });
});
