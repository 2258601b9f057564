/** The languages that the server has words in, by the codes that `default_language` has. */

export const languages = ["en", "de", "fr", "es", "ja", "zh-hans", "ar"] as const;
export type Language = (typeof languages)[number];

/** A table of words in another language: the same keys, and functions of the same arguments. */
export type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

const isLanguage = (code: string): code is Language => languages.some((known) => known === code);

/** The language that a tag means (`de-AT`, `zh-CN`, `zh_Hans`), if there are words in it. */
export function languageOf(tag: string): Language | undefined {
  try {
    // Chinese is two languages by its script, which most tags only imply.
    const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const code = language === "zh" ? `zh-${script?.toLowerCase()}` : language;
    return isLanguage(code) ? code : undefined;
  } catch {
    // The tag is malformed.
    return undefined;
  }
}

/** What `Intl` formats by. Arabic has two kinds of digits, of which one is everywhere else in what we say. */
export const localeOf = (language: Language): string =>
  language === "en" ? "en-GB" : language === "ar" ? "ar-u-nu-latn" : language;

export const directionOf = (language: Language): "ltr" | "rtl" => (language === "ar" ? "rtl" : "ltr");
