/**
 * What other services send, read without trust: every value is looked up by its path, and one that is not there or of
 * another kind counts as none. Texts are made so that they call nobody.
 */

/** A value somewhere in a payload. */
export class Payload {
  constructor(private readonly value: unknown) {}

  /** The value at a path of names and places: `commits.0.id`. */
  at(path: string): Payload {
    let value: unknown = this.value;
    for (const part of path.split(".")) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return new Payload(undefined);
      value = (value as Record<string, unknown>)[part];
    }
    return new Payload(value);
  }

  has(path: string): boolean {
    const { value } = this.at(path);
    return value !== undefined && value !== null;
  }

  /** A text or number at a path; the other text where there is none. */
  text(path: string, otherwise = ""): string {
    const { value } = this.at(path);
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return typeof value === "string" && value.trim() !== "" ? harmless(value.trim()) : otherwise;
  }

  /** The items of a list at a path; none where there is no list. */
  list(path: string): Payload[] {
    const { value } = this.at(path);
    return Array.isArray(value) ? value.map((item) => new Payload(item)) : [];
  }

  is(path: string, wanted: unknown): boolean {
    return this.at(path).value === wanted;
  }

  /** All of it, as somebody would write it down. */
  pretty(): string {
    return JSON.stringify(this.value, null, 2) ?? "null";
  }
}

/** Mentions become silent ones: what strangers write into an issue wakes nobody here. */
const harmless = (text: string): string => text.replaceAll("@*", "@_*");

/** A link, or the text alone where the address is none. */
export function link(text: string, url: string): string {
  const label = text.replace(/[[\]\n]/g, " ").trim();
  return /^https?:\/\/[^\s()<>]+$/.test(url) ? `[${label}](${url})` : label;
}

/** A text of several lines, set apart. */
export function quote(text: string): string {
  const fence = "~".repeat(Math.max(3, ...[...text.matchAll(/~{3,}/g)].map(([run]) => run.length + 1)));
  return text === "" ? "" : `\n${fence} quote\n${text}\n${fence}`;
}

/** The first so many, and how many more there are. */
export function listed(lines: readonly string[], max = 20): string {
  const more = lines.length - max;
  return [...lines.slice(0, max).map((line) => `* ${line}`), ...(more > 0 ? [`* … and ${more} more`] : [])].join("\n");
}

export const firstLine = (text: string): string => text.split("\n", 1)[0]!.slice(0, 200);
