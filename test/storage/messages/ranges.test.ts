import fc from "fast-check";
import { expect, it } from "vitest";
import { addRange, includesId } from "../../../storage/messages/ranges.ts";

const range = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 6 }));

it("a set to which ranges are added has their ids, in ranges that neither meet nor touch", () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 20 }), (added) => {
      const ranges: number[] = [];
      const ids = new Set<number>();
      for (const [first, count] of added) {
        addRange(ranges, first, first + count);
        for (let id = first; id < first + count; id++) ids.add(id);
      }
      for (let id = 0; id < 50; id++) expect(includesId(ranges, id)).toBe(ids.has(id));
      for (let place = 1; place < ranges.length; place++) expect(ranges[place]).toBeGreaterThan(ranges[place - 1]!);
    }),
  );
});
