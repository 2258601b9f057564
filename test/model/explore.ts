/** Explores the model: every interleaving up to a depth, or one after the other by seed. */
import { mulberry32 } from "../support/faults/fault-schedule.ts";
import { turnRedis } from "./faults.ts";
import { type Move, movesOf } from "./moves.ts";
import { copyOf, hashOf } from "./plain.ts";
import { hostOf, newest, promote } from "./postgres.ts";
import { Broken, checkPromises } from "./promises.ts";
import type { Rules } from "./rules.ts";
import { firstState, noBudget, type State, type World } from "./state.ts";

export interface Explored {
  states: number;
  /** So many moves were taken in every order. */
  depth: number;
  /** The shortest way to a broken promise, and which it is. */
  broken: { promise: string; moves: string[] } | undefined;
}

/** @returns the promise that the move breaks, if there is one */
function take(s: State, move: Move): string | undefined {
  try {
    move.run(s);
    checkPromises(s);
    return undefined;
  } catch (error) {
    if (error instanceof Broken) return error.message;
    throw error;
  }
}

/** The moves that everything begins with: the nodes connect, load, and the first of them writes. */
export function begun(world: World, rules: Rules): State {
  const s = firstState(world);
  const { left, requests } = s;
  Object.assign(s, { left: noBudget, requests: [] });
  const isBegun = () => s.nodes[0]!.term !== null && s.nodes.every(({ writer }) => writer === s.nodes[0]!.name);
  const promise = settleDown(s, rules, isBegun);
  if (promise) throw new Error(promise);
  return { ...s, left, requests };
}

/**
 * Every interleaving, up to `maxStates` states, the shortest first.
 * @param healEvery from one of so many states it is tried that all comes right again
 */
export function explore(world: World, rules: Rules, limits: { maxStates: number; healEvery: number }): Explored {
  const first = begun(world, rules);
  const seen = new Set<number>([hashOf(first)]);
  /** How each state was first reached. */
  const parents: number[] = [-1];
  const taken: number[] = [-1];
  let level: [number, State][] = [[0, first]];
  let depth = 0;
  const wayTo = (index: number): number[] => (index <= 0 ? [] : [...wayTo(parents[index]!), taken[index]!]);
  const broken = (promise: string, index: number, move?: number) => ({
    ...{ states: parents.length, depth },
    broken: { promise, moves: retold(copyOf(first), [...wayTo(index), ...(move === undefined ? [] : [move])], rules) },
  });
  while (level.length > 0) {
    const next: [number, State][] = [];
    for (const [index, before] of level) {
      for (const [number, move] of movesOf(before, rules).entries()) {
        const s = copyOf(before);
        const promise = take(s, move);
        if (promise) return broken(promise, index, number);
        const hash = hashOf(s);
        if (seen.has(hash)) continue;
        seen.add(hash);
        parents.push(index);
        taken.push(number);
        next.push([parents.length - 1, s]);
        if (parents.length % limits.healEvery > 0) continue;
        const unhealed = heal(copyOf(s), rules);
        if (unhealed) return broken(unhealed, parents.length - 1);
      }
      if (parents.length >= limits.maxStates) return { states: parents.length, depth, broken: undefined };
    }
    level = next;
    depth++;
  }
  return { states: parents.length, depth, broken: undefined };
}

/** The names of moves, for people. */
function retold(s: State, numbers: readonly number[], rules: Rules): string[] {
  return numbers.map((number) => {
    const move = movesOf(s, rules)[number]!;
    take(s, move);
    return move.name;
  });
}

/** Random moves, the same for the same seed. */
export function walk(world: World, rules: Rules, seed: number, length: number): Explored {
  const random = mulberry32(seed);
  const s = begun(world, rules);
  const told: string[] = [];
  const end = (promise: string) => ({ states: told.length, depth: told.length, broken: { promise, moves: told } });
  for (let depth = 0; depth < length; depth++) {
    const moves = movesOf(s, rules);
    if (moves.length === 0) break;
    const move = moves[Math.floor(random() * moves.length)]!;
    told.push(move.name);
    const promise = take(s, move);
    if (promise) return end(promise);
  }
  const unhealed = heal(s, rules);
  return unhealed ? end(unhealed) : { states: told.length, depth: told.length, broken: undefined };
}

/** Nothing goes wrong any more: whoever waits is answered, and another request is done. */
function heal(s: State, rules: Rules): string | undefined {
  s.left = noBudget;
  if (s.isRedisAway) turnRedis(s);
  if (!newest(s).isUp) {
    const standby = s.hosts.findIndex(({ isPrimary, isUp }) => !isPrimary && isUp);
    if (standby >= 0) promote(s, standby);
    else newest(s).isUp = true;
  }
  const well = () => s.nodes.filter(({ isUp, isCut }) => isUp && !isCut);
  if (well().length === 0) return undefined;
  let probes = 0;
  const probe = () => s.requests.push({ at: well().at(-1)!.name, kind: "send", phase: "new", position: 0, id: 0 });
  // One that fails because of what went wrong before is repeated.
  const isProbed = () => {
    const phase = probes === 0 ? "unknown" : s.requests.at(-1)!.phase;
    if (phase === "unknown" && probes++ < maxProbes) probe();
    return phase === "done";
  };
  const isAnswered = (name: string, phase: string) =>
    phase === "done" || phase === "unknown" || !well().some((node) => node.name === name);
  const isWell = () => isProbed() && s.requests.every(({ at, phase }) => isAnswered(at, phase));
  const promise = settleDown(s, rules, isWell);
  if (promise) return promise;
  return well().some((node) => hostOf(s, node) !== newest(s) && node.host !== -1)
    ? "a node has another PostgreSQL"
    : undefined;
}

const maxProbes = 3;
const maxMoves = 600;

/** Takes the move that was taken longest ago, until all is as it should be. @returns what is not */
function settleDown(s: State, rules: Rules, isDone: (s: State) => boolean): string | undefined {
  const takenAt = new Map<string, number>();
  for (let count = 0; count < maxMoves; count++) {
    if (isDone(s)) return undefined;
    const moves = movesOf(s, rules, true);
    if (moves.length === 0) return `nothing happens any more, and somebody waits: ${waiting(s)}`;
    const move = moves.reduce((best, one) =>
      (takenAt.get(one.name) ?? -1) < (takenAt.get(best.name) ?? -1) ? one : best,
    );
    takenAt.set(move.name, count);
    const promise = take(s, move);
    if (promise) return promise;
  }
  return `somebody waits for ever: ${waiting(s)}`;
}

const waiting = (s: State): string =>
  s.requests
    .flatMap(({ at, phase }, index) => (phase === "done" || phase === "unknown" ? [] : [`${index} at ${at}, ${phase}`]))
    .join("; ");
