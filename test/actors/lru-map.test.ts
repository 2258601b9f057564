import { describe, expect, it } from "vitest";
import { LruMap } from "../../actors/lru-map.ts";

const made = (keys: string): LruMap<string, number> => {
  const map = new LruMap<string, number>();
  for (const [place, key] of [...keys].entries()) map.set(key, place);
  return map;
};
const keysOf = (map: LruMap<string, number>): string => [...map].map(({ key }) => key).join("");

describe("LruMap", () => {
  it("has its entries in the order of their last use", () => {
    const map = made("abcd");
    expect(keysOf(map)).toBe("abcd");
    expect([map.get("a"), map.use("b"), map.use("nobody")]).toEqual([0, 1, undefined]);
    map.set("c", 7);
    expect(keysOf(map)).toBe("adbc");
    expect(map.get("c")).toBe(7);
    expect(map.oldest).toMatchObject({ key: "a", value: 0 });
  });

  it("loses what is deleted, at either end and between", () => {
    const map = made("abcde");
    for (const key of "aec") expect(map.delete(key)).toBe(true);
    expect(map.delete("c")).toBe(false);
    expect([keysOf(map), map.size, map.has("c"), map.oldest?.key]).toEqual(["bd", 2, false, "b"]);
    map.set("a", 1);
    expect(keysOf(map)).toBe("bda");
    map.clear();
    expect([keysOf(map), map.size, map.oldest]).toEqual(["", 0, undefined]);
    map.set("z", 1);
    expect(keysOf(map)).toBe("z");
  });

  it("goes on when the entry that it handed out is deleted", () => {
    const map = made("abcd");
    const seen: string[] = [];
    for (const { key } of map) {
      seen.push(key);
      if (key !== "c") map.delete(key);
    }
    expect([seen.join(""), keysOf(map)]).toEqual(["abcd", "c"]);
  });

  it("agrees with a Map that moves what is used to its end", () => {
    const [map, model] = [new LruMap<string, number>(), new Map<string, number>()];
    for (let step = 0, draw = 1; step < 20_000; step++) {
      draw = (draw * 48_271) % 2_147_483_647;
      const key = String(draw % 50);
      const known = model.get(key);
      if (draw % 3 === 0) expect(map.delete(key)).toBe(model.delete(key));
      else if (draw % 3 === 1) {
        model.delete(key);
        model.set(key, step);
        map.set(key, step);
      } else {
        expect(map.use(key)).toBe(known);
        if (model.delete(key)) model.set(key, known!);
      }
      expect(map.oldest?.key).toBe(model.keys().next().value);
    }
    expect([...map].map(({ key, value }) => [key, value])).toEqual([...model]);
  });
});
