/** What a page says of a refusal. The API says it in English; a page knows it by that, and says it in its language. */
import type { ApiError } from "../../../../actors/errors.ts";
import { type Language, localeOf } from "../../../../actors/text/languages.ts";
import { keysOf } from "../../../../storage/rows.ts";
import { retryHeaders } from "../../../api/reply.ts";
import { pageWords } from "../words.ts";
import { refusals as ar } from "./ar.ts";
import { refusals as de } from "./de.ts";
import { refusals as en, type Refusals } from "./en.ts";
import { refusals as es } from "./es.ts";
import { refusals as fr } from "./fr.ts";
import { refusals as ja } from "./ja.ts";
import { refusals as chinese } from "./zh-hans.ts";

const tables: Readonly<Record<Language, Refusals>> = { en, de, fr, es, ja, "zh-hans": chinese, ar };

/** Refusals by their keys, in one language. */
export const refusalsIn = (language: Language): Refusals => tables[language];

type Text = string | ((...given: string[]) => string);

/** Stands for what is put into a text. */
const hole = "\0";
/** A text by what it is in English. What was put into it is what its groups match. */
const patterns = keysOf(en).map((key) => {
  const text: Text = en[key];
  const whole = typeof text === "string" ? text : text(...Array.from({ length: text.length }, () => hole));
  const source = whole.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(hole, "(.{1,300}?)");
  return { key, pattern: new RegExp(`^${source}$`, "s") };
});

/** What a page says of a refusal, in English where it has no words for it. */
export function refusalIn(language: Language, error: ApiError): string {
  if (error.code === "RATE_LIMIT_HIT") {
    const waitSecs = Number(retryHeaders(error)[0]?.[1]);
    return pageWords(language).tooMuch(inTime(language, waitSecs));
  }
  for (const { key, pattern } of patterns) {
    const found = pattern.exec(error.message);
    if (!found) continue;
    const texts: Readonly<Record<keyof Refusals, Text>> = tables[language];
    const text = texts[key];
    return typeof text === "string" ? text : text(...found.slice(1));
  }
  return error.message;
}

const units = [
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** "in 5 minutes": a time from now, in the largest unit that it fills, rounded up. @param secs positive */
export function inTime(language: Language, secs: number): string {
  const [unit, length] = units.find(([, least]) => secs >= least) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(localeOf(language), { numeric: "always" }).format(
    Math.max(1, Math.ceil(secs / length)),
    unit,
  );
}
