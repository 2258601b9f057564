/** Messages of an export by their ids, times and conversations, and the ranges that what people read becomes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageIds } from "../../../actors/transfer/zulip/ids.ts";
import { MessageColumns, MessageOrder } from "../../../actors/transfer/zulip/message-order.ts";
import { Ranges } from "../../../actors/transfer/zulip/read-state.ts";

const messages = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 1e9 }),
    sentAt: fc.integer({ min: 0, max: 50 }).map((time) => time / 4),
    sender: fc.integer({ min: 1, max: 9 }),
    place: fc.integer({ min: 0, max: 3 }),
  }),
  { selector: ({ id }) => id, maxLength: 2000, size: "max" },
);

test("every message has the rank of its time, and its number in its conversation", () => {
  fc.assert(
    fc.property(messages, (all) => {
      const columns = new MessageColumns();
      for (const { id, sentAt, sender, place } of all) columns.add(id, sentAt, sender, place);
      const order = new MessageOrder(columns, 4);
      const byTime = [...all].sort((a, b) => a.sentAt - b.sentAt || a.id - b.id);
      const numbers = [0, 0, 0, 0];
      const found = byTime.map(({ id, place }) => {
        const at = order.find(id);
        return [
          order.rank(at),
          order.sender(at),
          order.place(at),
          order.number(at),
          order.rankIn(place, order.number(at)),
        ];
      });
      expect(found).toEqual(byTime.map(({ sender, place }, rank) => [rank, sender, place, numbers[place]!++, rank]));
      expect([0, 1, 2, 3].map((place) => order.countOf(place))).toEqual(numbers);
      expect([order.find(0), order.find(2e9)]).toEqual([-1, -1]);
    }),
    { numRuns: 15 },
  );
});

test("new ids ascend with the time, across blocks", () => {
  const columns = new MessageColumns();
  for (let at = 0; at < 2500; at++) columns.add(10_000 - 3 * at, at, 1, 0);
  const ids = new MessageIds(new MessageOrder(columns, 1), [1000, 5000, 9000]);
  expect([ids.get(10_000), ids.get(10_000 - 3 * 999), ids.get(10_000 - 3 * 1000)]).toEqual([1000, 1999, 5000]);
  expect([ids.last, ids.get(1)]).toEqual([9499, undefined]);
  expect(new MessageIds(new MessageOrder(new MessageColumns(), 0), []).last).toBe(0);
});

test("numbers in any order become the fewest ranges, and never many on the way", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 2000, size: "max" }), (numbers) => {
      const ranges = new Ranges();
      for (const number of numbers) ranges.add(number);
      const expected: number[] = [];
      for (const number of [...new Set(numbers)].sort((a, b) => a - b))
        if (expected.at(-1) === number) expected[expected.length - 1] = number + 1;
        else expected.push(number, number + 1);
      expect(ranges.bounds()).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});
