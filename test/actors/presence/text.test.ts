import { describe, expect, it } from "vitest";
import { type PresenceEntry, PresenceText } from "../../../actors/presence/text.ts";

const everybody = () => true;

/** People 1 to `count`, person n last here at second n. */
function people(count: number): { text: PresenceText; entries: PresenceEntry[] } {
  const text = new PresenceText();
  const entries = Array.from({ length: count }, (_, index) => {
    const id = index + 1;
    return { user_id: id, active_at: 0, idle_at: id, update_id: 1000 + id };
  });
  for (const entry of entries) text.touch(entry);
  return { text, entries };
}

const idsIn = (json: string) => Object.keys(JSON.parse(json) as object).map(Number);

describe("presence text", () => {
  it("has everybody, over many blocks, and the newest update", () => {
    const { text } = people(1000);
    const { json, lastUpdateId } = text.render(0, everybody);
    expect(idsIn(json)).toHaveLength(1000);
    expect((JSON.parse(json) as Record<string, unknown>)["7"]).toEqual({ active_timestamp: 0, idle_timestamp: 7 });
    expect(lastUpdateId).toBe(2000);
  });

  it("nobody at all is an empty object", () => {
    expect(new PresenceText().render(0, everybody)).toEqual({ json: "{}", lastUpdateId: -1 });
    expect(people(300).text.render(301, everybody)).toEqual({ json: "{}", lastUpdateId: -1 });
  });

  it("holds to each limit, whatever was asked before", () => {
    const { text } = people(600);
    for (const since of [0, 300, 301, 299, 600, 601, 1, 0]) {
      const wanted = Array.from({ length: 600 }, (_, index) => index + 1).filter((id) => id >= since);
      expect(idsIn(text.render(since, everybody).json), `since ${since}`).toEqual(wanted);
    }
  });

  it("shows a change, and who is hidden or shown again", () => {
    const { text, entries } = people(600);
    text.render(0, everybody);
    const entry = entries[299]!;
    entry.idle_at = 5000;
    entry.update_id = 3000;
    text.touch(entry);
    const changed = text.render(0, everybody);
    expect((JSON.parse(changed.json) as Record<string, unknown>)["300"]).toEqual({
      active_timestamp: 0,
      idle_timestamp: 5000,
    });
    expect(changed.lastUpdateId).toBe(3000);
    text.forget(300);
    const hidden = text.render(0, (id) => id !== 300);
    expect(idsIn(hidden.json)).not.toContain(300);
    expect(hidden.lastUpdateId).toBe(1600);
    text.forget(300);
    expect(idsIn(text.render(0, everybody).json)).toContain(300);
  });
});
