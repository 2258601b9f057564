/**
 * A narrow finds, from memory and from PostgreSQL, what a plain look at every message finds. Operators are tried alone,
 * in pairs and in triples, negated or not, around every kind of anchor. Meanwhile people move, leave, mute and close.
 *
 * The usual run is short. `PARLEY_FUZZ_NARROWS` is the number of random narrows for each seed. `PARLEY_FUZZ_SEEDS` is
 * how many new seeds replace the pinned ones, and `PARLEY_FUZZ_FROM` the first of them.
 */

import { randomInt } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyMemory } from "../../actors/history/history.ts";
import { type AnchorRequest, fetchAround, findIds, matchNarrow } from "../../actors/narrow/fetch-messages.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import type { Realm } from "../../actors/realm/realm.ts";
import { encodeParts } from "../../actors/text/json-text.ts";
import {
  type ModelAnchor,
  type ModelAnswer,
  type ModelRequest,
  type ModelTerm,
  NarrowModel,
  Refused,
} from "../support/fuzz/narrow-model.ts";
import { NarrowWorld, randomSteps } from "../support/fuzz/narrow-world.ts";
import { forgetful } from "../support/server/register-memory.ts";
import { testServer } from "../support/server/server.ts";

const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const randomNarrows = number("PARLEY_FUZZ_NARROWS", 1200);
const newSeeds = number("PARLEY_FUZZ_SEEDS", 0);
const firstSeed = number("PARLEY_FUZZ_FROM", newSeeds > 0 ? randomInt(2 ** 31 - newSeeds) : 0);
/** Seeds that once failed stay. */
const pinned = [20_261_123];
const seeds =
  newSeeds > 0 || firstSeed > 0
    ? Array.from({ length: Math.max(1, newSeeds) }, (_, index) => firstSeed + index)
    : pinned;

const firstSteps = 220;
const stepsPerRound = 25;
const narrowsPerRound = 200;
const mostFailures = 10;

const server = testServer({ nodeCount: 1 });
const people = server.people("Ada", ["Bob", 600], "Cid");
const world = new NarrowWorld(server, people);

describe("a narrow finds what a plain look at every message finds", () => {
  it.each(seeds)(
    "seed %i",
    async (seed) => {
      if (world.channels.length === 0) await world.begin();
      for (const step of randomSteps(seed, firstSteps)) await world.take(step);
      const failures: string[] = [];
      let compared = await compareAll(eachTerm, failures);
      const rounds = Math.ceil(randomNarrows / narrowsPerRound);
      for (let round = 0; round < rounds && failures.length === 0; round++) {
        for (const step of randomSteps(seed + round + 1, stepsPerRound)) await world.take(step);
        compared += await compareAll((model) => randomCases(model, seed + round), failures);
      }
      expect(failures).toEqual([]);
      expect(compared).toBeGreaterThan(randomNarrows);
    },
    3_600_000,
  );
});

interface Case {
  reader: number;
  terms: ModelTerm[];
  request: ModelRequest;
}

/** @returns how many were compared */
async function compareAll(casesOf: (model: NarrowModel) => Case[], failures: string[]): Promise<number> {
  const model = await NarrowModel.read(server.database);
  const realm = await server.realm();
  await memoryOf(realm, historyMemory).filled();
  let compared = 0;
  for (const [place, one] of casesOf(model).entries()) {
    if (failures.length >= mostFailures) break;
    const user = realm.state.users.get(one.reader)!;
    const expected = attempt(() => model.answer(one.reader, one.terms, one.request));
    const request: AnchorRequest = {
      anchor: typeof one.request.anchor === "object" ? { sentSince: one.request.anchor.since } : one.request.anchor,
      includeAnchor: one.request.includeAnchor,
      numBefore: one.request.before,
      numAfter: one.request.after,
    };
    const ways: [string, () => Promise<unknown>][] = [
      ["PostgreSQL", () => (place % 2 === 0 ? fetched : found)(forgetful(realm), user, one.terms, request)],
    ];
    // Others are never in memory.
    if (one.terms.every(({ operator, negated }) => !negated && ["channel", "topic"].includes(operator)))
      ways.push(["memory", () => fetched(realm, user, one.terms, request)]);
    for (const [way, ask] of ways) {
      const actual = await ask().catch(refusal);
      compared++;
      if (same(actual, expected)) continue;
      failures.push(`${way}: ${JSON.stringify({ ...one, user: user.role })}: ${JSON.stringify({ actual, expected })}`);
    }
    if (place % 5 > 0) continue;
    const all = attempt(() => model.find(one.reader, one.terms));
    const ids = model.messages.map(({ id }) => id);
    const actual = await matchNarrow(realm, user, one.terms, ids).then(
      (matches) => Object.keys(matches).map(Number),
      refusal,
    );
    compared++;
    if (!same(actual, all))
      failures.push(`matches: ${JSON.stringify(one)}: ${JSON.stringify({ actual, expected: all })}`);
  }
  return compared;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function attempt<T>(work: () => T): T | "refused" {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return "refused";
    throw error;
  }
}

/** @throws what is no refusal of a narrow */
function refusal(error: unknown): "refused" | string {
  const { code } = error as { code?: string };
  return code === "BAD_NARROW" ? "refused" : String(error);
}

const view = { applyMarkdown: false, clientGravatar: true, allowEmptyTopicName: true };

type User = Parameters<typeof findIds>[1];

async function fetched(realm: Realm, user: User, terms: ModelTerm[], request: AnchorRequest): Promise<ModelAnswer> {
  const { messages, anchor, ...rest } = await fetchAround(realm, user, terms, request, view);
  const bytes = Buffer.concat(encodeParts([{ messages }]).map((part) => part.bytes));
  const { messages: list } = JSON.parse(bytes.toString()) as { messages: { id: number }[] };
  const { found_anchor, found_oldest, found_newest } = rest;
  return { ids: list.map(({ id }) => id), anchor, found_anchor, found_oldest, found_newest };
}

async function found(realm: Realm, user: User, terms: ModelTerm[], request: AnchorRequest): Promise<ModelAnswer> {
  const { ids, found } = await findIds(realm, user, terms, request);
  const { anchor, found_anchor, found_oldest, found_newest } = found;
  return { ids, anchor, found_anchor, found_oldest, found_newest };
}

/** Every operator with operands that find some, and some that find none. */
function operators(): Omit<ModelTerm, "negated">[] {
  const [ada, bob, cid] = people.map(({ id }) => id) as [number, number, number];
  const { sent, channels } = world;
  const some = [sent[0]!, sent[Math.floor(sent.length / 2)]!, sent.at(-2)!, sent.at(-1)!];
  const all: [string, (string | number | number[])[]][] = [
    ["channel", [...channels]],
    ["channels", ["public", "web-public"]],
    ["topic", ["tea", "✔ TEA", "οδόσ", "general chat", "none"]],
    ["dm", [[ada], [bob], [ada, bob], [ada, bob, cid]]],
    ["dm-including", [[ada], [bob, cid]]],
    ["group-pm-with", [[ada]]],
    ["sender", [ada, bob, server.owner.id]],
    ["mentions", [ada, bob, server.owner.id]],
    ["is", ["dm", "starred", "mentioned", "alerted", "unread", "resolved", "followed", "muted"]],
    ["has", ["link", "image", "attachment", "reaction"]],
    ["in", ["home", "all"]],
    ["search", ["zebra", "quartz zebra", "nowhere"]],
    ["id", some.slice(0, 2)],
    ["near", some.slice(1, 2)],
    ["with", some],
  ];
  return all.flatMap(([operator, operands]) => operands.map((operand) => ({ operator, operand })));
}

const signed = (): ModelTerm[] => operators().flatMap((term) => [true, false].map((negated) => ({ ...term, negated })));

/** Every kind of anchor: words, ids that are there or not, and times. */
function anchors({ messages }: NarrowModel): ModelAnchor[] {
  const middle = messages[Math.floor(messages.length / 2)]!;
  const late = messages[Math.floor(messages.length * 0.8)]!;
  const gone = world.sent.find((id) => !messages.some((message) => message.id === id));
  return [
    ...(["newest", "oldest", "first_unread"] as const),
    ...[0, middle.id, late.id, gone ?? middle.id + 1, 2 ** 40],
    ...[{ since: 0 }, { since: late.sent_at }, { since: 4_000_000_000 }],
  ];
}

/** One side, the other, both; a few, and more than one statement reads. */
const sides = [
  { before: 3, after: 0 },
  { before: 0, after: 3 },
  { before: 2, after: 3 },
  { before: 60, after: 60 },
  { before: 0, after: 0 },
];

/** No term, and each alone, around each kind of anchor. */
function eachTerm(model: NarrowModel): Case[] {
  const narrows = [[], ...signed().map((term) => [term])];
  return narrows.flatMap((terms, place) =>
    anchors(model).map((anchor, turn) => ({
      reader: people[(place + turn) % people.length]!.id,
      terms,
      request: { anchor, includeAnchor: true, ...sides[(place + turn) % sides.length]! },
    })),
  );
}

function randomCases(model: NarrowModel, seed: number): Case[] {
  const term = fc.constantFrom(...signed());
  const some = (count: number) => fc.array(term, { minLength: count, maxLength: count });
  const request = fc
    .record({
      anchor: fc.constantFrom(...anchors(model)),
      includeAnchor: fc.boolean(),
      side: fc.constantFrom(...sides),
    })
    .map(({ anchor, includeAnchor, side }) => ({
      anchor,
      // An anchor between two sides cannot be left out.
      includeAnchor: includeAnchor || (side.before > 0 && side.after > 0),
      ...side,
    }));
  const one = fc.record({
    reader: fc.constantFrom(...people.map(({ id }) => id)),
    terms: fc.oneof(
      { weight: 1, arbitrary: some(0) },
      { weight: 3, arbitrary: some(1) },
      { weight: 6, arbitrary: some(2) },
      { weight: 4, arbitrary: some(3) },
    ),
    request,
  });
  return fc.sample(one, { seed, numRuns: narrowsPerRound });
}
