import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { emojiAliases } from "./emoji/aliases.ts";

/** One line for each emoji that clients know by names that the data set lacks. `emoji-names.mjs` writes it. */
const namesTable = new URL("emoji/names.txt", import.meta.url);

/**
 * The Unicode emoji: their names and codes. A code is the lower-case hexadecimal code points joined by `-`, without the
 * variation selector `fe0f`. Clients call it `emoji_code`. Names come from three places: the table that clients know,
 * our own aliases, and the short names of the data set with `_` for `-`. The first place that has a name wins.
 */
interface EmojiTable {
  codeByName: Map<string, string>;
  namesByCode: Map<string, string[]>;
  characters: CharacterNode;
  /** Codes by category, in the order in which pickers show them. */
  catalog: Record<string, string[]>;
}

/** A node of the tree of known emoji sequences, one code point deep. The paths leave out `fe0f`. */
interface CharacterNode {
  next: Map<number, CharacterNode>;
  /**
   * The code of the emoji that ends here. It is "" for one that is recognised but left unchanged: skin tones have no
   * name.
   */
  code?: string;
}

interface DataSetEntry {
  unified: string;
  short_names: string[];
  category: string;
  sort_order: number;
  skin_variations?: Record<string, { unified: string }>;
}

/** In the order in which Unicode lists them. */
export const emojiCategories = [
  "Smileys & Emotion",
  "People & Body",
  "Animals & Nature",
  "Food & Drink",
  "Travel & Places",
  "Activities",
  "Objects",
  "Symbols",
  "Flags",
] as const;

const variationSelector = 0xfe0f;
const textSelector = 0xfe0e;

/**
 * The only module-level `let` of this folder. It caches a pure function of the installed data set, which is the same
 * for every realm and message. It is lazy: reading the data takes about 30 ms and a few megabytes, and not every
 * process renders messages.
 */
let memo: EmojiTable | undefined;

function emojiTable(): EmojiTable {
  memo ??= buildTable();
  return memo;
}

function buildTable(): EmojiTable {
  const file = createRequire(import.meta.url).resolve("emoji-datasource/emoji.json");
  const entries: DataSetEntry[] = JSON.parse(readFileSync(file, "utf8"));
  const table: EmojiTable = {
    codeByName: new Map(),
    namesByCode: new Map(),
    characters: { next: new Map() },
    catalog: catalogOf(entries),
  };
  for (const line of readFileSync(namesTable, "utf8").trim().split("\n")) {
    const [code = "", ...names] = line.split(" ");
    for (const name of names) addName(table, code, name);
    addSequence(table.characters, code, code);
  }
  for (const [code, names] of Object.entries(emojiAliases)) for (const name of names) addName(table, code, name);
  for (const entry of entries) {
    const code = codeOf(entry.unified);
    for (const shortName of entry.short_names) addName(table, code, shortName.replace(/(?<=\w)-/g, "_"));
    addSequence(table.characters, code, code);
    for (const variation of Object.values(entry.skin_variations ?? {})) {
      addSequence(table.characters, codeOf(variation.unified), "");
    }
  }
  return table;
}

/** Parts of other emoji, such as the tones of skin, are in no category. */
function catalogOf(entries: readonly DataSetEntry[]): Record<string, string[]> {
  const catalog: Record<string, string[]> = Object.fromEntries(emojiCategories.map((category) => [category, []]));
  for (const { category, unified } of entries.toSorted((a, b) => a.sort_order - b.sort_order))
    catalog[category]?.push(codeOf(unified));
  return catalog;
}

function addName(table: EmojiTable, code: string, name: string): void {
  if (table.codeByName.has(name)) return;
  table.codeByName.set(name, code);
  const names = table.namesByCode.get(code);
  if (names === undefined) table.namesByCode.set(code, [name]);
  else names.push(name);
}

function codeOf(unified: string): string {
  return unified
    .toLowerCase()
    .split("-")
    .filter((codePoint) => codePoint !== "fe0f")
    .join("-");
}

function addSequence(root: CharacterNode, sequence: string, code: string): void {
  let node = root;
  for (const hex of sequence.split("-")) {
    const codePoint = Number.parseInt(hex, 16);
    let child = node.next.get(codePoint);
    if (child === undefined) {
      child = { next: new Map() };
      node.next.set(codePoint, child);
    }
    node = child;
  }
  node.code ??= code;
}

/** The Unicode emoji with this name (without colons). */
export function emojiByName(name: string): { code: string } | undefined {
  const code = emojiTable().codeByName.get(name);
  return code === undefined ? undefined : { code };
}

/** The names of an emoji, the preferred one first. Empty for an unknown code. */
export function emojiNames(code: string): string[] {
  return emojiTable().namesByCode.get(code)?.slice() ?? [];
}

/** All codes with their names: the `code_to_names` of `server_emoji_data_url`. */
export function allEmojiCodesToNames(): Record<string, string[]> {
  return Object.fromEntries([...emojiTable().namesByCode].map(([code, names]) => [code, names.slice()]));
}

/** Codes by category, in the order in which pickers show them: the `emoji_catalog` of `server_emoji_data_url`. */
export function emojiCatalog(): Readonly<Record<string, readonly string[]>> {
  return emojiTable().catalog;
}

/** The emoji that every realm has and Unicode does not. Its `emoji_code` is its name (`zulip_extra_emoji`). */
export function extraEmojiByName(name: string): { name: string; code: string; source_url: string } | undefined {
  if (name !== "zulip") return undefined;
  return { name, code: name, source_url: "/static/generated/emoji/images/emoji/unicode/zulip.png" };
}

/** Where an emoji can begin. A character below U+2300 (©, ™, ↔, 1) becomes an emoji only with `fe0f` or as a keycap. */
const candidatePattern =
  /[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa](?=\ufe0f)|[\d#*](?=\ufe0f?\u20e3)|[\u2300-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299]|[\ud83c-\ud83e][\udc00-\udfff]/;

/** Several emoji that are joined into one. Source: unicode.org/reports/tr51, ED-15a. */
const sequencePattern =
  /\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f\u20e3?)?(?:\u200d\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f\u20e3?)?)+/uy;

/** The emoji characters in a text, in order, as UTF-16 offsets. Each is the longest possible sequence. */
export function findEmojiCharacters(text: string): { start: number; end: number; code: string }[] {
  const found: { start: number; end: number; code: string }[] = [];
  if (!candidatePattern.test(text)) return found;
  // Each call needs its own copy: a global pattern stores its offset.
  const candidates = new RegExp(candidatePattern, "g");
  for (let candidate = candidates.exec(text); candidate !== null; candidate = candidates.exec(text)) {
    const match = longestEmojiAt(text, candidate.index);
    if (match === undefined) continue;
    // Part of a sequence that nobody knows is no emoji: the whole of it stays as it is.
    sequencePattern.lastIndex = candidate.index;
    const end = sequencePattern.test(text) ? sequencePattern.lastIndex : match.end;
    if (end > match.end) match.code = "";
    candidates.lastIndex = Math.max(end, match.end);
    if (match.code !== "") found.push({ start: candidate.index, ...match });
  }
  return found;
}

function longestEmojiAt(text: string, start: number): { end: number; code: string } | undefined {
  let node: CharacterNode | undefined = emojiTable().characters;
  let longest: { end: number; code: string } | undefined;
  for (let position = start; position < text.length; ) {
    const codePoint = text.codePointAt(position) ?? 0;
    if (codePoint === variationSelector && position > start) {
      position++;
      if (longest?.end === position - 1) longest.end = position;
      continue;
    }
    node = node.next.get(codePoint);
    if (node === undefined) break;
    position += codePoint > 0xffff ? 2 : 1;
    if (node.code !== undefined) longest = { end: position, code: node.code };
  }
  // This selector means "show as text", so the character stays as it is.
  return longest !== undefined && text.charCodeAt(longest.end) === textSelector ? undefined : longest;
}
