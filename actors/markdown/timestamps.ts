import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import { escapeHtml } from "./rendering.ts";

/**
 * Global times: `<time:2026-01-01T10:00:00Z>`. Each client shows them in its user's time zone. A time without an offset
 * is UTC, and UNIX seconds are accepted as well. Source: zulip.com/api/message-formatting, Global times.
 */
const timePattern = /<time:([^<>\n]{1,100})>/y;
const isoPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?)?\s?(?:(Z)|([+-])(\d\d):?(\d\d))?$/i;
const unixSecondsPattern = /^-?\d{1,11}(?:\.\d{1,9})?$/;

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
  if (!silent) state.push("timestamp", "time", 0).content = match[1]!;
  state.pos += match[0].length;
  return true;
}

const renderTimestamp: RendererRule = (tokens, index) => {
  const text = tokens[index]!.content;
  const date = parseTime(text.trim());
  if (date === undefined) return `<span class="timestamp-error">Invalid time format: ${escapeHtml(text)}</span>`;
  return `<time datetime="${date.toISOString().replace(/\.\d+Z$/, "Z")}">${escapeHtml(text)}</time>`;
};

/** The time that a text names, within the years 0001 to 9999. */
export function parseTime(text: string): Date | undefined {
  if (unixSecondsPattern.test(text)) return inCalendar(new Date(Math.trunc(Number(text)) * 1000));
  const match = isoPattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const offsetMinutes = match[8] === undefined ? 0 : Number(match[9]) * 60 + Number(match[10]);
  if (hour! > 23 || minute! > 59 || second! > 59 || Number(match[9] ?? 0) > 23 || Number(match[10] ?? 0) > 59)
    return undefined;
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day!);
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour!, minute! - (match[8] === "-" ? -offsetMinutes : offsetMinutes), second!);
  return inCalendar(date);
}

function inCalendar(date: Date): Date | undefined {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}
