/**
 * Loads the texts of a language, and says which language is spoken. English is part of the first view. Other languages
 * are files of their own, loaded before anything is drawn. A table of texts is one object that all of the page reads: a
 * language puts its texts into it, and the views are drawn anew.
 */
import { signal } from "@preact/signals";
import { isRightToLeft, type Language, localeOf, manifestName } from "./languages.ts";
import type { Translated } from "./translated.ts";

/** Where a language's texts come from. */
export type Loaders<T> = Readonly<Record<Exclude<Language, "en">, () => Promise<Translated<T>>>>;

interface Spoken {
  language: Language;
  /** For `Intl`. */
  locale: string;
}

const browserLanguages = (): readonly string[] => globalThis.navigator?.languages ?? [];

/** The language that is spoken now. */
export const spoken = signal<Spoken>({ language: "en", locale: localeOf("en", browserLanguages()) });

/** Loads one table in a language, and gives what puts it in place. */
type Load = (language: Language) => Promise<() => void>;
const loads = new Set<Load>();

/**
 * A table of texts: English until another language is spoken.
 *
 * @returns the table, and what loads it in the language that is spoken already
 */
export function table<T extends object>(
  english: T & Translated<T>,
  loaders: Loaders<T>,
): { texts: Translated<T>; ready(): Promise<void> } {
  const texts: Translated<T> = { ...english };
  const load: Load = async (language) => {
    const loaded = language === "en" ? english : await loaders[language]();
    return () => void Object.assign(texts, loaded);
  };
  loads.add(load);
  return { texts, ready: async () => (await load(spoken.peek().language))() };
}

/** Speaks a language from now on. @throws when its texts could not be fetched: the language stays as it was */
export async function speak(language: Language): Promise<void> {
  const puts = await Promise.all([...loads].map((load) => load(language)));
  for (const put of puts) put();
  const root = document.documentElement;
  root.lang = language;
  root.dir = isRightToLeft(language) ? "rtl" : "ltr";
  document.querySelector("link[rel=manifest]")?.setAttribute("href", `/static/web/${manifestName(language)}`);
  spoken.value = { language, locale: localeOf(language, browserLanguages()) };
}

/** Whether the page goes from right to left. */
export const isTurned = (): boolean => isRightToLeft(spoken.value.language);

/** Makes something for a language on first use. Formats of `Intl` are expensive, and most are not needed. */
export function perLanguage<T>(make: (locale: string) => T): () => T {
  let made: { locale: string; value: T } | undefined;
  return () => {
    const { locale } = spoken.value;
    if (made?.locale !== locale) made = { locale, value: make(locale) };
    return made.value;
  };
}
