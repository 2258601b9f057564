import type { MarkdownIt, StateInline } from "markdown-it";
import { type Rendering, renderingOf } from "./rendering.ts";

/**
 * Limits of rendering one message. They count work or text and never time, so a text is rendered the same everywhere.
 *
 * HTML is stored, sent to every reader and kept in memory. Some syntax makes much HTML from little text. One character
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
 * Limit of the search for the end of a link's label, which restarts at each bracket, so that its cost is quadratic. In
 * UTF-16 units. Thousands of `![` would take 100 ms. Five hundred links in 10,000 characters stay below. Above the
 * limit a bracket is plain text.
 */
const maxLabelSearchUnits = 6_000_000;

/** Adds the limits to a parser. */
export function addSearchLimits(md: MarkdownIt): void {
  md.inline.ruler.before("link", "label_limit", parseBracketOverLimit);
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
