/** What a node keeps of the log: so many entries, so many bytes, and encoded forms of the newest only. */
import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../../actors/realm/entry.ts";
import { RecentLog } from "../../../actors/realm/recent.ts";

const entry = (position: number, bytes: number): LogEntry => ({ position, bytes });
const held = (log: RecentLog) => log.after(log.floor).map(({ position }) => position);

describe("the recent log", () => {
  it("holds so many entries, the newest", () => {
    const log = new RecentLog({ entries: 3, bytes: 1000 }, 0);
    for (let position = 1; position <= 10; position++) {
      log.push(entry(position, 10));
      expect(held(log).length).toBeLessThanOrEqual(3);
    }
    expect(held(log)).toEqual([8, 9, 10]);
    expect(log.floor).toBe(7);
  });

  it("holds so many bytes, whatever the entries weigh", () => {
    const log = new RecentLog({ entries: 100, bytes: 1000 }, 0);
    for (let position = 1; position <= 500; position++) {
      log.push(entry(position, (position * 37) % 400));
      const bytes = log.after(log.floor).reduce((sum, each) => sum + each.bytes, 0);
      expect(bytes).toBeLessThanOrEqual(1000);
      expect(log.bytes).toBe(bytes);
      expect(held(log).at(-1)).toBe(position);
    }
  });

  it("holds nothing when one entry is more than it may hold, and says from where on it is complete", () => {
    const log = new RecentLog({ entries: 100, bytes: 1000 }, 0);
    log.push(entry(1, 10));
    log.push(entry(2, 5000));
    expect(held(log)).toEqual([]);
    expect(log.floor).toBe(2);
    log.push(entry(3, 10));
    expect(held(log)).toEqual([3]);
  });

  it("keeps the encoded forms of the newest entries only", () => {
    const log = new RecentLog({ entries: 100, bytes: 800 }, 0);
    for (let position = 1; position <= 300; position++) {
      const bytes = Buffer.alloc(10);
      log.push({ ...entry(position, 10), encoded: { byForm: new Map([["", bytes]]), form: {}, bytes } });
      const encoded = log.after(log.floor).filter((each) => each.encoded !== undefined);
      expect(encoded.length).toBe(Math.min(position, 10));
      expect(encoded.at(-1)?.position).toBe(position);
    }
  });
});
