/** What emails say: each language has everything with what is put into it, and none is left in English. */
import { describe, expect, it } from "vitest";
import { words as english } from "../../../actors/email/words/en.ts";
import { wordsIn } from "../../../actors/email/words/words.ts";
import { type Language, languageOf, languages } from "../../../actors/text/languages.ts";
import { languages as ofThePage } from "../../../http/web/languages/languages.ts";

type Text = string | ((...given: (string | number)[]) => string);
const tableOf = (language: Language) => Object.entries(wordsIn(language)) as [string, Text][];
const others = languages.filter((language) => language !== "en");

/** Texts that are spelled alike. */
const same: Readonly<Record<string, readonly string[]>> = { fr: ["conversations", "messages"] };

/** What is put into a text, by the names of its parameters: a count is `n`. */
const samples = (text: Text): (string | number)[] =>
  typeof text === "string"
    ? []
    : (/^\(?([^)=]*)\)?\s*=>/.exec(text.toString())?.[1] ?? "")
        .split(",")
        .map((name) => (name.trim() === "n" ? 41 : `«${name.trim()}»`));
const said = (text: Text, given: (string | number)[]) => (typeof text === "string" ? text : text(...given));
const shown = (text: string) => [...text.matchAll(/«\w+»|41/g)].map(([word]) => word).sort();

describe("words of emails", () => {
  it.each(others)("%s shows what is put into each text", (language) => {
    const table = new Map(tableOf(language));
    for (const [key, text] of Object.entries(english) as [string, Text][]) {
      const given = samples(text);
      const [ours, theirs] = [said(text, given), said(table.get(key)!, given)];
      expect(new Set(shown(theirs)), `${key}: ${theirs}`).toEqual(new Set(shown(ours)));
      if (!same[language]?.includes(key)) expect(theirs, key).not.toBe(ours);
    }
  });

  it("Arabic counts messages in its six forms", () => {
    expect([1, 2, 3, 11, 100].map(wordsIn("ar").missed)).toEqual([
      "فاتتك رسالة واحدة",
      "فاتتك رسالتان",
      "فاتتك 3 رسائل",
      "فاتتك 11 رسالة",
      "فاتتك 100 رسالة",
    ]);
  });

  it("the page has the same languages", () => {
    expect(Object.keys(ofThePage)).toEqual([...languages]);
    expect(["zh_Hans", "zh-CN", "de-AT", "zh-TW", "<b>", "xx"].map(languageOf)).toEqual([
      "zh-hans",
      "zh-hans",
      "de",
      undefined,
      undefined,
      undefined,
    ]);
  });
});
