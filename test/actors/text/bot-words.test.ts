/** What the notification bot says: each language has everything with what is put into it, and none is English. */
import { describe, expect, it } from "vitest";
import { words as english } from "../../../actors/text/bot-words/en.ts";
import { botWords } from "../../../actors/text/bot-words/words.ts";
import { languages } from "../../../actors/text/languages.ts";

type Text = string | ((...given: (string | number)[]) => string);
type Table = Readonly<Record<string, Text>>;
const samples = (text: Text) => Array.from({ length: text.length }, (_, index) => `«${index}»`);
const said = (text: Text) => (typeof text === "string" ? text : text(...samples(text)));
const shown = (text: string) => [...text.matchAll(/«\d»/g)].map(([hole]) => hole).sort();
/** Words that are spelled alike. */
const same: Readonly<Record<string, readonly string[]>> = { de: ["spam"], fr: ["public"] };

describe("words of the notification bot", () => {
  it.each(languages.filter((language) => language !== "en"))("%s has every text", (language) => {
    const table = botWords[language] as unknown as Table;
    for (const [key, text] of Object.entries(english as unknown as Table)) {
      const [ours, theirs] = [said(text), said(table[key]!)];
      expect(shown(theirs), key).toEqual(shown(ours));
      if (!same[language]?.includes(key)) expect(theirs, key).not.toBe(ours);
    }
  });
});
