/**
 * Linkifiers that blow up in backtracking engines, texts to try them on, and pairs of texts that are dear to compare.
 */
import { fill, maxMessageCharacters } from "./markdown.ts";

/** Patterns with a group `id`; some are refused as too complex. */
export const hostilePatterns = [
  "(?P<id>(a+)+)$",
  "(?P<id>(a|aa)+)!",
  "(?P<id>(a|a?)+)b",
  "(?P<id>([a-zA-Z]+)*)1",
  "(?P<id>(.*)*(.*)*(.*)*)x",
  "(?P<id>a.*b|a)",
  "(?P<id>a{1,200}b)",
  "(?P<id>(?:a?){99}a{99})",
];

/** Patterns that are refused. */
export const refusedPatterns = ["(?P<id>a{1000})", "(?P<id>((a{100}){100}){100})", `(?P<id>${"a|".repeat(2000)}a)`];

/** Messages that these patterns nearly match. */
export const textsForPatterns = ["a".repeat(10_000), "a ".repeat(5000), `${"aaaaaaaaaaaaaaaaaaaaaaaaa!".repeat(300)}b`];

const lines = (unit: (index: number) => string): string => {
  let text = "";
  for (let index = 0; text.length < maxMessageCharacters; index++) text += unit(index);
  return text.slice(0, maxMessageCharacters);
};

/** A message before and after an edit. */
export const hostileEdits: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "the same letter": [fill("a "), fill("a ").slice(1)],
  "two words in different rhythms": [lines((i) => (i % 2 ? "a " : "b ")), lines((i) => (i % 3 ? "a " : "b "))],
  "every second word changed": [
    lines((i) => (i % 2 ? `s${i} ` : `a${i} `)),
    lines((i) => (i % 2 ? `s${i} ` : `b${i} `)),
  ],
  "every second line changed": [
    lines((i) => (i % 2 ? `s${i}\n` : `a${i}\n`)),
    lines((i) => (i % 2 ? `s${i}\n` : `b${i}\n`)),
  ],
  "350 lines, every second changed": [
    lines((i) => `${i % 2 ? "x".repeat(28) : `a${i}`.padEnd(28)}\n`),
    lines((i) => `${i % 2 ? "x".repeat(28) : `b${i}`.padEnd(28)}\n`),
  ],
  punctuation: [fill(".,"), fill(",.!")],
  "nothing in common": [fill("a "), fill("b ")],
  ampersands: [fill("&"), fill("&a")],
  "one word": ["x".repeat(10_000), "y".repeat(10_000)],
  "open angle brackets": ["<".repeat(10_000), "<a ".repeat(3_000)],
};

/** What is searched for in messages that hold it everywhere. */
export const hostileSearches: Readonly<Record<string, readonly [text: string, search: string]>> = {
  "one word repeated": [fill("a1 "), "a1"],
  "a long phrase": [fill("b2 "), `"${"b2 ".repeat(16)}c"`],
  "many phrases": [fill("c3 x1 "), Array.from({ length: 60 }, (_, index) => `"c3 x${index}"`).join(" ")],
  "one long word": ["d".repeat(900), "d".repeat(900)],
};
