/** What texts of all languages are made with: counts, lists and times. */
import { lazily } from "../lazily.ts";
import { perLanguage } from "./speaking.ts";

const grouped = perLanguage((locale) => new Intl.NumberFormat(locale));

/** A number. Making the format takes a phone 100 ms, and small numbers have no groups of digits. */
export const number = (n: number): string => (Number.isInteger(n) && n < 1000 ? String(n) : grouped().format(n));

/**
 * Words for a count, by the forms that a language has besides `other`. A `#` in them is the number.
 * https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html
 */
export function counting<Form extends Intl.LDMLPluralRule>(
  language: string,
): (n: number, forms: Readonly<Record<Form | "other", string>>) => string {
  const rules = lazily(() => new Intl.PluralRules(language));
  return (n, forms) => {
    const form: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }> = forms;
    return (form[rules().select(n)] ?? form.other).replace("#", number(n));
  };
}

const conjunction = perLanguage((locale) => new Intl.ListFormat(locale, { type: "conjunction" }));

/** Names as a sentence has them: “Ada, Grace and Alan”. */
export const listed = (names: readonly string[]): string => conjunction().format(names);

const dayAndTime = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "numeric",
      minute: "2-digit",
    }),
);

/** A day and a time of it. */
export const when = (at: Date): string => dayAndTime().format(at);
