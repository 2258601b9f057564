/**
 * Reads at a writer that has not heard of its successor, and whose last commit is answered late. They lie deeper than
 * every interleaving is tried, so the moves are given here.
 */
import { expect, it } from "vitest";
import { begun } from "./explore.ts";
import { movesOf } from "./moves.ts";
import { Broken } from "./promises.ts";
import { product, type Rules } from "./rules.ts";
import type { World } from "./state.ts";

const world: World = {
  nodes: 2,
  requests: [
    [0, "send"],
    [1, "send"],
  ],
  faults: { read: 1, lapse: 1 },
};
/** The old writer's commit is stored, and not answered, while the new one begins. */
const succeeded = [
  "A1 tries request 0",
  "A1 decides",
  "PostgreSQL carries out asked of A1",
  "the lease runs out early",
  "B1 checks",
  "PostgreSQL begins a term of B1",
  "time passes",
  "time passes",
  "B1 takes its claim",
];
const written = ["B1 tries request 1", "B1 decides", "PostgreSQL carries out asked of B1", "B1 takes its commit"];
const told = [...written, "B1 answers request 1"];

/** Takes the moves one after the other. Returns the promise that is broken by the last of them. */
function play(moves: readonly string[], rules: Partial<Rules> = {}): string | undefined {
  const all = { ...product, ...rules };
  const s = begun(world, all);
  for (const [index, name] of moves.entries()) {
    const open = movesOf(s, all);
    const move = open.find((one) => one.name === name);
    if (!move) throw new Error(`no "${name}" among: ${open.map((one) => one.name).join(", ")}`);
    try {
      move.run(s);
    } catch (error) {
      if (error instanceof Broken && index === moves.length - 1) return error.message;
      throw error;
    }
  }
  return undefined;
}

it("its late commit gives it no lease", () => {
  const moves = [...succeeded, ...told, "A1 takes its commit", "A1 is asked to read"];
  expect(play(moves)).toBeUndefined();
  expect(play(moves, { holdsLease: () => true })).toMatch(/a read at A1 lacks request 1/);
});

it("a read that begins without a lease does not end with that commit", () => {
  const moves = [...succeeded, ...told, "A1 is asked to read", "A1 takes its commit"];
  expect(play(moves)).toBeUndefined();
  const endsWithAny: Rules["judgeRead"] = (isLeased, hasSlowCommit) =>
    hasSlowCommit ? "commit" : product.judgeRead(isLeased, hasSlowCommit);
  expect(play(moves, { judgeRead: endsWithAny })).toMatch(/a read at A1 lacks request 1/);
});
