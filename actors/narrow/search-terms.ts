/**
 * What a search asks for, and its queries for PostgreSQL. `actors/text/words.ts` says what a word is.
 *
 * | Written        | Finds |
 * | -------------- | --- |
 * | `runs`         | the word, words of its English stem (`running`), and if it is long, words that begin with it |
 * | `run*`         | words that begin with it |
 * | `sess.opts`    | these words one after the other, the last one as above |
 * | `"to be"`      | exactly these words one after the other |
 * | `上海`          | these characters one after the other |
 * | `-word`        | leaves out what the word would find |
 *
 * Words that are in nearly every message (`the`) are passed over, unless nothing else is asked for.
 */
import { lastOf } from "../../storage/failures.ts";
import type { WordQueries } from "../../storage/narrow/narrow.ts";
import { badRequest } from "../errors.ts";
import { stemEnglish } from "../text/english-stem.ts";
import { stopWords } from "../text/stop-words.ts";
import { cutWords } from "../text/words.ts";

/** A word of a term. */
export interface Unit {
  key: string;
  /** The English stem that counts as well. Undefined in quotes. */
  stem: string | undefined;
  /** Whether longer words that begin with it count as well. */
  isPrefix: boolean;
  isCharacter: boolean;
  isAdjacent: boolean;
}

/** Words that have to follow one another. */
export interface SearchTerm {
  /** Never none. */
  units: readonly Unit[];
  /** For messages with the index of the version before. */
  written: string;
}

/** A message must have all terms that are wanted, and none of the others. */
export interface SearchTerms {
  wanted: SearchTerm[];
  unwanted: SearchTerm[];
  /** Whether nothing is asked for. There may be no terms although something is, an emoji say. */
  isBlank: boolean;
}

/** Letters of a word that finds longer ones by itself, and of one with a star. Shorter ones begin too many words. */
const minPrefix = 4;
const minStarred = 3;
/** The index has a lexeme for the first letters of each longer word. */
const indexedPrefix = 4;
/** The index reads all words that begin with a prefix. */
const maxPrefixes = 16;
/** No message has it. */
const nothing = "'#nothing'";

const ignored = new Set(stopWords);

/** Cuts what somebody wrote into terms. */
export function parseSearch(text: string): SearchTerms {
  const terms: SearchTerms = { wanted: [], unwanted: [], isBlank: true };
  let prefixesLeft = maxPrefixes;
  // A minus inside a word is a hyphen.
  for (const [, minus, phrase, word] of text.matchAll(/((?<=^|\s)-(?=["\p{L}\p{N}]))?(?:"([^"]*)"?|([^\s"]+))/gu)) {
    const written = (phrase ?? word ?? "").trim();
    if (written === "") continue;
    terms.isBlank = false;
    const units = unitsOf(written, phrase !== undefined, prefixesLeft > 0);
    if (units.length === 0) continue;
    (minus ? terms.unwanted : terms.wanted).push({ units, written });
    if (lastOf(units).isPrefix) prefixesLeft--;
  }
  const telling = terms.wanted.filter(isTelling);
  return telling.length > 0 ? { ...terms, wanted: telling } : terms;
}

function isTelling({ units: [first, second] }: SearchTerm): boolean {
  if (first === undefined || second !== undefined) return true;
  return first.stem === undefined || first.isPrefix || !ignored.has(first.key);
}

function unitsOf(written: string, isQuoted: boolean, mayBePrefix: boolean): Unit[] {
  const words = cutWords(written);
  const isStarred = /[\p{L}\p{N}]\*$/u.test(written);
  return words.map(({ key, isCharacter, isAdjacent }, index) => {
    const isLast = index === words.length - 1;
    // Every second number begins with a short one.
    const least = isStarred ? minStarred : /^\d+$/.test(key) ? Number.POSITIVE_INFINITY : minPrefix;
    return {
      key,
      stem: isQuoted || isCharacter ? undefined : stemEnglish(key),
      isPrefix: !isQuoted && !isCharacter && isLast && mayBePrefix && key.length >= least,
      isCharacter,
      isAdjacent,
    };
  });
}

/** Queries for messages that have all of the terms. */
export function queriesOf(terms: readonly SearchTerm[]): WordQueries {
  const all = (parts: string[]) => (parts.length > 0 ? parts.join(" & ") : nothing);
  const wide = terms.flatMap(widely);
  return {
    query: all(terms.map(exactly)),
    wide: all(wide),
    isSelective: wide.length > 1,
    before: terms.map(({ written }) => `"${written}"`).join(" "),
  };
}

/**
 * What somebody asks a search for, and the `tsquery` for it, which stands for the search where it is asked again.
 *
 * @throws BAD_REQUEST when it has nothing to find: it would find nothing, and nobody would notice
 */
export function keptSearch(text: string): { text: string; words: string } {
  const { wanted, unwanted } = parseSearch(text);
  if (wanted.length === 0) throw badRequest("query has to name a word to find.");
  const { query } = queriesOf(wanted);
  const without = unwanted.length === 0 ? "" : ` & !(${unwanted.map(exactly).join(" | ")})`;
  return { text, words: `${query}${without}` };
}

/** The lexemes of a term: each with its place, if it has to be at one. */
interface Lexeme {
  place: number;
  exact: string;
  /** Undefined if it would ask for too much. */
  wide: string | undefined;
}

function lexemesOf({ units }: SearchTerm): Lexeme[] {
  const lexemes: Lexeme[] = [];
  units.forEach((unit, place) => {
    const next = units[place + 1];
    const query = unit.isCharacter ? characterQuery(unit, next) : wordQuery(unit, units.length > 1);
    // The last character of a row is part of the pair before.
    if (unit.isCharacter && unit.isAdjacent && !next?.isAdjacent) return;
    lexemes.push({ place, ...query });
  });
  return lexemes;
}

function characterQuery({ key }: Unit, next: Unit | undefined): Omit<Lexeme, "place"> {
  if (next?.isAdjacent) return { exact: `'${key}${next.key}'`, wide: `'${key}${next.key}'` };
  return { exact: `'${key}':*`, wide: `'${key}':*` };
}

function wordQuery({ key, stem, isPrefix }: Unit, isInPhrase: boolean): Omit<Lexeme, "place"> {
  // The index has no weights: for them each message would be read and looked at.
  if (stem === undefined) return { exact: `'${key}':A`, wide: `'${key}'` };
  const words = stem === key ? `'${key}'` : `'${key}' | '${stem}'`;
  if (!isPrefix) return { exact: `(${words})`, wide: `(${words})` };
  const prefix = `'${key}':*`;
  const long = `'^${[...key].slice(0, indexedPrefix).join("")}'`;
  const length = [...key].length;
  const isIndexed = length === indexedPrefix && !isInPhrase;
  return {
    exact: `(${words} | ${isIndexed ? long : prefix})`,
    wide: length >= indexedPrefix ? `(${words} | ${long})` : undefined,
  };
}

function exactly(term: SearchTerm): string {
  const lexemes = lexemesOf(term);
  const text = lexemes.map(({ exact, place }, index) => {
    const before = lexemes[index - 1];
    return before ? `<${place - before.place}> ${exact}` : exact;
  });
  return `(${text.join(" ")})`;
}

function widely(term: SearchTerm): string[] {
  const lexemes = lexemesOf(term);
  const wide = lexemes.flatMap((lexeme) => lexeme.wide ?? []);
  return wide.length > 0 ? wide : lexemes.map(({ exact }) => exact);
}
