import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { type Rendering, renderingOf } from "./rendering.ts";

/**
 * Limits of rendering one message. They count work or text and never time, so a text is rendered the same everywhere.
 *
 * HTML is stored, sent to every reader and kept in memory. Some syntax makes much HTML from little text: one character
 * becomes several hundred units in a formula or a linkifier's link, and ninety as an emoji. All of them share one
 * budget. When it is spent, the rest is shown as its source. A message whose HTML is still too long is shown as the
 * text that was sent.
 */

/** Longest HTML of one message, in UTF-16 units. */
export const maxHtmlUnits = 300_000;

/**
 * Its part for formulas, emoji, links of linkifiers and highlighted code: forty large formulas, or two thousand emoji.
 */
const maxDecorationUnits = 200_000;

/** Takes HTML from the message's budget. Returns false when too little is left: then the source is shown. */
export function affords(rendering: Rendering, units: number): boolean {
  if (rendering.decorationUnits + units > maxDecorationUnits) return false;
  rendering.decorationUnits += units;
  return true;
}

/**
 * Limits of two searches of the parser that restart over the same text, so that their cost is quadratic. One looks for
 * the end of a link label at each bracket. The other looks for the end of a block quote at each `>` line after a broken
 * one. Messages of people stay far below both limits. Above them, syntax becomes plain text.
 */

/** In UTF-16 units. Thousands of `![` would take 100 ms. Five hundred links in 10,000 characters stay below. */
const maxLabelSearchUnits = 6_000_000;

/** In lines. Unclosed fences in quotes that alternate with lines outside would take 100 ms. */
const maxQuoteSearchLines = 100_000;

/** Adds the limits to a parser. */
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

/** Makes one paragraph of some lines, whatever blocks they contain. */
export function pushParagraph(state: StateBlock, startLine: number, endLine: number): void {
  state.push("paragraph_open", "p", 1).map = [startLine, endLine];
  const inline = state.push("inline", "", 0);
  inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  inline.map = [startLine, endLine];
  inline.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = endLine;
}
