import htmldiff from "node-htmldiff";
import { type HtmlToken, tokenizeHtml } from "../../text/html-tokens.ts";

/**
 * `content_html_diff` of a message's edit history: the new HTML, with what was added inside
 * `<span class="highlight_text_inserted">` and what was removed inside `<span class="highlight_text_deleted">`, the
 * removed text first.
 *
 * `node-htmldiff` decides which tokens match. Its time grows with tokens times changes and can reach seconds for one
 * message, so it is used in two steps, each within a budget: first over lines and sentences, then over the words of
 * those that were replaced. What does not fit into the budget is shown as removed and added as a whole. Tags always
 * come from the new HTML, each once and in order, so that the result nests as well as the new HTML does; removed tags
 * are kept only where they nest among themselves. Nothing but tags and text of the two inputs is put out, so the result
 * is as safe as they are.
 */

/**
 * Cost that one diff may have, counted as {@link costOf} does: about 0.2 µs each, so at most about 50 ms.
 * Measured with the worst inputs found: every second word changed, and two words in different rhythms.
 */
const costBudget = 250_000;
/**
 * Code units of HTML on one side that are looked at at all: cutting twice as many into tokens takes about 70 ms at
 * worst.
 */
const maxHtmlLength = 60_000;

const removedClass = "highlight_text_deleted";
const addedClass = "highlight_text_inserted";

/** A token for the library, which compares `key` only. */
interface Comparable {
  string: string;
  key: string;
}

interface Operation {
  action: "equal" | "insert" | "delete" | "replace";
  startInBefore: number;
  endInBefore: number | null;
  startInAfter: number;
  endInAfter: number | null;
}

/**
 * The library exports its matching beside the function it declares; its own tokens and output would split characters.
 */
const { calculateOperations } = htmldiff as unknown as {
  calculateOperations(before: Comparable[], after: Comparable[]): Operation[];
};

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
  const budget = { left: costBudget };
  let output = "";
  for (const stretch of compareBySentence(tokenizeHtml(prevHtml), tokenizeHtml(html), budget)) {
    output += stretch.equal ? join(stretch.after) : renderRemoved(stretch.before) + mark(stretch.after, addedClass);
  }
  return output;
}

function compareBySentence(before: HtmlToken[], after: HtmlToken[], budget: { left: number }): Stretch<HtmlToken>[] {
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
  for (let i = 0; i < tokens.length; i++) {
    const { kind, string } = tokens[i]!;
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

/**
 * Compares two lists: what both begin and end with is equal, and the library is asked for the rest if it can afford it.
 */
function compare<T extends Comparable>(before: T[], after: T[], budget: { left: number }): Stretch<T>[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head]!.key === after[head]!.key) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail)!.key === after.at(-1 - tail)!.key) tail++;
  const middleBefore = before.slice(head, before.length - tail);
  const middleAfter = after.slice(head, after.length - tail);
  return [
    { equal: true, before: before.slice(0, head), after: after.slice(0, head) },
    ...compareMiddle(middleBefore, middleAfter, budget),
    { equal: true, before: before.slice(before.length - tail), after: after.slice(after.length - tail) },
  ];
}

function compareMiddle<T extends Comparable>(before: T[], after: T[], budget: { left: number }): Stretch<T>[] {
  const cost = costOf(before.length, after.length);
  if (cost === 0 || cost > budget.left) return [{ equal: false, before, after }];
  budget.left -= cost;
  return calculateOperations(before, after).map((operation) => ({
    equal: operation.action === "equal",
    before: operation.endInBefore === null ? [] : before.slice(operation.startInBefore, operation.endInBefore + 1),
    after: operation.endInAfter === null ? [] : after.slice(operation.startInAfter, operation.endInAfter + 1),
  }));
}

/**
 * The library rebuilds its index of what is left of both lists for every match, and there are as many as tokens at
 * most.
 */
function costOf(before: number, after: number): number {
  return (before + after) * Math.min(before, after);
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
