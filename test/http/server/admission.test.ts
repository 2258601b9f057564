import { describe, expect, it } from "vitest";
import { Admission, type Place } from "../../../http/server/admission.ts";

const limits = { answers: 3, bytes: 1000, waiting: 100, patienceMs: 60_000 };

describe("admission of large answers", () => {
  it("is for two at a time until the first is out, as they make what the others share", async () => {
    const { line, admitted, places, come } = crowd(limits);
    const [a, b] = ["a", "b", "c", "d", "e", "f"].map(come);
    await settled();
    expect(admitted).toEqual(["a", "b"]);
    // Refused, or gone: nothing was made.
    a!.end();
    await settled();
    expect([admitted, line.underWay]).toEqual([["a", "b", "c"], 2]);
    places.get("b")!.composed(10);
    b!.end();
    await settled();
    expect([admitted, line.underWay]).toEqual([["a", "b", "c", "d", "e"], 3]);
  });

  it("is for all that have room once a first answer is long in coming", async () => {
    const { admitted, come } = crowd({ ...limits, answers: 4, patienceMs: 1 });
    const visitors = ["a", "b", "c", "d", "e", "f"].map(come);
    await visitors[0]!.admitted;
    expect(admitted).toEqual(["a", "b"]);
    await visitors[2]!.admitted;
    expect(admitted).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("is first come, first served, so many at a time", async () => {
    const { line, admitted, come } = await startedCrowd(limits);
    const visitors = ["a", "b", "c", "d", "e"].map(come);
    await settled();
    expect(admitted).toEqual(["a", "b", "c"]);
    visitors[1]!.end();
    await settled();
    expect(admitted).toEqual(["a", "b", "c", "d"]);
    expect([line.underWay, line.waiting]).toEqual([3, 1]);
  });

  it("has fewer under way the more bytes they have of their own", async () => {
    const { line, admitted, places, come } = crowd(limits);
    const first = come("large");
    await settled();
    places.get("large")!.composed(600);
    first.end();
    const others = ["a", "b", "c"].map(come);
    await settled();
    expect(admitted).toEqual(["large", "a"]);
    others[0]!.end();
    await settled();
    expect([line.underWay, line.waiting]).toEqual([1, 1]);
  });

  it("lets one through that is larger than all may be together", async () => {
    const { admitted, places, come } = crowd({ ...limits, bytes: 10 });
    const first = come("a");
    await settled();
    places.get("a")!.composed(5000);
    first.end();
    come("b");
    await settled();
    expect(admitted).toEqual(["a", "b"]);
  });

  it("passes over whoever has gone, and tells so, and an answer counts once", async () => {
    const { line, admitted, gone, come } = crowd({ ...limits, answers: 1 });
    const [a, b] = ["a", "b", "c"].map(come);
    b!.leave();
    a!.end();
    a!.end();
    await settled();
    expect([admitted, gone]).toEqual([["a", "c"], ["b"]]);
    expect([line.underWay, line.waiting]).toEqual([1, 0]);
  });

  it("gives the place of an answer that is not made to the next, and so of one that is not read", async () => {
    const { admitted, places, come } = crowd({ ...limits, answers: 1, patienceMs: 1 });
    come("not made");
    const unread = come("not read");
    const next = come("next");
    await unread.admitted;
    places.get("not read")!.composed(10);
    await next.admitted;
    expect(admitted).toEqual(["not made", "not read", "next"]);
  });

  it("refuses more than may wait, with different times to come again", async () => {
    const { line, come } = crowd({ ...limits, answers: 1, waiting: 1 });
    come("a");
    come("b");
    const refusals = await Promise.all(
      Array.from({ length: 50 }, () => line.enter({ isGone: false, onEnd: () => {} }).catch((error: unknown) => error)),
    );
    const times = refusals.map((error) => (error as { extra: { "retry-after": number } }).extra["retry-after"]);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(5);
    expect(new Set(times).size).toBeGreaterThan(5);
  });

  it("keeps to its bounds and its order, whatever comes, ends and leaves", async () => {
    const { line, admitted, places, come } = crowd({ ...limits, waiting: 2000 });
    const open: { name: string; visitor: ReturnType<typeof come> }[] = [];
    for (let step = 0; step < 2000; step++) {
      if (step % 3 < 2) open.push({ name: `${step}`, visitor: come(`${step}`) });
      await settled();
      expect(line.underWay).toBeLessThanOrEqual(3);
      const { name, visitor } = open.shift() ?? {};
      if (!name || !visitor) continue;
      places.get(name)?.composed((step * 37) % 400);
      if (places.has(name) && step % 10 !== 0) visitor.end();
      else visitor.leave();
    }
    for (; open.length > 0; await settled()) for (const { visitor } of open.splice(0)) visitor.leave();
    expect(admitted.length).toBeGreaterThan(500);
    expect(admitted.map(Number)).toEqual(admitted.map(Number).sort((a, b) => a - b));
    expect([line.underWay, line.waiting]).toEqual([0, 0]);
  });
});

/** All promises that can settle by now have. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line after its first answer. */
async function startedCrowd(of: typeof limits) {
  const made = crowd(of);
  const first = made.come("first");
  await first.admitted;
  made.places.get("first")!.composed(0);
  first.end();
  made.admitted.length = 0;
  return made;
}

/** A line, and a way for visitors to come to it. `admitted` has their names in the order of their turns. */
function crowd(of: typeof limits) {
  const line = new Admission(of);
  const admitted: string[] = [];
  const gone: string[] = [];
  const places = new Map<string, Place>();
  const come = (name: string) => {
    const ended: (() => void)[] = [];
    const visitor = { isGone: false, onEnd: (end: () => void) => void ended.push(end) };
    const end = () => {
      for (const each of ended) each();
    };
    const turn = line.enter(visitor).then((place) => {
      if (!place) return gone.push(name);
      admitted.push(name);
      return places.set(name, place);
    });
    const leave = () => {
      visitor.isGone = true;
      end();
    };
    return { admitted: turn, end, leave };
  };
  return { line, admitted, gone, places, come };
}
