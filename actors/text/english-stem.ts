/**
 * The stem of an English word by the Porter2 algorithm, which PostgreSQL's `english` text search uses: words with one stem
 * match each other in a search, so they are highlighted alike. The stem is a key, not a word (`happiness` → `happi`).
 *
 * Regions: R1 begins behind the first consonant that follows a vowel, R2 is the R1 of R1. Most endings are only removed
 * where they lie in one of them, so that enough of a word is left.
 * Source: https://snowballstem.org/algorithms/english/stemmer.html
 */

/** Words longer than this are left alone: they are no English, and every step stays short. */
const maxStemmedLength = 60;

const irregular: ReadonlyMap<string, string> = new Map([
  ["skis", "ski"],
  ["skies", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["idly", "idl"],
  ["gently", "gentl"],
  ["ugly", "ugli"],
  ["early", "earli"],
  ["only", "onli"],
  ["singly", "singl"],
  ...["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"].map((word) => [word, word] as const),
]);
const finalAfterPlural = new Set(["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"]);

/** Step 2, in R1, longest first: ending, and what replaces it. */
const secondEndings: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["fulness", "ful"],
  ["iveness", "ive"],
  ["ization", "ize"],
  ["ousness", "ous"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["tional", "tion"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ation", "ate"],
  ["entli", "ent"],
  ["fulli", "ful"],
  ["iviti", "ive"],
  ["ousli", "ous"],
  ["abli", "able"],
  ["alli", "al"],
  ["anci", "ance"],
  ["ator", "ate"],
  ["enci", "ence"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["li", ""],
];
/** Step 3, in R1; `ative` in R2. */
const thirdEndings: readonly (readonly [string, string])[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["ative", ""],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
/** Step 4, in R2. */
const fourthEndings: readonly (readonly [string, string])[] =
  "ement,ance,ence,able,ible,ment,ant,ent,ism,ate,iti,ous,ive,ize,ion,al,er,ic"
    .split(",")
    .map((ending) => [ending, ""]);

/** The stem of a word in any case; words with other letters than a to z are only lower-cased. */
export function stemEnglish(text: string): string {
  const word = text.toLowerCase();
  if (word.length < 3 || word.length > maxStemmedLength || !/^[a-z]+$/.test(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  // A y that is a consonant becomes Y: at the beginning and after a vowel.
  const marked = word.replace(/^y|(?<=[aeiouy])y/g, "Y");
  const r1 = startOfR1(marked);
  const r2 = regionAfter(marked, r1);
  const singular = removePlural(marked);
  if (finalAfterPlural.has(singular)) return singular;
  const base = removeParticiple(singular, r1).replace(/(?<=.[^aeiouy])[yY]$/, "i");
  const second = replaceEnding(base, secondEndings, (ending, start) => {
    if (start < r1) return false;
    if (ending === "ogi") return base[start - 1] === "l";
    return ending !== "li" || /[cdeghkmnrt]/.test(base.charAt(start - 1));
  });
  const third = replaceEnding(second, thirdEndings, (ending, start) => start >= (ending === "ative" ? r2 : r1));
  const fourth = replaceEnding(
    third,
    fourthEndings,
    (ending, start) => start >= r2 && (ending !== "ion" || /[st]/.test(third.charAt(start - 1))),
  );
  return removeLastLetter(fourth, r1, r2).toLowerCase();
}

function startOfR1(word: string): number {
  const prefix = /^(?:gener|commun|arsen)/.exec(word)?.[0];
  return prefix?.length ?? regionAfter(word, 0);
}

function regionAfter(word: string, from: number): number {
  const match = /[aeiouy][^aeiouy]/.exec(word.slice(from));
  return match ? from + match.index + 2 : word.length;
}

function removePlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ies") || word.endsWith("ied")) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith("us") || word.endsWith("ss") || !word.endsWith("s")) return word;
  return /[aeiouy]/.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function removeParticiple(word: string, r1: number): string {
  const long = /eed(?:ly)?$/.exec(word);
  if (long) return long.index >= r1 ? word.slice(0, long.index + 2) : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!ending || !/[aeiouy]/.test(word.slice(0, ending.index))) return word;
  const base = word.slice(0, ending.index);
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/^[aeo](?:dd|ff|gg)$/.test(base)) return base; // add, egg, off
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(base)) return base.slice(0, -1);
  return r1 >= base.length && endsInShortSyllable(base) ? `${base}e` : base;
}

function endsInShortSyllable(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$/.test(word);
}

/** Replaces the longest ending that the word has, if it may go; a shorter one is not tried then. */
function replaceEnding(
  word: string,
  endings: readonly (readonly [string, string])[],
  mayGo: (ending: string, start: number) => boolean,
): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (!found) return word;
  const start = word.length - found[0].length;
  return mayGo(found[0], start) ? word.slice(0, start) + found[1] : word;
}

function removeLastLetter(word: string, r1: number, r2: number): string {
  const last = word.length - 1;
  const shorter = word.slice(0, -1);
  if (word.endsWith("e") && (last >= r2 || (last >= r1 && !endsInShortSyllable(shorter)))) return shorter;
  return word.endsWith("ll") && last >= r2 ? shorter : word;
}
