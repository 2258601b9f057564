import { stemEnglish } from "../text/english-stem.ts";

/**
 * Highlights of a search: `match_content` and `match_subject` are the message's HTML and topic with `<span
 * class="highlight">` around the matched words.
 *
 * PostgreSQL searches with its `english` configuration. It does not say where a message matched, and asking it for each
 * message would cost more than the search. So the places are found again here, by nearly the same rules. A text is cut
 * at everything that is neither letter nor digit. Words match by stem and ignore case. A term of several words matches
 * where they follow one another. Stop words alone match nothing. Two rules are left out: the parser's special tokens
 * (an e-mail address or URL matches by its words here), and the dictionaries of compound words.
 *
 * Time is proportional to the length of the text, times at most {@link maxTermWords}.
 */

/** Words of all terms together. People type fewer. */
export const maxTermWords = 64;

const openTag = '<span class="highlight">';
const closeTag = "</span>";

/** The terms of one search, compiled once for all its messages. */
export interface HighlightTerms {
  /** Terms as lists of stems, by their first stem. */
  readonly byFirstStem: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly stems: Stems;
}

/** A cache of stems. Texts repeat their words, and a look-up is cheaper than a stem. */
class Stems {
  readonly #known = new Map<string, string>();

  of(word: string): string {
    let stem = this.#known.get(word);
    if (stem === undefined) {
      stem = stemEnglish(word);
      this.#known.set(word, stem);
    }
    return stem;
  }
}

/** English words that PostgreSQL's search ignores. Source: PostgreSQL, tsearch_data/english.stop. */
const stopWords: ReadonlySet<string> = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its " +
    "itself they them their theirs themselves what which who whom this that these those am is are was were be been being " +
    "have has had having do does did doing a an the and but if or because as until while of at by for with about against " +
    "between into through during before after above below to from up down in out on off over under again further then once " +
    "here there when where why how all any both each few more most other some such no nor not only own same so than too very " +
    "s t can will just don should now"
  ).split(" "),
);

/** An HTML entity, which is never a word, or a word. */
const entityOrWord = /&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});|[\p{L}\p{M}\p{N}]+/giu;
const plainWord = /[\p{L}\p{M}\p{N}]+/gu;

/** Compiles terms. A term is a word or a phrase as it was typed. Words beyond {@link maxTermWords} are left out. */
export function compileHighlightTerms(terms: readonly string[]): HighlightTerms {
  const byFirstStem = new Map<string, string[][]>();
  let left = maxTermWords;
  for (const term of terms) {
    const words = Array.from(term.slice(0, 1_000).matchAll(plainWord), ([word]) => word).slice(0, left);
    if (words.length === 0 || words.every((word) => stopWords.has(word.toLowerCase()))) continue;
    left -= words.length;
    const stems = words.map(stemEnglish);
    const others = byFirstStem.get(stems[0]!);
    if (others) others.push(stems);
    else byFirstStem.set(stems[0]!, [stems]);
  }
  return { byFirstStem, stems: new Stems() };
}

/** A word of a document: its place in its piece of text, and whether it is part of a match. */
interface Word {
  piece: number;
  start: number;
  end: number;
  stem: string;
  matched: boolean;
  /** Whether it continues the phrase of the word before it. */
  joined: boolean;
}

/**
 * Highlights terms in HTML of our Markdown renderer. Only text is marked: no tag, no attribute, and nothing inside
 * `<math>` and `<svg>`, which do not allow `<span>`. A phrase may span tags; each of its pieces is marked alone.
 */
export function highlightHtml(html: string, terms: HighlightTerms): string {
  if (terms.byFirstStem.size === 0) return html;
  return render(cutHtml(html), entityOrWord, terms, (text) => text);
}

/** Highlights terms in a topic, and escapes it: the result is HTML. */
export function highlightSubject(subject: string, terms: HighlightTerms): string {
  return render([{ string: subject, isText: true }], plainWord, terms, escapeHtml);
}

interface Piece {
  string: string;
  isText: boolean;
}

function render(pieces: Piece[], pattern: RegExp, terms: HighlightTerms, encode: (text: string) => string): string {
  const words = findWords(pieces, pattern, terms.stems);
  markMatches(words, terms);
  let output = "";
  let next = 0;
  pieces.forEach(({ string, isText }, piece) => {
    if (!isText) {
      output += string;
      return;
    }
    let position = 0;
    for (; next < words.length && words[next]!.piece === piece; next++) {
      const word = words[next]!;
      if (!word.matched) continue;
      let last = word;
      while (words[next + 1]?.piece === piece && words[next + 1]!.joined) last = words[++next]!;
      output += encode(string.slice(position, word.start));
      output += openTag + encode(string.slice(word.start, last.end)) + closeTag;
      position = last.end;
    }
    output += encode(string.slice(position));
  });
  return output;
}

function findWords(pieces: Piece[], pattern: RegExp, stems: Stems): Word[] {
  const words: Word[] = [];
  pieces.forEach(({ string, isText }, piece) => {
    if (!isText) return;
    for (const match of string.matchAll(pattern)) {
      if (match[0].startsWith("&")) continue;
      const end = match.index + match[0].length;
      words.push({ piece, start: match.index, end, stem: stems.of(match[0]), matched: false, joined: false });
    }
  });
  return words;
}

function markMatches(words: Word[], terms: HighlightTerms): void {
  for (let first = 0; first < words.length; first++) {
    for (const stems of terms.byFirstStem.get(words[first]!.stem) ?? []) {
      if (!stems.every((stem, offset) => words[first + offset]?.stem === stem)) continue;
      for (let offset = 0; offset < stems.length; offset++) {
        const word = words[first + offset]!;
        word.matched = true;
        word.joined ||= offset > 0;
      }
    }
  }
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
