import { stem } from "porter2";

/** Words longer than this are no English and are left alone. */
const maxStemmedLength = 60;
/**
 * Short words that keep their doubled letter (`added` → `add`), as newer versions of the algorithm and PostgreSQL have
 * it.
 */
const keptDouble = /^([aeo]([bdfgmnprt])\2)(?:ed|ing)(?:ly)?$/;

/**
 * The stem of an English word by the Porter2 algorithm (https://snowballstem.org/algorithms/english/stemmer.html),
 * which PostgreSQL's `english` text search uses: words with one stem match each other in a search, so they are
 * highlighted alike. The stem is a key, not a word (`happiness` → `happi`). A word with other letters than a to z is
 * only lower-cased.
 */
export function stemEnglish(text: string): string {
  const word = text.toLowerCase();
  if (word.length > maxStemmedLength || !/^[a-z]+$/.test(word)) return word;
  return keptDouble.exec(word)?.[1] ?? stem(word);
}
