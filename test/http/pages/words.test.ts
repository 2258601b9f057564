/** What pages before log-in say: in which language, with what is put into the texts, and nothing left in English. */
import { describe, expect, it } from "vitest";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { languages } from "../../../actors/text/languages.ts";
import { words as english } from "../../../http/pages/words/en.ts";
import { languageAsked, pageWords } from "../../../http/pages/words/words.ts";

type Text = string | ((given: never) => string);
const said = (text: Text) => (typeof text === "string" ? text : text("«41»" as never));
/** Words that are spelled alike. */
const same: Readonly<Record<string, readonly string[]>> = { de: ["Name", "Code"], fr: ["Code"] };

describe("words of pages", () => {
  it.each(languages.filter((language) => language !== "en"))("%s has every text", (language) => {
    const table = pageWords(language) as Readonly<Record<string, Text>>;
    for (const [key, text] of Object.entries(english) as [string, Text][]) {
      const [ours, theirs] = [said(text), said(table[key]!)];
      expect(theirs.includes("«41»"), key).toBe(ours.includes("«41»"));
      if (!same[language]?.includes(ours)) expect(theirs, key).not.toBe(ours);
    }
  });

  it("are in the language that the browser wants most, or in the organization's", () => {
    const state = { setting: () => "fr" } as unknown as RealmState;
    const asked = (acceptLanguage: string) => languageAsked({ acceptLanguage }, state);
    expect(asked("nl, en;q=0.5, de-DE;q=0.8")).toBe("de");
    expect(asked("zh-CN,zh;q=0.9")).toBe("zh-hans");
    expect(asked("zh-TW, ja;q=0")).toBe("fr");
    expect(asked("")).toBe("fr");
    expect(asked(";q=,,=;*")).toBe("fr");
  });
});
