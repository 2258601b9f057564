/** How the page writes emoji. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { togglesResolved } from "../../../http/client/state/resolved.ts";
import { charactersOf, withTone } from "../../../http/web/model/emoji.ts";

describe("the characters of an emoji", () => {
  it.each([
    ["2764", "\u2764\ufe0f"],
    ["26a0", "\u26a0\ufe0f"],
    ["1f600", "\u{1f600}"],
    ["0031-20e3", "1\ufe0f\u20e3"],
    ["2764-fe0f-200d-1f525", "\u2764\ufe0f\u200d\u{1f525}"],
    ["2764-200d-1f525", "\u2764\ufe0f\u200d\u{1f525}"],
    ["261d-1f3fd", "\u261d\u{1f3fd}"],
    ["1f1e9-1f1ea", "\u{1f1e9}\u{1f1ea}"],
    ["zz", "\ufffd"],
  ])("%s asks for a picture where it would be a letter", (code, characters) => {
    expect(charactersOf(code)).toBe(characters);
  });
});

describe("the tone of skin of an emoji", () => {
  const tone = "1F3FD";
  type Entry = { unified: string; skin_variations?: Record<string, { unified: string }> };
  const all = JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve("emoji-datasource/emoji.json"), "utf8"),
  ) as Entry[];
  const written = (unified: string) =>
    String.fromCodePoint(...unified.split("-").map((code) => Number.parseInt(code, 16)));

  it("is there for those that have one, as Unicode writes them, and for no others", () => {
    const wrong = all.filter(({ unified, skin_variations: has }) => {
      const toned = has?.[tone] ?? has?.[`${tone}-${tone}`];
      return withTone(written(unified), written(tone)) !== written(toned?.unified ?? unified);
    });
    expect(wrong.map(({ unified }) => unified)).toEqual([]);
  });
});

describe("a topic is only marked", () => {
  const long = "x".repeat(60);
  it.each([
    ["plans", "✔ plans", true],
    ["✔ plans", "plans", true],
    ["plans", "✔ plan", false],
    ["plans", "other", false],
    [long, `✔ ${"x".repeat(55)}...`, true],
    [long, `✔ ${"x".repeat(40)}...`, false],
  ])("from %s to %s: %s", (from, to, isMark) => {
    expect(togglesResolved(from, to)).toBe(isMark);
  });
});
