/**
 * Cuts texts into words as the index of messages does (`message_words` in `storage/migrations/038_search_words.sql`). A
 * word is letters and digits, without accents and in small letters. Everything else is between words. In a row of
 * Chinese, Japanese or Korean characters each one is a word. A word with capitals inside has parts.
 */
import { stemEnglish } from "./english-stem.ts";

/** A word, or a part of one, that can be found. `start` and `end` are its place in the text, in UTF-16 units. */
export interface Form {
  start: number;
  end: number;
  /** Without accents, in small letters. */
  key: string;
}

export interface Word extends Form {
  /** Whether it is a character of a row of Chinese, Japanese or Korean ones. */
  isCharacter: boolean;
  /** Whether it follows the character before it directly. */
  isAdjacent: boolean;
  /** Parts of `getUserName`: get, User, Name, UserName. */
  parts: readonly Form[];
}

const characters =
  "\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u302f\\u3031-\\u303c\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u318f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const between =
  "\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u02c2-\\u02df\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05f3\\u05f4\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u2000-\\u2bff\\u2e00-\\u2e7f\\u2ff0-\\u3004\\u3008-\\u3020\\u3030\\u303d-\\u3040\\u30a0\\u30fb\\ue000-\\uf8ff\\ufe00-\\ufe6f\\ufff0-\\uffff\\u{1f000}-\\u{1faff}\\u{e0000}-\\u{e0fff}";
export const characterOrWord = new RegExp(`[${characters}]|[^${between}${characters}]+`, "gu");
export const character = new RegExp(`^[${characters}]`, "u");
export const asciiWord = /[a-zA-Z0-9]+/g;
export const ascii = /^[\0-\x7f]*$/;
/** Marks, and characters that are not seen. */
const unseen = /\u00ad|[\u0300-\u036f]|\u200c|\u200d|\u2060|\ufeff/gu;
/** What is normalized together: a character with its marks, or a Korean syllable in pieces. */
const cluster = /[\u1100-\u11ff]+|.(?:\p{M}|\u00ad|\u200c|\u200d|\u2060|\ufeff|\uff9e|\uff9f)*/gsu;
const letters: Readonly<Record<string, string>> = {
  ...{ ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D", ð: "d", Ð: "D", ı: "i", ß: "ss", ẞ: "SS" },
  ...{ æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", þ: "th", Þ: "TH" },
};
const foldedLetter = /[øØłŁđĐðÐıßẞæÆœŒþÞ]/g;
/** More parts than this are a key or a picture, and not a name. */
const maxParts = 8;
const noParts: readonly Form[] = [];
const beforePart = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

/** A text without accents, in its own capitals. */
export function foldAccents(text: string): string {
  return text
    .normalize("NFKD")
    .replace(unseen, "")
    .normalize("NFKC")
    .replace(foldedLetter, (letter) => letters[letter] ?? letter);
}

/** The words of a text, in order. */
export function cutWords(text: string): Word[] {
  const words: Word[] = [];
  if (ascii.test(text)) {
    for (const { 0: word, index } of text.matchAll(asciiWord)) words.push(asciiWordOf(word, index));
    return words;
  }
  const { folded, starts } = foldWithPlaces(text);
  let endOfRow = -1;
  for (const { 0: word, index } of folded.matchAll(characterOrWord)) {
    const end = index + word.length;
    const made = wordOf(word, starts[index]!, starts[end]!, (offset) => starts[index + offset]!);
    const isCharacter = character.test(word);
    words.push(isCharacter ? { ...made, isCharacter, isAdjacent: endOfRow === index } : made);
    if (isCharacter) endOfRow = end;
  }
  return words;
}

/** Nearly every word is one of these. */
function asciiWordOf(word: string, start: number): Word {
  const key = word.toLowerCase();
  const parts = key === word ? noParts : partsOf(word, (offset) => start + offset);
  return { start, end: start + word.length, key, isCharacter: false, isAdjacent: false, parts };
}

function wordOf(word: string, start: number, end: number, placeOf: (offset: number) => number): Word {
  const key = keyOf(word);
  const parts = key === word ? noParts : partsOf(word, placeOf);
  return { start, end, key, isCharacter: false, isAdjacent: false, parts };
}

export const keyOf = (word: string): string => word.toLowerCase().replaceAll("ς", "σ");

export function partsOf(word: string, placeOf: (offset: number) => number): readonly Form[] {
  const parts = word.split(beforePart);
  if (parts.length < 2 || parts.length > maxParts) return noParts;
  const forms: Form[] = [];
  let offset = 0;
  const add = (length: number) =>
    forms.push({
      start: placeOf(offset),
      end: placeOf(offset + length),
      key: keyOf(word.slice(offset, offset + length)),
    });
  for (const { length } of parts) {
    add(length);
    if (offset > 0 && offset + length < word.length) add(word.length - offset);
    offset += length;
  }
  return forms;
}

/** `folded`, and for each of its units the place in the text that it comes from. */
function foldWithPlaces(text: string): { folded: string; starts: number[] } {
  let folded = "";
  const starts: number[] = [];
  for (const { 0: piece, index } of text.matchAll(cluster)) {
    const made = foldAccents(piece);
    for (let unit = 0; unit < made.length; unit++) starts.push(index);
    folded += made;
  }
  starts.push(text.length);
  return { folded, starts };
}

/** Stems that were asked for before. Texts repeat their words, and a look-up is cheaper than a stem. */
export class Stems {
  readonly #known = new Map<string, string>();

  of(key: string): string {
    let stem = this.#known.get(key);
    if (stem === undefined) {
      stem = stemEnglish(key);
      this.#known.set(key, stem);
    }
    return stem;
  }
}
