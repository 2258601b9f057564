import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimerWheel } from "../../actors/timer-wheel.ts";

describe("timer wheel", () => {
  it("hands each item out once, at the first sweep at or after its time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 12, maxLength: 12 }),
        (times, steps) => {
          const wheel = new TimerWheel<number>(0);
          times.forEach((at, item) => {
            wheel.schedule(item, at);
          });
          const cameUp = new Map<number, number>();
          let now = 0;
          for (const step of [...steps, 100]) {
            const before = now;
            now += step;
            wheel.sweep(now, 1000, (item) => {
              expect(cameUp.has(item)).toBe(false);
              cameUp.set(item, now);
              expect(Math.max(times[item]!, 1)).toBeLessThanOrEqual(now);
              expect(Math.max(times[item]!, 1)).toBeGreaterThan(before);
            });
          }
          expect(cameUp.size).toBe(times.length);
        },
      ),
    );
  });

  it("stops at the limit and goes on where it stopped", () => {
    const wheel = new TimerWheel<number>(0);
    for (let item = 0; item < 10; item++) wheel.schedule(item, 3);
    const seen: number[] = [];
    expect(wheel.sweep(5, 4, (item) => seen.push(item))).toBe(false);
    expect(seen).toHaveLength(4);
    expect(wheel.sweep(5, 100, (item) => seen.push(item))).toBe(true);
    expect(new Set(seen).size).toBe(10);
  });

  it("takes an item that asks for a later time from inside its visit", () => {
    const wheel = new TimerWheel<string>(0);
    wheel.schedule("a", 1);
    wheel.sweep(1, 10, (item) => wheel.schedule(item, 2));
    const seen: string[] = [];
    wheel.sweep(2, 10, (item) => seen.push(item));
    expect(seen).toEqual(["a"]);
  });
});
