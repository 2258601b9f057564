import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import { escapeText, tokenAt } from "./rendering.ts";

/**
 * Global times: `<time:2026-01-01T10:00:00Z>`. Each client shows them in its user's time zone. A time without an offset
 * is UTC. UNIX seconds are accepted as well, and dates as people write them (`31 Dec 2017`, `Jun 5th 2017, 10:30PM`).
 * What is no time stays text. Source: zulip.com/api/message-formatting, Global times.
 */
const timePattern = /<time:([^>\n]{1,100})>/y;
const isoPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?\s?(?:(Z)|([+-])(\d\d):?(\d\d))?$/i;
const unixSecondsPattern = /^-?\d{1,11}(?:\.\d{1,9})?$/;

const months = "january february march april may june july august september october november december".split(" ");
const day = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const month = `(?<month>${months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join("|")})\\.?`;
/** A date with a month's name, in the orders of both sides of the Atlantic, and the time of day behind it. */
const writtenPatterns = [`${day} ?${month},? ?(?<year>\\d{4})`, `${month} ?${day},? (?<year>\\d{4})`].map(
  (date) =>
    new RegExp(
      `^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?${date}(?:,? (?:at )?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d)(?::(?<second>\\d\\d))?)? ?(?<half>[ap]m)?)? ?(?<zone>[a-z]{1,5}|[+-]\\d\\d:?\\d\\d)?$`,
      "i",
    ),
);

/** Minutes east of Greenwich of the abbreviations that people write. */
const zones: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 60,
  bst: 60,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
  msk: 180,
  ist: 330,
  sgt: 480,
  hkt: 480,
  jst: 540,
  kst: 540,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
};

/** Adds global times to a parser. */
export function addTimestamps(md: MarkdownIt): void {
  md.inline.ruler.before("autolink", "timestamp", parseTimestamp);
  md.renderer.rules.timestamp = renderTimestamp;
}

function parseTimestamp(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c /* < */) return false;
  timePattern.lastIndex = state.pos;
  const match = timePattern.exec(state.src);
  if (match === null || timePattern.lastIndex > state.posMax) return false;
  const [, time = ""] = match;
  if (!silent) state.push("timestamp", "time", 0).content = time;
  state.pos += match[0].length;
  return true;
}

const renderTimestamp: RendererRule = (tokens, index) => {
  const text = tokenAt(tokens, index).content;
  const date = parseTime(text.trim());
  if (date === undefined) return escapeText(`<time:${text}>`);
  return `<time datetime="${date.toISOString().replace(/\.\d+Z$/, "Z")}">${escapeText(text)}</time>`;
};

/** The time that a text names, within the years 0001 to 9999. */
export function parseTime(text: string): Date | undefined {
  if (unixSecondsPattern.test(text)) return inCalendar(new Date(Math.trunc(Number(text)) * 1000));
  const match = isoPattern.exec(text);
  if (match === null) return parseWritten(text);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  if (Number(match[9] ?? 0) > 23 || Number(match[10] ?? 0) > 59) return undefined;
  const east = match[8] === undefined ? 0 : Number(match[9]) * 60 + Number(match[10]);
  return timeOf(year, month, day, hour, minute, second, match[8] === "-" ? -east : east);
}

function parseWritten(text: string): Date | undefined {
  const found = writtenPatterns.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const half = found["half"]?.toLowerCase();
  const month = found["month"]?.toLowerCase() ?? "";
  const hour = Number(found["hour"] ?? 0);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  const zone = found["zone"]?.toLowerCase() ?? "z";
  const [, sign, zoneHours, zoneMinutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const east = sign === undefined ? zones[zone] : Number(`${sign}1`) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  return east === undefined
    ? undefined
    : timeOf(
        Number(found["year"]),
        months.findIndex((name) => name.startsWith(month)) + 1,
        Number(found["day"]),
        half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0),
        Number(found["minute"] ?? 0),
        Number(found["second"] ?? 0),
        east,
      );
}

/** @param east minutes by which the clock is ahead of UTC */
function timeOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  east: number,
): Date | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute - east, second);
  return inCalendar(date);
}

function inCalendar(date: Date): Date | undefined {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}
