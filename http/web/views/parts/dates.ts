/** Formats dates and times. */
import { perLanguage, spoken } from "../../languages/speaking.ts";
import { t } from "../../texts.ts";

const time = perLanguage((locale) => new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" }));
const time24 = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
);
const day = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" }),
);
const dayOfYear = perLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
);
const short = perLanguage((locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" }));
const full = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" }));
const relative = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));

const narrow = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { style: "short" }));

const dayMs = 86_400_000;
const startOfDay = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();

/** The day of a time in UNIX seconds: its first second, and that of the next day. */
export function dayAround(seconds: number): { from: number; to: number } {
  const at = new Date(seconds * 1000);
  const midnight = (later: number) => new Date(at.getFullYear(), at.getMonth(), at.getDate() + later).getTime() / 1000;
  return { from: midnight(0), to: midnight(1) };
}

export const timeOf = (seconds: number, has24Hours = false): string =>
  (has24Hours ? time24 : time)().format(new Date(seconds * 1000));

/** The time of day somewhere else, or the name of a time zone that the browser does not know. */
export function timeIn(timeZone: string, has24Hours: boolean): string {
  const hours = has24Hours ? ({ hour: "2-digit", hourCycle: "h23" } as const) : ({ hour: "numeric" } as const);
  try {
    return new Intl.DateTimeFormat(spoken.value.locale, { timeZone, ...hours, minute: "2-digit" }).format();
  } catch {
    return timeZone;
  }
}

export const fullTime = (seconds: number): string => full().format(new Date(seconds * 1000));

export function dayName(seconds: number): string {
  const at = new Date(seconds * 1000);
  const days = Math.round((startOfDay(new Date()) - startOfDay(at)) / dayMs);
  if (days === 0) return t.today;
  if (days === 1) return t.yesterday;
  return at.getFullYear() === new Date().getFullYear() ? day().format(at) : dayOfYear().format(at);
}

/** A day as people write it. @param day `YYYY-MM-DD` */
export function dateText(day: string): string {
  const at = new Date(`${day}T00:00:00`);
  return Number.isNaN(at.getTime()) ? day : dayOfYear().format(at);
}

/** In a table: as short as can be; the day, when it is more than a week ago. */
export function agoShort(seconds: number): string {
  const minutes = Math.floor((Date.now() / 1000 - seconds) / 60);
  if (minutes < 1) return t.justNow;
  if (minutes < 60) return narrow().format(-minutes, "minute");
  if (minutes < 60 * 24) return narrow().format(-Math.floor(minutes / 60), "hour");
  if (minutes < 60 * 24 * 7) return narrow().format(-Math.floor(minutes / 60 / 24), "day");
  return short().format(new Date(seconds * 1000));
}

export function ago(seconds: number): string {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60);
  if (minutes < 60) return relative().format(-minutes, "minute");
  if (minutes < 60 * 24) return relative().format(-Math.round(minutes / 60), "hour");
  return relative().format(-Math.round(minutes / 60 / 24), "day");
}
