import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { type Rendering, renderingOf } from "./rendering.ts";

/**
 * Bounds on what one message becomes. All of them count work or text and never time, so a text is rendered the same
 * everywhere.
 *
 * A message is stored, sent to every reader and kept in memory as HTML, and some syntax makes much of little: a formula
 * or a linkifier's link several hundred units of one character, an emoji ninety. All that share a budget; what comes
 * after it is spent is shown as its source. A message whose HTML is still too long is shown as the text that was sent.
 */

/** Most HTML of one message, in UTF-16 units. */
export const maxHtmlUnits = 300_000;

/** Of it for formulas, emoji, links of linkifiers and highlighted code: forty large formulas, or two thousand emoji. */
const maxDecorationUnits = 200_000;

/**
 * Takes some HTML from the message's budget. Returns false when there is not that much left: its source is to be shown.
 */
export function affords(rendering: Rendering, units: number): boolean {
  if (rendering.decorationUnits + units > maxDecorationUnits) return false;
  rendering.decorationUnits += units;
  return true;
}

/**
 * Bounds on the two searches of the parser that start again and again over the same text, so that their cost grows with
 * its square: for the end of a link label at each bracket, and for the end of a block quote at each `>` line after one
 * that broke off. Both bounds are far above what messages for people need; over them, syntax becomes plain text.
 */

/**
 * In UTF-16 units: thousands of `![` would take 100 ms; five hundred links in a message of 10,000 characters stay
 * below.
 */
const maxLabelSearchUnits = 6_000_000;

/** In lines: alternating unclosed fences in quotes with lines outside would take 100 ms. */
const maxQuoteSearchLines = 100_000;

/** Adds the bounds to a parser. */
export function addSearchLimits(md: MarkdownIt): void {
  md.inline.ruler.before("link", "label_limit", parseBracketOverLimit);
  md.block.ruler.before("blockquote", "quote_limit", parseQuoteOverLimit);
}

function parseBracketOverLimit(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const marker = src[pos] === "[" ? "[" : src.startsWith("![", pos) ? "![" : undefined;
  if (marker === undefined || pos + marker.length > state.posMax) return false;
  const rendering = renderingOf(state.env);
  rendering.labelSearchUnits += state.posMax - pos;
  if (rendering.labelSearchUnits <= maxLabelSearchUnits) return false;
  if (!silent) state.pending += marker;
  state.pos += marker.length;
  return true;
}

function parseQuoteOverLimit(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.bMarks[startLine]! + state.tShift[startLine]!) !== 0x3e /* > */)
    return false;
  let end = startLine + 1;
  while (end < endLine && !state.isEmpty(end)) end++;
  const rendering = renderingOf(state.env);
  rendering.quoteSearchLines += end - startLine;
  if (rendering.quoteSearchLines <= maxQuoteSearchLines) return false;
  pushParagraph(state, startLine, end);
  return true;
}

/** Makes one paragraph of some lines, whatever blocks they would have been. */
export function pushParagraph(state: StateBlock, startLine: number, endLine: number): void {
  state.push("paragraph_open", "p", 1).map = [startLine, endLine];
  const inline = state.push("inline", "", 0);
  inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  inline.map = [startLine, endLine];
  inline.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = endLine;
}
