/**
 * The protocol of nodes, PostgreSQL and bus, explored: every interleaving in small worlds, and random ones in large
 * worlds. What decides is the product's own (`rules.ts`); the model brings the faults, the time and the order.
 *
 * PARLEY_MODEL_STATES: how many states of each small world (24,000). PARLEY_MODEL_WALKS: how many random walks in each
 * large one (150). PARLEY_MODEL_SEED: the seed of the first walk (1).
 */
import { describe, expect, it } from "vitest";
import { explore, walk } from "./explore.ts";
import { product } from "./rules.ts";
import { largeWorlds, worlds } from "./worlds.ts";

const maxStates = Number(process.env["PARLEY_MODEL_STATES"] ?? 24_000);
const walks = Number(process.env["PARLEY_MODEL_WALKS"] ?? 150);
const firstSeed = Number(process.env["PARLEY_MODEL_SEED"] ?? 1);
/** It takes some hundred moves to see whether all comes right again. */
const healEvery = 100;
const walkMoves = [20, 60];

describe("every interleaving of", () => {
  it.each(Object.entries(worlds))("%s", (name, world) => {
    const { states, depth, broken } = explore(world, product, { maxStates, healEvery });
    console.log(`${name}: ${states} states, all of ${depth} moves`);
    expect(broken).toBeUndefined();
    expect(states).toBeGreaterThan(100);
  });
});

describe("random moves of", () => {
  it.each(Object.entries(largeWorlds))(`%s, from seed ${firstSeed}`, (name, world) => {
    let moves = 0;
    for (let seed = firstSeed; seed < firstSeed + walks; seed++) {
      for (const length of walkMoves) {
        const { states, broken } = walk(world, product, seed, length);
        moves += states;
        expect(broken && { seed, length, ...broken }).toBeUndefined();
      }
    }
    console.log(`${name}: ${walks} seeds, ${moves} moves`);
    expect(moves).toBeGreaterThan(walks);
  });
});
