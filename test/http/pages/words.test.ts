/** What pages say: in which language, with what is put into the texts, and nothing left in English. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { badRequest, errors } from "../../../actors/errors.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { languages } from "../../../actors/text/languages.ts";
import { refusals as englishRefusals } from "../../../http/pages/words/refusals/en.ts";
import { inTime, refusalIn, refusalsIn } from "../../../http/pages/words/refusals/refusals.ts";
import { languageAsked, pageWords } from "../../../http/pages/words/words.ts";

type Text = string | ((...given: string[]) => string);
type Table = Readonly<Record<string, Text>>;
const samples = (text: Text) => Array.from({ length: text.length }, (_, index) => `«${index}»`);
const said = (text: Text) => (typeof text === "string" ? text : text(...samples(text)));
const shown = (text: string) => new Set([...text.matchAll(/«\d»/g)].map(([hole]) => hole));
/** Words that are spelled alike. */
const same: Readonly<Record<string, readonly string[]>> = { de: ["Name", "Code"], fr: ["Code"] };

const tableOf = (language: (typeof languages)[number]) => pageWords(language) as unknown as Table;
const refusalsOf = (language: (typeof languages)[number]) => refusalsIn(language) as unknown as Table;

/** The source files below these folders, but for the tables of words themselves. */
async function readSources(...folders: string[]): Promise<string[]> {
  const root = join(import.meta.dirname, "../../..");
  const found = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const files = found
    .flat()
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("/pages/words/") && !path.includes("/http/web/"));
  return Promise.all(files.map((path) => readFile(path, "utf8")));
}

describe("words of pages", () => {
  const others = languages.filter((language) => language !== "en");

  it.each(others)("%s has every text", (language) => {
    for (const tablesOf of [tableOf, refusalsOf])
      for (const [key, text] of Object.entries(tablesOf("en"))) {
        const [ours, theirs] = [said(text), said(tablesOf(language)[key]!)];
        expect(shown(theirs), key).toEqual(shown(ours));
        if (!same[language]?.includes(ours)) expect(theirs, key).not.toBe(ours);
      }
  });

  it.each(others)("%s says every refusal that pages know, with what was put into it", (language) => {
    for (const [key, text] of Object.entries(englishRefusals as unknown as Table))
      expect(refusalIn(language, badRequest(said(text))), key).toBe(said(refusalsOf(language)[key]!));
    expect(refusalIn(language, errors.USER_DEACTIVATED())).toBe(refusalsOf(language)["deactivated"]);
    expect(refusalIn(language, errors.NETWORK_NOT_ALLOWED())).toBe(refusalsOf(language)["otherNetwork"]);
    expect(refusalIn(language, badRequest("Something else."))).toBe("Something else.");
  });

  it("know refusals by sentences that the server says", async () => {
    const sources = await readSources("actors", "http");
    const unsaid = Object.values(englishRefusals as unknown as Table).filter((text) => {
      // The field's name is put before what is wrong with a password.
      const pieces = said(text)
        .replace(/^Password /, "")
        .split(/«\d»/);
      return !sources.some((source) => pieces.every((piece) => source.includes(piece)));
    });
    expect(unsaid.map(said)).toEqual([]);
  });

  it("say in words when to try again", () => {
    const refusal = errors.RATE_LIMIT_HIT({ "retry-after": 290 });
    expect(languages.map((language) => refusalIn(language, refusal))).toEqual([
      "That was too much at once. Try again in 5 minutes.",
      "Das war zu viel auf einmal. Versuche es in 5 Minuten noch einmal.",
      "C’était trop d’un coup. Réessayez dans 5 minutes.",
      "Han sido demasiadas cosas a la vez. Inténtalo de nuevo dentro de 5 minutos.",
      "操作が多すぎました。5 分後にもう一度お試しください。",
      "操作太频繁，请5分钟后再试。",
      "كان ذلك كثيرًا دفعة واحدة. أعد المحاولة خلال 5 دقائق.",
    ]);
    expect([0.2, 1, 59, 60, 3601].map((secs) => inTime("en", secs))).toEqual([
      "in 1 second",
      "in 1 second",
      "in 59 seconds",
      "in 1 minute",
      "in 2 hours",
    ]);
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
