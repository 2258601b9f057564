import { describe, expect, test } from "vitest";
import { emojiAliases } from "../../../actors/markdown/emoji/aliases.ts";
import {
  allEmojiCodesToNames,
  emojiByName,
  emojiCatalog,
  emojiNames,
  extraEmojiByName,
  findEmojiCharacters,
} from "../../../actors/markdown/emoji.ts";
import { html } from "./realm-context.ts";

const span = (name: string, code: string, title = name) =>
  `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;

describe("emoji names", () => {
  test.each([
    ["+1", "1f44d"],
    ["-1", "1f44e"],
    ["thumbs_up", "1f44d"],
    ["smile", "1f604"],
    ["big_smile", "1f604"],
    ["heart", "2764"],
    ["tada", "1f389"],
    ["octopus", "1f419"],
    ["working_on_it", "1f6e0"],
    ["check", "2705"],
    ["wave", "1f44b"],
    ["rocket", "1f680"],
    ["eyes", "1f440"],
    ["joy", "1f602"],
    ["slight_smile", "1f642"],
    ["time_ticking", "23f3"],
    ["flag_us", "1f1fa-1f1f8"],
    ["rainbow_flag", "1f3f3-200d-1f308"],
  ])("%s is %s", (name, code) => {
    expect(emojiByName(name)).toEqual({ code });
    expect(emojiNames(code)).toContain(name);
  });

  test("unknown names and codes", () => {
    expect(emojiByName("no_such_emoji")).toBeUndefined();
    expect(emojiByName("constructor")).toBeUndefined();
    expect(emojiNames("ffff")).toEqual([]);
    expect(extraEmojiByName("zulip")).toEqual({
      name: "zulip",
      code: "zulip",
      source_url: "/static/generated/emoji/images/emoji/unicode/zulip.png",
    });
    expect(extraEmojiByName("smile")).toBeUndefined();
  });

  test("codes are lower-case hexadecimal without fe0f, and every name belongs to one code", () => {
    const codesToNames = allEmojiCodesToNames();
    expect(Object.keys(codesToNames).length).toBeGreaterThan(1800);
    const seen = new Set<string>();
    for (const [code, names] of Object.entries(codesToNames)) {
      expect(code).toMatch(/^[0-9a-f]{4,6}(-[0-9a-f]{4,6})*$/);
      expect(code).not.toContain("fe0f");
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        expect(name).toMatch(/^[\p{L}\p{N}_+-]+$/u);
        expect(emojiByName(name)).toEqual({ code });
        expect(seen.has(name)).toBe(false);
        seen.add(name);
      }
    }
  });

  test("every emoji with a name is in one category, in the order of Unicode; tones of skin alone are in none", () => {
    const catalog = emojiCatalog();
    expect(Object.keys(catalog)[0]).toBe("Smileys & Emotion");
    expect(catalog["Smileys & Emotion"]?.[0]).toBe("1f600");
    const codes = Object.values(catalog).flat();
    expect(new Set(codes).size).toBe(codes.length);
    const nameless = codes.filter((code) => emojiNames(code).length === 0);
    expect(nameless).toEqual([]);
    const uncatalogued = Object.keys(allEmojiCodesToNames()).filter((code) => !codes.includes(code));
    expect(uncatalogued).toEqual(["1f3fb", "1f3fc", "1f3fd", "1f3fe", "1f3ff"]);
  });

  test("every alias names an emoji of the data set, and none is taken already", () => {
    for (const [code, names] of Object.entries(emojiAliases)) {
      expect(emojiNames(code).length).toBeGreaterThanOrEqual(names.length);
      for (const name of names) expect([name, emojiByName(name)]).toEqual([name, { code }]);
    }
  });
});

describe("emoji in text", () => {
  test.each([
    [":smile:", span("smile", "1f604")],
    [":slight_smile:", span("slight_smile", "1f642", "slight smile")],
    [":thumbs_up:", span("thumbs_up", "1f44d", "thumbs up")],
    ["a:+1:b", `a${span("+1", "1f44d")}b`],
    ["😄", span("smile", "1f604")],
    ["❤️!", `${span("heart", "2764")}!`],
    ["❤", span("heart", "2764")],
    ["1️⃣", span("one", "0031-20e3")],
    ["👩‍💻", span("woman_technologist", "1f469-200d-1f4bb", "woman technologist")],
    ["**😄**", `<strong>${span("smile", "1f604")}</strong>`],
    [
      ":zulip:",
      '<img alt=":zulip:" class="emoji" src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip">',
    ],
    [
      ":parrot:",
      '<img alt=":parrot:" class="emoji" src="/user_avatars/1/emoji/images/3.gif?a=&quot;b" title="parrot">',
    ],
  ])("%s", (source, expected) => {
    expect(html(source)).toBe(`<p>${expected}</p>`);
  });

  test.each([
    ":no_such_emoji:",
    "10:30:20",
    "1 # * ©",
    "👍🏽",
    "❤︎",
    "㊙x".slice(1),
    "\ud83d",
    "🍋\u200d🟪",
    "🧑🏽\u200d🛴\u200d↩️",
  ])("%s stays text", (source) => {
    expect(html(source)).toBe(`<p>${source}</p>`);
  });

  test("code has no emoji, and a bare URL keeps its characters", () => {
    expect(html("`:smile: 😄`")).toBe("<p><code>:smile: 😄</code></p>");
    expect(html("http://a.example/😄")).toBe('<p><a href="http://a.example/%F0%9F%98%84">http://a.example/😄</a></p>');
  });

  test("the realm's own emoji wins over Unicode's", () => {
    const findRealmEmoji = (name: string) => ({ id: "1", name, source_url: "/x.png" });
    expect(html(":smile:", { findRealmEmoji })).toBe(
      '<p><img alt=":smile:" class="emoji" src="/x.png" title="smile"></p>',
    );
  });

  test("characters are found with their offsets, the longest sequence first", () => {
    expect(findEmojiCharacters("a😄b👨‍👩‍👧")).toEqual([
      { start: 1, end: 3, code: "1f604" },
      { start: 4, end: 12, code: "1f468-200d-1f469-200d-1f467" },
    ]);
  });
});
