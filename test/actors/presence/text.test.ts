import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { legacyField, legacyPresence, modernField, modernPresence } from "../../../actors/presence/record.ts";
import {
  type PresenceEntry,
  type PresenceField,
  type PresenceRange,
  PresenceText,
} from "../../../actors/presence/text.ts";
import type { JsonText } from "../../../actors/text/json-text.ts";

/** People 1 to `count`, person n last here at second n. */
function people(count: number): { text: PresenceText; entries: PresenceEntry[] } {
  const text = new PresenceText();
  const entries = Array.from({ length: count }, (_, index) => {
    const id = index + 1;
    return { user_id: id, active_at: 0, idle_at: id, update_id: 1000 + id };
  });
  for (const entry of entries) text.note(entry);
  return { text, entries };
}

const parsed = ({ pieces }: JsonText) =>
  JSON.parse(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()) as Record<string, object>;

function shown(text: PresenceText, range: Partial<PresenceRange>, field: PresenceField = modernField, isKept = true) {
  const { json, lastUpdateId } = text.render(field, { after: -1, since: 0, ...range }, isKept);
  return { presences: parsed(json), ids: Object.keys(parsed(json)).map(Number), lastUpdateId };
}

describe("presence text", () => {
  it("of one person is what their record says, in both formats", () => {
    const times = fc.record({ active_at: fc.nat({ max: 200 }), idle_at: fc.nat({ max: 200 }) });
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), times, (email, user_id, at) => {
        expect(`{${legacyField(email, at)}}`).toBe(JSON.stringify({ [email]: legacyPresence(at) }));
        expect(`{${modernField({ user_id, ...at })}}`).toBe(JSON.stringify({ [user_id]: modernPresence(at) }));
      }),
    );
  });

  it("has everybody, over many blocks, and the newest update", () => {
    const { presences, ids, lastUpdateId } = shown(people(1000).text, {});
    expect(ids).toHaveLength(1000);
    expect(presences["7"]).toEqual({ active_timestamp: 0, idle_timestamp: 7 });
    expect(lastUpdateId).toBe(2000);
  });

  it("nobody at all is an empty object", () => {
    expect(shown(new PresenceText(), {})).toEqual({ presences: {}, ids: [], lastUpdateId: -1 });
    const { text } = people(300);
    expect(shown(text, { since: 301 })).toEqual({ presences: {}, ids: [], lastUpdateId: -1 });
    expect(shown(text, { after: 1300 })).toEqual({ presences: {}, ids: [], lastUpdateId: 1300 });
  });

  it("holds to each limit, whatever was asked before", () => {
    const { text } = people(600);
    for (const since of [0, 300, 301, 299, 600, 601, 1, 0]) {
      const wanted = Array.from({ length: 600 }, (_, index) => index + 1).filter((id) => id >= since);
      expect(shown(text, { since }).ids, `since ${since}`).toEqual(wanted);
      expect(shown(text, { after: 1000 + since }).ids, `after ${since}`).toEqual(wanted.filter((id) => id > since));
    }
  });

  it("shows a change, and who is hidden or shown again", () => {
    const { text, entries } = people(600);
    const hidden = new Set<number>();
    const field = (entry: PresenceEntry) => (hidden.has(entry.user_id) ? undefined : modernField(entry));
    shown(text, {}, field);
    Object.assign(entries[299]!, { idle_at: 5000, update_id: 3000 });
    text.note(entries[299]!);
    const changed = shown(text, {}, field);
    expect(changed.presences["300"]).toEqual({ active_timestamp: 0, idle_timestamp: 5000 });
    expect(changed.lastUpdateId).toBe(3000);
    hidden.add(300);
    text.forget(300);
    expect(shown(text, {}, field)).toMatchObject({ ids: changed.ids.filter((id) => id !== 300), lastUpdateId: 1600 });
    hidden.clear();
    text.forgetAll();
    expect(shown(text, {}, field).ids).toEqual(changed.ids);
  });

  it.each([1, 2, 3])("is what a plain look at every entry finds, in any order of reports (seed %i)", (seed) => {
    const below = randomBelow(seed);
    const text = new PresenceText();
    const entries = new Map<number, PresenceEntry>();
    for (let position = 1; position <= 6000; position++) {
      const user_id = below(1500);
      const entry = entries.get(user_id) ?? { user_id, active_at: 0, idle_at: 0, update_id: 0 };
      // Some reports come late, as old as they are.
      entry.update_id = Math.max(entry.update_id, below(20) === 0 ? below(position) : position);
      entry.idle_at = Math.max(entry.idle_at, position - below(50));
      entries.set(user_id, entry);
      text.note(entry);
      if (position % 40 > 0) continue;
      const [after, since] = [below(3) === 0 ? -1 : below(position + 10), below(3) * below(position)];
      const wanted = [...entries.values()].filter((each) => each.update_id > after && each.idle_at >= since);
      const byId = wanted.map(({ user_id }) => user_id).sort((a, b) => a - b);
      for (const isKept of [true, false])
        expect(shown(text, { after, since }, modernField, isKept)).toMatchObject({
          ids: byId,
          lastUpdateId: Math.max(after, ...wanted.map(({ update_id }) => update_id)),
        });
    }
  });

  it.each(["in turn", "in any order"])("makes no more entries for one caller of many than of few: %s", (order) => {
    const made = (count: number): number => {
      const { text, entries } = people(count);
      const below = randomBelow(count);
      const newest = () => entries.reduce((last, { update_id }) => Math.max(last, update_id), 0);
      const seen = new Map(entries.map((entry) => [entry, newest()]));
      let calls = 0;
      const field = (entry: PresenceEntry) => {
        calls++;
        return modernField(entry);
      };
      for (let turn = 0, update = newest(); turn < 2 * count; turn++) {
        const entry = entries[order === "in turn" ? turn % count : below(count)]!;
        entry.update_id = ++update;
        text.note(entry);
        if (turn >= count) text.render(field, { after: seen.get(entry)!, since: 0 }, true);
        seen.set(entry, update);
      }
      return calls / count;
    };
    expect(made(1000)).toBeLessThan(512);
    expect(made(8000)).toBeLessThan(512);
  });
});

/** Numbers from 0, below a limit. */
function randomBelow(seed: number): (limit: number) => number {
  const numbers = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: 20_000 });
  let next = 0;
  return (limit) => numbers[next++ % numbers.length]! % limit;
}
