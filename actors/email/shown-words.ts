/**
 * Emoji as characters and times as people read them, for what mail programs show: they have no pictures of ours, and
 * know nobody's time zone.
 */
import { escapeHtml } from "../markdown/rendering.ts";
import { type Language, localeOf } from "../text/languages.ts";

const emojiPattern = /<span [^>]*class="emoji emoji-([0-9a-f-]{1,80})"[^>]*>(:[^<]{1,100}:)<\/span>/g;
const timePattern = /<time datetime="([^"]{1,40})">([^<]*)<\/time>/g;

const charactersOf = (code: string): string =>
  String.fromCodePoint(...code.split("-").map((point) => Number.parseInt(point, 16)));

/** A time in somebody's zone and language. @param at UNIX seconds */
export function timeIn(timezone: string, at: number, language: Language): string {
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat(localeOf(language), { dateStyle: "full", timeStyle: "short", timeZone }).format(at * 1000);
  const zoneOf = (timeZone: string) =>
    new Intl.DateTimeFormat("en-GB", { timeZoneName: "short", timeZone })
      .formatToParts(at * 1000)
      .find(({ type }) => type === "timeZoneName")?.value ?? "";
  try {
    return `${format(timezone || "UTC")} ${zoneOf(timezone || "UTC")}`;
  } catch {
    return `${format("UTC")} UTC`;
  }
}

const shownTime = (datetime: string, timezone: string, language: Language): string | undefined => {
  const at = Date.parse(datetime);
  return Number.isNaN(at) ? undefined : timeIn(timezone, Math.floor(at / 1000), language);
};

/** @param html what our Markdown renderer made */
export function wordsInHtml(html: string, timezone: string, language: Language): string {
  return html
    .replace(emojiPattern, (_span, code: string) => charactersOf(code))
    .replace(timePattern, (_time, datetime: string, text: string) => {
      const shown = shownTime(datetime, timezone, language);
      return shown === undefined ? text : escapeHtml(shown);
    });
}

/** The same in the text as it was typed, where the renderer took it for emoji and times. */
export function wordsInText(source: string, html: string, timezone: string, language: Language): string {
  const known = new Map<string, string>();
  for (const [, code = "", name = ""] of html.matchAll(emojiPattern)) known.set(name, charactersOf(code));
  const named = known.size === 0 ? source : source.replace(/:[\w+-]{1,100}:/g, (name) => known.get(name) ?? name);
  if (!html.includes("<time ")) return named;
  return named.replace(
    /<time:([^>\n]{1,100})>/g,
    (whole, text: string) => shownTime(text, timezone, language) ?? whole,
  );
}
