/** Bugs that the product had. Each is put back in place of the rule that mends it, and the model finds it. */
import { expect, it } from "vitest";
import { explore } from "./explore.ts";
import { product, type Rules } from "./rules.ts";
import type { World } from "./state.ts";

interface KnownBug {
  world: World;
  rules: Partial<Rules>;
  /** From one of so many states it is tried that all comes right again. */
  healEvery?: number;
  breaks: RegExp;
}

const bugs: Readonly<Record<string, KnownBug>> = {
  "a commit that is known by its transaction's id alone, which a crash gives to another": {
    world: {
      nodes: 1,
      requests: [
        [0, "note"],
        [0, "note"],
      ],
      faults: { crash: 1, start: 1 },
    },
    rules: { fateOf: (traces) => ("isLogged" in traces ? traces.isLogged : traces.status === "committed") },
    breaks: /request 0 was acknowledged and is lost/,
  },
  "housekeeping that compares the clock with itself of before it was set back": {
    world: { nodes: 1, requests: [], faults: { clock: 2, keep: 1 } },
    rules: { readClock: (now, begun) => ({ now: begun.clock(), since: now.steadySince() }) },
    breaks: /a queue that is polled was collected/,
  },
  "a claim that hangs, whose node renews the lease for ever": {
    world: { nodes: 2, requests: [], faults: { hang: 1, handover: 1 } },
    rules: {
      judgeRenewal: (memory, { isHeld, claimingMs }) =>
        product.judgeRenewal(memory, { isHeld, claimingMs: claimingMs && 0 }),
    },
    healEvery: 1,
    breaks: /somebody waits for ever/,
  },
  "an old primary that is used when it comes back": {
    world: {
      ...{ nodes: 1, standby: "synchronous", requests: [[0, "send"]] },
      faults: { crash: 1, promote: 1, comeBack: 1, reset: 1 },
    },
    rules: {
      judge: (known, met) => (met.isStandby || product.judge(known, met) !== "adopt" ? "use" : "adopt"),
    },
    breaks: /was acknowledged and is lost|was told twice/,
  },
  "a process that was not there when a standby was promoted, and goes on where its row ends": {
    world: {
      ...{ nodes: 1, standby: "behind", requests: [[0, "send"]] },
      faults: { crash: 1, promote: 1, die: 1, start: 1 },
    },
    rules: {
      nextTerm: (before, by) => product.nextTerm(before, { ...by, answering: undefined }),
      blocksLost: (_before, _now, lack) => (lack === undefined ? 0 : 1),
    },
    healEvery: 1,
    breaks: /(position|message id) \d+ was told twice/,
  },
  "a replica that is kept without a look at what PostgreSQL has of it": {
    world: {
      nodes: 1,
      standby: "behind",
      requests: [[0, "send"]],
      faults: { crash: 1, promote: 1, reset: 1, read: 1 },
    },
    rules: { keeps: ({ stored }) => stored > 0 },
    breaks: /shows request 0, which is lost/,
  },
  "a replica that takes what a primary published that was replaced": {
    world: {
      ...{ nodes: 2, standby: "behind", requests: [[0, "send"]] },
      faults: { crash: 1, promote: 1, reset: 1, late: 1, read: 1 },
    },
    rules: { judgeBatch: () => "take" },
    breaks: /shows request 0, which is lost/,
  },
  "a command that is run as often as it is asked for": {
    world: { nodes: 2, requests: [[1, "send"]], faults: { lapse: 1 } },
    rules: { takes: () => "new" },
    breaks: /request 0 was done twice/,
  },
};

it.each(Object.entries(bugs))("finds %s", (_, { world, rules, healEvery = 100, breaks }) => {
  const limits = { maxStates: 20_000, healEvery };
  const { states, broken } = explore(world, { ...product, ...rules }, limits);
  console.log(`found after ${states} states: ${broken?.promise}, by ${broken?.moves.join(", ")}`);
  expect(broken?.promise).toMatch(breaks);
  // The same world keeps its promises by the rules as they are.
  expect(explore(world, product, { maxStates: states, healEvery }).broken).toBeUndefined();
});
