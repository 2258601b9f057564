/** How many blocks of positions and ids are passed over: each row of the table in `promotions.ts`. */
import { expect, it } from "vitest";
import { lostBlock, nextTerm, positionBlock } from "../../../storage/log/next-term.ts";
import { type AnsweringNow, blocksLost, type Lack, type WrittenUnder } from "../../../storage/log/promotions.ts";

const at = (timeline: number | null, system: string | null = "s"): WrittenUnder => ({ system, timeline });
const now = (timeline: number | undefined, system: string | undefined = "s"): AnsweringNow => ({ system, timeline });

const cases: [rule: string, before: WrittenUnder, now: AnsweringNow | undefined, lack: Lack | undefined, n: number][] =
  [
    ["PR1", at(4), now(4), undefined, 0],
    ["PR1, also where the promotion was seen", at(4), now(4), "promoted", 0],
    ["PR1, unless it lacks what was seen", at(4), now(4), "lost", 1],
    ["PR2", at(4), now(5), undefined, 1],
    ["PR2", at(4), now(7), "promoted", 3],
    ["PR2", at(4), now(7), "lost", 3],
    ["PR2, of a system that was not told", at(4, null), now(6), undefined, 2],
    ["PR2, by a system that does not tell", at(4), { system: undefined, timeline: 6 }, undefined, 2],
    ["PR3, a later timeline", at(4), now(2), undefined, 1],
    ["PR3, another system", at(4, "other"), now(4), undefined, 1],
    ["PR3, another system that was promoted often", at(4, "other"), now(40), undefined, 1],
    ["PR4", at(null, null), now(1), undefined, 0],
    ["PR4", at(null, null), now(1), "promoted", 1],
    ["PR4", at(null, null), now(3), undefined, 2],
    ["PR5", at(4), { system: "s", timeline: undefined }, undefined, 0],
    ["PR5", at(4), undefined, "promoted", 1],
    ["PR5", at(4), undefined, "lost", 1],
  ];
it.each(cases)("%s: of %j by %j with %s: %i", (_, before, answering, lack, blocks) => {
  expect(blocksLost(before, answering, lack)).toBe(blocks);
});

it("a term goes on above what was told and reserved, by a block for each promotion", () => {
  const row = { epoch: 3, reserved: 100, isServed: false, node: null, ...at(4) };
  const begin = (by: { told?: number; lack?: Lack; answering: AnsweringNow }) =>
    nextTerm(row, { servesReads: true, ...by }).begun;
  expect(begin({ answering: now(4) })).toMatchObject({ position: 100, reserved: 100 + positionBlock });
  expect(begin({ answering: now(6) })).toMatchObject({ position: 100 + 2 * lostBlock, isLossKnown: false });
  // Redis, or a node's memory, knows of more than the row.
  expect(begin({ told: 900, answering: now(4) })).toMatchObject({ position: 900 + lostBlock, isLossKnown: true });
  expect(begin({ told: 900, answering: now(5) })).toMatchObject({ position: 900 + lostBlock, isLossKnown: false });
  expect(nextTerm(row, { servesReads: true, answering: now(6) }).row).toMatchObject(at(6));
  expect(nextTerm(row, { servesReads: true }).row).toMatchObject(at(4));
});
