/** The languages of the page, by the codes that `default_language` has. A test compares them with the server's. */

/** Each by its own name. */
export const languages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  ja: "日本語",
  "zh-hans": "简体中文",
  ar: "العربية",
} as const;

export type Language = keyof typeof languages;

const isLanguage = (code: string): code is Language => code in languages;

/** The language that a tag means (`de-AT`, `zh-CN`, `zh_Hans`), if the page has it. */
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

/** The first of these tags that the page has a language for. */
export function firstOf(tags: readonly string[]): Language | undefined {
  for (const tag of tags) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return undefined;
}

/** What `Intl` formats by: the language, with the habits of the region that the browser is set to. */
export function localeOf(language: Language, browser: readonly string[]): string {
  const same = browser.find((tag) => languageOf(tag) === language);
  // Arabic has two kinds of digits. Counts beside names are 0–9, so that all numbers of the page are.
  const digits = isRightToLeft(language) ? "-u-nu-latn" : "";
  if (same) return `${new Intl.Locale(same).baseName}${digits}`;
  const region = browser[0] === undefined ? undefined : new Intl.Locale(browser[0]).region;
  return `${language}${language === "en" && region ? `-${region}` : ""}${digits}`;
}

/** The file of the manifest by which the page is installed, in a language. */
export const manifestName = (language: Language): string =>
  language === "en" ? "parley.webmanifest" : `parley.${language}.webmanifest`;

const rightToLeft: ReadonlySet<string> = new Set(["ar"]);
export const isRightToLeft = (language: Language): boolean => rightToLeft.has(language);
