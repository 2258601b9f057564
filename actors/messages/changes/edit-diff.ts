/**
 * `content_html_diff` of a message's edit history: the new HTML, with what was added inside
 * `<span class="highlight_text_inserted">` and what was removed inside `<span class="highlight_text_deleted">`. Removed
 * text stands before what replaces it. https://zulip.com/api/get-message-history
 *
 * The comparison has two steps: first over lines and sentences, then over the words of those that were replaced. Both
 * share one budget of work. What does not fit into it is shown as removed and added as a whole.
 *
 * All tags come from the new HTML, each once and in order, so the result nests as well as the new HTML does. Removed
 * tags are kept only where they nest among themselves. The result has nothing but tags and text of the two inputs, so
 * it is as safe as they are.
 */
import { diffArrays } from "diff";
import { lastOf } from "../../../storage/failures.ts";
import { type HtmlToken, tokenizeHtml } from "../../text/html-tokens.ts";

/** Work that one diff may take, as {@link workOf} counts it: about 0.2 µs each, so about 60 ms. */
const workBudget = 300_000;
/** Code units of HTML on one side that are compared at all: it takes about 70 ms to cut twice as many into tokens. */
const maxHtmlLength = 60_000;

const removedClass = "highlight_text_deleted";
const addedClass = "highlight_text_inserted";

/** A unit of comparison: two with the same key are equal. */
interface Comparable {
  string: string;
  key: string;
}

interface Budget {
  left: number;
}

/** A stretch of both documents: equal (`before` is dropped for `after`), or `before` removed and `after` added. */
interface Stretch<T> {
  equal: boolean;
  before: T[];
  after: T[];
}

/** Marks what changed between two versions of a message's rendered HTML. Takes at most about 100 ms. */
export function htmlDiff(prevHtml: string, html: string): string {
  if (prevHtml === html) return html;
  if (prevHtml.length > maxHtmlLength || html.length > maxHtmlLength) {
    return wrap(prevHtml, removedClass) + wrap(html, addedClass);
  }
  let output = "";
  for (const stretch of compareBySentence(tokenizeHtml(prevHtml), tokenizeHtml(html), { left: workBudget })) {
    output += stretch.equal ? join(stretch.after) : renderRemoved(stretch.before) + mark(stretch.after, addedClass);
  }
  return output;
}

function compareBySentence(before: HtmlToken[], after: HtmlToken[], budget: Budget): Stretch<HtmlToken>[] {
  const stretches: Stretch<HtmlToken>[] = [];
  for (const outer of compare(intoSentences(before), intoSentences(after), budget)) {
    const removed = outer.before.flatMap((sentence) => sentence.tokens);
    const added = outer.after.flatMap((sentence) => sentence.tokens);
    if (outer.equal || removed.length === 0 || added.length === 0) {
      stretches.push({ equal: outer.equal, before: removed, after: added });
    } else {
      stretches.push(...compare(removed, added, budget));
    }
  }
  return stretches;
}

interface Sentence extends Comparable {
  tokens: HtmlToken[];
}

/** Groups tokens into units that people edit: a unit ends with a tag, a line, or what ends a sentence. */
function intoSentences(tokens: HtmlToken[]): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const [i, { kind, string }] of tokens.entries()) {
    const ends =
      kind === "open" || kind === "close" || (kind === "space" ? string.includes("\n") : /^[.!?。！？]$/.test(string));
    if (!ends && i < tokens.length - 1) continue;
    const unit = tokens.slice(start, i + 1);
    const text = join(unit);
    sentences.push({ tokens: unit, string: text, key: unit.map(({ key }) => key).join("") });
    start = i + 1;
  }
  return sentences;
}

/** Compares two lists. Their equal beginning and end cost nothing. */
function compare<T extends Comparable>(before: T[], after: T[], budget: Budget): Stretch<T>[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head]?.key === after[head]?.key) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail)?.key === after.at(-1 - tail)?.key) tail++;
  const middleBefore = before.slice(head, before.length - tail);
  const middleAfter = after.slice(head, after.length - tail);
  return [
    { equal: true, before: before.slice(0, head), after: after.slice(0, head) },
    ...compareMiddle(middleBefore, middleAfter, budget),
    { equal: true, before: before.slice(before.length - tail), after: after.slice(after.length - tail) },
  ];
}

/** Compares two lists that begin and end differently. Takes at most half of what is left of the budget. */
function compareMiddle<T extends Comparable>(before: T[], after: T[], budget: Budget): Stretch<T>[] {
  const shorter = Math.min(before.length, after.length);
  const maxEditLength = affordableEdits(budget.left / 2, shorter);
  const isHopeless = shorter === 0 || Math.abs(before.length - after.length) > maxEditLength;
  const [numbersBefore, numbersAfter] = numbered(before, after);
  const changes = isHopeless ? undefined : diffArrays(numbersBefore, numbersAfter, { maxEditLength });
  if (!changes) {
    if (!isHopeless) budget.left -= workOf(maxEditLength, shorter);
    return [{ equal: false, before, after }];
  }
  const stretches: Stretch<T>[] = [];
  let edits = 0;
  let [atBefore, atAfter] = [0, 0];
  for (const { added, removed, count } of changes) {
    const equal = !added && !removed;
    if (stretches.at(-1)?.equal !== equal) stretches.push({ equal, before: [], after: [] });
    const stretch = lastOf(stretches);
    if (!added) stretch.before.push(...before.slice(atBefore, (atBefore += count)));
    if (!removed) stretch.after.push(...after.slice(atAfter, (atAfter += count)));
    if (!equal) edits += count;
  }
  budget.left -= workOf(edits, shorter);
  return withoutLoneSpaces(stretches);
}

/** White space alone between two replaced stretches belongs to them: people read a replaced phrase, not its words. */
function withoutLoneSpaces<T extends Comparable>(stretches: readonly Stretch<T>[]): Stretch<T>[] {
  const isReplaced = (stretch?: Stretch<T>) => stretch && !stretch.equal && stretch.before[0] && stretch.after[0];
  const merged: Stretch<T>[] = [];
  for (const [index, stretch] of stretches.entries()) {
    const last = merged.at(-1);
    const isLoneSpace =
      stretch.equal && stretch.after.every(({ key }) => key === " ") && isReplaced(stretches[index + 1]);
    if (last && isReplaced(last) && (isLoneSpace || isReplaced(stretch))) {
      last.before.push(...stretch.before);
      last.after.push(...stretch.after);
    } else merged.push(stretch);
  }
  return merged;
}

/** The same number for the same key. Numbers are compared in one step, however long the keys are. */
function numbered(before: readonly Comparable[], after: readonly Comparable[]): [number[], number[]] {
  const numbers = new Map<string, number>();
  const numberOf = ({ key }: Comparable): number => {
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  return [before.map(numberOf), after.map(numberOf)];
}

/**
 * Work, at worst, of finding so many edits between two lists. `length` is that of the shorter one. The algorithm
 * (Myers, "An O(ND) Difference Algorithm and Its Variations") takes a step for each two of the edits. For each edit it
 * also goes once along the list, which is faster by far.
 */
const workOf = (edits: number, length: number): number => edits * edits + (edits * length) / stepsPerWork;
const stepsPerWork = 100;

/** The most edits whose {@link workOf} is within `work`. */
function affordableEdits(work: number, length: number): number {
  const half = length / stepsPerWork / 2;
  return Math.floor(Math.sqrt(half * half + work) - half);
}

/** Removed tokens with their tags where those nest; otherwise text alone, with a space where a tag kept words apart. */
function renderRemoved(tokens: HtmlToken[]): string {
  if (isNested(tokens)) return mark(tokens, removedClass);
  let text = "";
  for (const { kind, string } of tokens) text += kind === "open" || kind === "close" ? " " : string;
  return text.trim() === "" ? "" : wrap(text, removedClass);
}

function isNested(tokens: HtmlToken[]): boolean {
  const open: string[] = [];
  for (const { kind, name } of tokens) {
    if (kind === "open") open.push(name);
    else if (kind === "close" && open.pop() !== name) return false;
  }
  return open.length === 0;
}

/** Wraps the text between tags, and leaves the tags where they are. */
function mark(tokens: HtmlToken[], className: string): string {
  let output = "";
  let run = "";
  const flush = () => {
    // White space alone shows nothing, and between the rows of a table a span would be misplaced.
    output += run.trim() === "" ? run : wrap(run, className);
    run = "";
  };
  for (const { kind, string } of tokens) {
    if (kind !== "open" && kind !== "close") {
      run += string;
      continue;
    }
    flush();
    output += string;
  }
  flush();
  return output;
}

function wrap(html: string, className: string): string {
  return `<span class="${className}">${html}</span>`;
}

function join(tokens: readonly HtmlToken[]): string {
  let text = "";
  for (const token of tokens) text += token.string;
  return text;
}
