/**
 * What texts may have in them. One rule for all: a text can be stored and sent, and a line shows what it says.
 *
 * | Kind | What it is                              | What it may not have                                       |
 * | text | messages, descriptions, notes, contents | null characters, halves of surrogate pairs                 |
 * | line | topics, titles, words, labels, links    | also controls, ends of lines, noncharacters, turns of text |
 * | name | people, channels, groups, folders       | also what is not seen (`legible-name.ts`)                  |
 *
 * Joiners, direction marks, variation selectors and tags may be in all: scripts and emoji need them.
 */

const unstorables = /[\0\p{Cs}]/gu;
/** Controls, halves of pairs, noncharacters, ends of lines, and what turns the order of the text after it. */
const unprintable = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028-\u202e\u2066-\u2069]/u;
const unprintables = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u2028-\u202e\u2066-\u2069]+/gu;

/** Whether a text can be stored. Every text that comes in is asked. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Whether a text is one line that shows what it says. */
export const isLine = (text: string): boolean => !unprintable.test(text);

/** The text with signs of replacement for what cannot be stored. */
export const storable = (text: string): string => (isStorable(text) ? text : text.replace(unstorables, "\ufffd"));

/** The text as one line. */
export const asLine = (text: string): string => (unprintable.test(text) ? text.replace(unprintables, " ") : text);

/** As much of a text as `max` code points. */
export const beginning = (text: string, max: number): string =>
  text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join("");

/** Whether a text has more code points than `max`. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}
