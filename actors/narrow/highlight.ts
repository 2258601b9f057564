/**
 * Highlights of a search: `match_content` and `match_subject` are the message's HTML and topic with `<span
 * class="highlight">` around what was found.
 *
 * PostgreSQL does not say where a message matched, and asking it for each message would cost more than the search. So
 * the places are found again here. Texts are cut as for its index (`actors/text/words.ts`). A term matches where its
 * words follow one another.
 *
 * Time is proportional to the length of the text, times at most {@link maxTermWords}.
 */
import { defined } from "../../storage/failures.ts";
import { cutWords, type Form, Stems, type Word } from "../text/words.ts";
import type { SearchTerm, Unit } from "./search-terms.ts";

/** Words of all terms together. People type fewer. */
export const maxTermWords = 64;

const openTag = '<span class="highlight">';
const closeTag = "</span>";

type Units = SearchTerm["units"];

/** The terms of one search, compiled once for all its messages. */
export class HighlightTerms {
  readonly #terms: Units[] = [];
  readonly #stems = new Stems();
  /** Terms that begin with a word. Texts repeat their words. */
  readonly #beginning = new Map<string, readonly Units[]>();

  /** @param terms Words beyond {@link maxTermWords} are left out. */
  constructor(terms: readonly SearchTerm[]) {
    let left = maxTermWords;
    for (const term of terms) {
      const units = term.units.slice(0, left);
      if (units.length > 0) this.#terms.push(units);
      left -= units.length;
    }
  }

  get isEmpty(): boolean {
    return this.#terms.length === 0;
  }

  /** Those that may begin at the word. */
  beginningAt(word: Word): readonly Units[] {
    if (word.parts.length > 0) return this.#terms;
    let found = this.#beginning.get(word.key);
    if (!found) {
      found = this.#terms.filter(([first]) => first !== undefined && this.#matches(word, first));
      this.#beginning.set(word.key, found);
    }
    return found;
  }

  /** The word or the part of it that is meant. */
  formOf(word: Word | undefined, unit: Unit): Form | undefined {
    if (word === undefined || (unit.isAdjacent && !word.isAdjacent)) return undefined;
    return this.#matches(word, unit) ? word : word.parts.find((part) => this.#matches(part, unit));
  }

  #matches({ key }: Form, unit: Unit): boolean {
    if (key === unit.key) return true;
    // Words with one stem begin alike, and most words are left here.
    if (unit.stem === undefined || key.charCodeAt(0) !== unit.key.charCodeAt(0)) return false;
    return key === unit.stem || this.#stems.of(key) === unit.stem || (unit.isPrefix && key.startsWith(unit.key));
  }
}

/** An HTML entity of what Markdown makes. None is a letter. */
const entity = /&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/gi;

/** A place in a piece of text, and whether it continues the place before it. */
interface Mark {
  start: number;
  end: number;
  isJoined: boolean;
}

/**
 * Highlights terms in HTML of our Markdown renderer. Only text is marked: no tag, no attribute, and nothing inside
 * `<math>` and `<svg>`, which do not allow `<span>`. A phrase may span tags; each of its pieces is marked alone.
 */
export function highlightHtml(html: string, terms: HighlightTerms): string {
  if (terms.isEmpty) return html;
  // As long as before, so that places stay the same.
  const readable = (text: string) =>
    text.includes("&") ? text.replace(entity, (name) => " ".repeat(name.length)) : text;
  return render(cutHtml(html), readable, terms, (text) => text);
}

/** Highlights terms in a topic, and escapes it: the result is HTML. */
export function highlightSubject(subject: string, terms: HighlightTerms): string {
  return render([{ string: subject, isText: true }], (text) => text, terms, escapeHtml);
}

interface Piece {
  string: string;
  isText: boolean;
}

function render(
  pieces: readonly Piece[],
  readable: (text: string) => string,
  terms: HighlightTerms,
  encode: (text: string) => string,
): string {
  const words: Word[] = [];
  const pieceOf: number[] = [];
  pieces.forEach(({ string, isText }, piece) => {
    if (!isText) return;
    for (const word of cutWords(readable(string))) {
      words.push(word);
      pieceOf.push(piece);
    }
  });
  const marks = marksOf(words, pieceOf, terms);
  return pieces
    .map(({ string, isText }, piece) => (isText ? renderPiece(string, marks.get(piece) ?? [], encode) : string))
    .join("");
}

function renderPiece(string: string, marks: readonly Mark[], encode: (text: string) => string): string {
  const parts: { start: number; end: number }[] = [];
  for (const { start, end, isJoined } of marks) {
    const last = parts.at(-1);
    if (last && (isJoined || start < last.end)) last.end = Math.max(last.end, end);
    else parts.push({ start, end });
  }
  let output = "";
  let position = 0;
  for (const { start, end } of parts) {
    output += encode(string.slice(position, start));
    output += openTag + encode(string.slice(start, end)) + closeTag;
    position = end;
  }
  return output + encode(string.slice(position));
}

/** What matches, by piece and in order. A word is marked once, as far as any term means it. */
function marksOf(words: readonly Word[], pieceOf: readonly number[], terms: HighlightTerms): Map<number, Mark[]> {
  const found = new Map<number, Mark>();
  words.forEach((word, first) => {
    for (const units of terms.beginningAt(word)) {
      const forms = units.map((unit, offset) => terms.formOf(words[first + offset], unit));
      if (!forms.every((form) => form !== undefined)) continue;
      forms.forEach(({ start, end }, offset) => {
        const before = found.get(first + offset);
        found.set(first + offset, {
          start: Math.min(start, before?.start ?? start),
          end: Math.max(end, before?.end ?? end),
          isJoined: (before?.isJoined ?? false) || offset > 0,
        });
      });
    }
  });
  const marks = new Map<number, Mark[]>();
  for (const [index, mark] of [...found].sort(([one], [other]) => one - other)) {
    const piece = defined(pieceOf[index], "piece of a word");
    const list = marks.get(piece);
    if (list) list.push(mark);
    else marks.set(piece, [mark]);
  }
  return marks;
}

/** Cuts HTML into text that may be marked, and everything else. */
function cutHtml(html: string): Piece[] {
  const pieces: Piece[] = [];
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    const close = open === -1 ? -1 : endOfTag(html, open);
    // The renderer closes every tag. So a “<” that is never closed is not ours; it and the rest stay unchanged.
    const textEnd = open === -1 ? html.length : open;
    if (textEnd > position) pieces.push({ string: html.slice(position, textEnd), isText: true });
    if (open === -1) break;
    const end = close === -1 ? html.length : close;
    pieces.push({ string: html.slice(open, end), isText: false });
    position = end;
  }
  return pieces;
}

/** The end of the tag at `open`, or of the whole element if no marks may be inside it. -1 if it does not end. */
function endOfTag(html: string, open: number): number {
  const opaque = /^<(math|svg|script|style)[\s>]/.exec(html.slice(open, open + 10))?.[1];
  const from = opaque ? html.indexOf(`</${opaque}`, open) : open;
  const close = from === -1 ? -1 : html.indexOf(">", from);
  return close === -1 ? -1 : close + 1;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
