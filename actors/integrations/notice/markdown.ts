/** Markdown that is made of other people's texts: it calls nobody, and shows no link under another name. */
import { upTo } from "../../../storage/failures.ts";

/** Longest name or title that is shown. */
const maxLine = 300;
const maxLabel = 200;

/** The first so many units of a text; no half of a pair stays at the end. */
export const cut = (text: string, max: number): string => text.slice(0, max).replace(/[\ud800-\udbff]$/, "");

/** Mentions become silent ones: what strangers write into an issue wakes nobody here. */
export const harmless = (text: string): string =>
  text.replaceAll("@*", "@_*").replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "");

/**
 * A message that was put together of such texts. Pieces that are harmless alone may call somebody side by side, and a
 * name that it begins with is no command, as `/poll` would be.
 */
export const composed = (content: string): string => harmless(content).replace(/^\s*\/+(?=[a-z])/, "");

/** A name or title: one line, that opens no block of code and has no link but bare addresses. */
export const plain = (text: string): string =>
  cut(
    harmless(cut(text, 2 * maxLine))
      .replace(/\s+/g, " ")
      .trim(),
    maxLine,
  )
    .replace(/\](?=[([])/g, "] ")
    .replace(/^(?:`{3,}|~{3,})/, "");

/** A link, or the text alone where the address is none. */
export function link(text: string, url: string): string {
  const label = cut(plain(text), maxLabel).replaceAll("[", "(").replaceAll("]", ")");
  if (!/^https?:\/\/[^\s<>/]/.test(url)) return label;
  const address = url.replace(/[\s()[\]<>`\\*"]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return label === "" ? address : `[${label}](${address})`;
}

/** A text of several lines, set apart. */
export function quote(text: string): string {
  const fence = "~".repeat(Math.max(3, ...[...text.matchAll(/~{3,}/g)].map(([run]) => run.length + 1)));
  return text === "" ? "" : `\n${fence} quote\n${text}\n${fence}`;
}

/** A block of code of some language. */
export function block(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A few words as code. */
export const code = (text: string): string => (text === "" ? "" : `\`${plain(text).replaceAll("`", "'")}\``);

/** The first so many, and how many more there are. */
export function listed(lines: readonly string[], max = 20): string {
  const more = lines.length - max;
  return [...lines.slice(0, max).map((line) => `* ${line}`), ...(more > 0 ? [`* … and ${more} more`] : [])].join("\n");
}

/** A line for each field that says something. */
export const fields = (named: readonly (readonly [name: string, value: string])[]): string =>
  named
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `* **${name}**: ${value}`)
    .join("\n");

/** Names one after the other, the last after "and". */
export const together = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

export const firstLine = (text: string): string => cut(plain(upTo(text, "\n")), maxLabel);

/** What services write with low lines, as people write it. */
export const spoken = (word: string): string => word.replaceAll("_", " ").toLowerCase();

/** A moment, which clients show in their own time zone: from ISO 8601, or from seconds or milliseconds. */
export function moment(when: string): string {
  // Ten digits are seconds until the year 2286.
  const value = /^\d{9,10}(?:\.\d+)?$/.test(when) ? Number(when) * 1000 : /^\d{13}$/.test(when) ? Number(when) : when;
  if (typeof value === "string" && !/^\d{4}-\d\d-\d\dT/.test(value)) return value;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? when : `<time:${date.toISOString().replace(".000Z", "Z")}>`;
}

/** The short form of a commit's hash. */
export const shortHash = (hash: string): string => cut(hash, 11);
