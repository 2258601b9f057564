/** The tables of texts: each language has all of them, with what is put into them, and none is outside of them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { page as english } from "../../../../http/web/languages/en/page.ts";
import { settings as englishSettings } from "../../../../http/web/languages/en/settings.ts";
import { firstOf, type Language, languages, localeOf } from "../../../../http/web/languages/languages.ts";
import { manifests } from "../../../../http/web/languages/manifests.ts";
import { root } from "../../../support/tree/imports.ts";
import { sameWords } from "./same-words.ts";
import { earlyReads, textsOutside } from "./texts-outside.ts";

type Table = Readonly<Record<string, unknown>>;

async function tablesOf(code: string): Promise<Table> {
  const folder = join(root, "http/web/languages", code);
  const [{ page }, { settings }] = (await Promise.all(
    ["page.ts", "settings.ts"].map((file) => import(/* @vite-ignore */ join(folder, file))),
  )) as [{ page: Table }, { settings: Table }];
  return { page, settings };
}

/** The texts of a table by their path, such as `page.roles.100`. */
function flat(table: object, path = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(table)) {
    const name = path === "" ? key : `${path}.${key}`;
    if (typeof value === "object" && value !== null)
      for (const [inner, text] of flat(value, name)) found.set(inner, text);
    else found.set(name, value);
  }
  return found;
}

const base = flat({ page: english, settings: englishSettings });
const others = Object.keys(languages).filter((code): code is Exclude<Language, "en"> => code !== "en");

/** Parameters of texts that are numbers. Others are texts. */
const numbers = new Set([
  "n",
  "share",
  "mib",
  "codes",
  "queues",
  "ms",
  "waiting",
  "retried",
  "mebibytes",
  "agreed",
  "all",
]);

/** What a text is given in place of each parameter: a word that nothing else has, or a number. */
function samples(text: (...given: never[]) => string): unknown[] {
  const names = /^\(?([^)=]*)\)?\s*=>/.exec(text.toString())?.[1] ?? "";
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name, index) =>
      numbers.has(name)
        ? 41 + index
        : name === "at"
          ? new Date(2026, 2, 31, 12)
          : name === "names"
            ? ["«Ada»", "«Grace»"]
            : `«${name}»`,
    );
}

const said = (text: unknown, given: unknown[]): string =>
  typeof text === "function" ? (text as (...given: unknown[]) => string)(...given) : String(text);
/** What a text shows of what it was given. */
const shown = (text: string): string[] =>
  [...text.matchAll(/«\w+»|:«\w+»:|\b4[1-5]\b|#«/gi)].map(([word]) => word.toLowerCase()).sort();

describe("texts", () => {
  it("of the manifest are in each other language", async () => {
    const english = JSON.parse(await readFile(join(root, "http/web/public/parley.webmanifest"), "utf8"));
    const files = manifests(english);
    expect([...files.keys()]).toEqual(others.map((code) => `parley.${code}.webmanifest`));
    for (const file of files.values()) {
      const { description, shortcuts, start_url, icons } = JSON.parse(file) as typeof english;
      expect([start_url, icons]).toEqual([english.start_url, english.icons]);
      expect(description).not.toBe(english.description);
      for (const [index, { name, url }] of english.shortcuts.entries()) {
        expect(shortcuts[index].url).toBe(url);
        expect(shortcuts[index].name).not.toBe(name);
      }
    }
  });

  it.each(others)("%s has every text, with what is put into it", async (code) => {
    const table = flat(await tablesOf(code));
    expect([...table.keys()].sort()).toEqual([...base.keys()].sort());
    for (const [key, text] of base) {
      const other = table.get(key);
      expect(typeof other, key).toBe(typeof text);
      const given = typeof text === "function" ? samples(text as (...given: never[]) => string) : [];
      expect(said(other, given).trim(), key).not.toBe("");
      expect(shown(said(other, given)), `${key}: ${said(other, given)}`).toEqual(shown(said(text, given)));
    }
  });

  it.each(others)("%s leaves no text in English", async (code) => {
    const left = [...flat(await tablesOf(code))]
      .filter(([key, text]) => typeof text === "string" && text === base.get(key) && /\p{L}/u.test(text))
      .filter(([, text]) => !sameWords[code].has(String(text)));
    expect(left).toEqual([]);
  });

  it("allows only words that are the same", async () => {
    for (const code of others) {
      const texts = flat(await tablesOf(code));
      const used = new Set([...texts].filter(([key, text]) => text === base.get(key)).map(([, text]) => text));
      expect(
        [...sameWords[code]].filter((word) => !used.has(word)),
        code,
      ).toEqual([]);
    }
  });

  it("are in the tables only", async () => {
    expect(await textsOutside()).toEqual([]);
  });

  it("are read when something is drawn: a language may come later", async () => {
    expect(await earlyReads()).toEqual([]);
  });
});

describe("plurals", () => {
  it("in Arabic have six forms", async () => {
    const { page } = (await tablesOf("ar")) as { page: typeof english };
    expect([0, 1, 2, 3, 11, 100].map(page.unreadCount)).toEqual([
      "لا رسائل غير مقروءة",
      "رسالة واحدة غير مقروءة",
      "رسالتان غير مقروءتين",
      "3 رسائل غير مقروءة",
      "11 رسالة غير مقروءة",
      "100 رسالة غير مقروءة",
    ]);
    expect([3, 11, 100, 103, 1011].map(page.memberCount)).toEqual([
      "3 أعضاء",
      "11 عضوًا",
      "100 عضو",
      "103 أعضاء",
      expect.stringMatching(/011 عضوًا$/),
    ]);
  });

  it("in French take one for zero, in German and Spanish many", async () => {
    const of = async (code: string) => ((await tablesOf(code)) as { page: typeof english }).page.memberCount;
    expect([0, 1, 2].map(await of("fr"))).toEqual(["0 membre", "1 membre", "2 membres"]);
    expect([0, 1, 2].map(await of("de"))).toEqual(["0 Mitglieder", "1 Mitglied", "2 Mitglieder"]);
    expect([0, 1, 2].map(await of("es"))).toEqual(["0 miembros", "1 miembro", "2 miembros"]);
  });
});

describe("languages", () => {
  it("are chosen by the first tag that the page has", () => {
    expect(firstOf(["nl-NL", "de-AT", "en"])).toBe("de");
    expect(firstOf(["nl", "xx", "not a tag!"])).toBeUndefined();
    expect(["zh-CN", "zh", "zh_Hans", "zh-SG"].map((tag) => firstOf([tag]))).toEqual(Array(4).fill("zh-hans"));
    expect(firstOf(["zh-TW", "zh-Hant", "ar-EG"])).toBe("ar");
  });

  it("formats have the region of the browser", () => {
    expect(localeOf("de", ["de-AT", "en"])).toBe("de-AT");
    expect(localeOf("en", ["de-DE"])).toBe("en-DE");
    expect(localeOf("de", ["en-US"])).toBe("de");
    expect(new Intl.NumberFormat(localeOf("ar", ["ar-EG"])).format(12)).toBe("12");
  });
});
