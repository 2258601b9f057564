import { stem } from "porter2";

/** Longer words are not English, and are left alone. */
const maxStemmedLength = 60;
/**
 * Short words that keep their doubled letter (`added` → `add`), as in newer versions of the algorithm and in
 * PostgreSQL.
 */
const keptDouble = /^([aeo]([bdfgmnprt])\2)(?:ed|ing)(?:ly)?$/;

/**
 * The stem of an English word by the Porter2 algorithm (https://snowballstem.org/algorithms/english/stemmer.html).
 * PostgreSQL's `english` text search uses it too. So words with one stem match each other, and are highlighted alike.
 * The stem is a key, not a word (`happiness` → `happi`). A word with letters other than a to z is only lower-cased.
 */
export function stemEnglish(text: string): string {
  const word = text.toLowerCase();
  if (word.length > maxStemmedLength || !/^[a-z]+$/.test(word)) return word;
  return keptDouble.exec(word)?.[1] ?? stem(word);
}
