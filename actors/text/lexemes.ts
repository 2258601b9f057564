/**
 * What messages are found by, as PostgreSQL's `message_words` makes it (`storage/migrations/038_search_words.sql`), for
 * a tenth of the time. PostgreSQL makes it for whatever is stored without it.
 */
import { stemEnglish } from "./english-stem.ts";
import { stopWords } from "./stop-words.ts";
import { ascii, asciiWord, character, characterOrWord, foldAccents, keyOf, partsOf } from "./words.ts";

/** PostgreSQL cuts longer ones. */
const maxWord = 500;
/** The index has a lexeme for so many first letters of each longer word. */
const indexedPrefix = 4;
const maxStemmed = 60;
const withoutStem = new Set(stopWords);
/** What follows a lexeme, by the lexeme: texts repeat their words. It begins anew when it is full. */
const known = new Map<string, { stem: string; beginning: string }>();
const maxKnown = 50_000;
/** Longer words hardly come again. */
const maxKnownLength = 32;

/**
 * The lexemes of a text, for a cast to `tsvector`. Undefined: PostgreSQL has to make them.
 *
 * Each word has its place with weight A, and its English stem has the place alone. A word of more than four letters has
 * a lexeme for its beginning as well. Of Chinese, Japanese and Korean each two characters are one.
 */
export function lexemesOf(text: string): string | undefined {
  const isAscii = ascii.test(text);
  const folded = isAscii ? text : foldAccents(text);
  let lexemes = "";
  let place = 0;
  /** The character before, whose pair may follow, and where it ends. */
  let first: { key: string; end: number } | undefined;
  const endRow = () => {
    if (first) lexemes += `${first.key}:${place}A `;
    first = undefined;
  };
  for (const { 0: word, index } of folded.matchAll(isAscii ? asciiWord : characterOrWord)) {
    if (word.length > maxWord) return undefined;
    const key = keyOf(word);
    if (!isAscii && character.test(word)) {
      if (first?.end === index) lexemes += `${first.key}${key}:${place}A `;
      else endRow();
      first = { key, end: index + word.length };
      place++;
      continue;
    }
    endRow();
    place++;
    lexemes += lexemeOf(key, place);
    if (key !== word) for (const part of partsOf(word, (offset) => offset)) lexemes += lexemeOf(part.key, place);
  }
  endRow();
  return lexemes;
}

function lexemeOf(key: string, place: number): string {
  let more = known.get(key);
  if (more === undefined) {
    more = moreOf(key);
    if (known.size >= maxKnown) known.clear();
    if (key.length <= maxKnownLength) known.set(key, more);
  }
  const { stem, beginning } = more;
  return stem === "" ? `${key}:${place}A ${beginning}` : `${key}:${place}A ${stem}:${place} ${beginning}`;
}

function moreOf(key: string): { stem: string; beginning: string } {
  const isEnglish = /^[a-z]+$/.test(key) && key.length <= maxStemmed && !withoutStem.has(key);
  const stem = isEnglish ? stemEnglish(key) : key;
  const letters = [...key.slice(0, 2 * indexedPrefix + 2)];
  return {
    stem: stem === key ? "" : stem,
    beginning: letters.length > indexedPrefix ? `^${letters.slice(0, indexedPrefix).join("")} ` : "",
  };
}
