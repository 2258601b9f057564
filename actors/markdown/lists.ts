import type { MarkdownIt, StateBlock } from "markdown-it";
import { columnsOf, indentOf, lineEnd, lineStart, textStart, tokenAt } from "./rendering.ts";

/**
 * Lists as Zulip has them, which differ from CommonMark's: `*`, `-` and `+` make one list, an ordered one has `1.` and
 * not `1)`. What is indented by two columns belongs to an item of either kind. A marker stands before a space.
 */
interface Marker {
  isOrdered: boolean;
  value: number;
  /** Where the text of the item begins, and the end of its line if there is none. */
  contentStart: number;
}

/** Columns by which an item's content is indented. */
const itemIndent = 2;
/** Digits of a number. More would not be exact in a browser. */
const maxDigits = 9;

/** Adds lists to a parser. */
export function addLists(md: MarkdownIt): void {
  md.block.ruler.at("list", parseList, { alt: ["paragraph", "reference", "blockquote"] });
  // No line break after the text of an item whose next part is a list.
  md.renderer.rules.bullet_list_open = () => "<ul>\n";
  md.renderer.rules.ordered_list_open = (tokens, index) => {
    const start = tokenAt(tokens, index).attrGet("start");
    return start === null ? "<ol>\n" : `<ol start="${start}">\n`;
  };
  md.renderer.rules.list_item_open = (tokens, index) => {
    const { hidden, type } = tokenAt(tokens, index + 1);
    return hidden || type === "preview" || type === "list_item_close" ? "<li>" : "<li>\n";
  };
}

function parseList(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (indentOf(state, startLine) >= 4) return false;
  let marker = markerOf(state, startLine);
  if (marker === undefined) return false;
  if (silent) return !continuesParagraph(state, startLine, marker);

  const { isOrdered, value } = marker;
  const [kind, tag] = isOrdered ? (["ordered_list", "ol"] as const) : (["bullet_list", "ul"] as const);
  const firstToken = state.tokens.length;
  const open = state.push(`${kind}_open`, tag, 1);
  if (isOrdered && value !== 1) open.attrs = [["start", String(value)]];
  const { parentType } = state;
  state.parentType = "list";
  let line = startLine;
  let isLoose = false;
  let endedEmpty = false;
  while (marker?.isOrdered === isOrdered) {
    const isItemLoose = parseItem(state, line, endLine, marker);
    isLoose ||= isItemLoose || endedEmpty;
    // An empty line after the last item is none between items.
    endedEmpty = state.line - line > 1 && state.isEmpty(state.line - 1);
    line = state.line;
    marker = isItemAt(state, line, endLine) ? markerOf(state, line) : undefined;
  }
  state.push(`${kind}_close`, tag, -1);
  state.parentType = parentType;
  if (!isLoose) hideParagraphs(state, firstToken);
  return true;
}

/** A number of several digits in a paragraph is a year more often than an item. So is a marker without a text. */
function continuesParagraph(state: StateBlock, line: number, { isOrdered, contentStart }: Marker): boolean {
  if (state.parentType !== "paragraph" || columnsOf(state, line) < state.blkIndent) return false;
  const start = textStart(state, line);
  return contentStart >= lineEnd(state, line) || (isOrdered && state.src[start + 1] !== ".");
}

/** Whether a line may begin a further item of the list: no rule, quote or fence, and not in the block outside. */
function isItemAt(state: StateBlock, line: number, endLine: number): boolean {
  if (line >= endLine) return false;
  const indent = indentOf(state, line);
  if (indent < 0 || indent >= 4) return false;
  return !state.md.block.ruler.getRules("list").some((rule) => rule(state, line, endLine, true));
}

/** Parses one item. Returns whether empty lines stand between its parts. */
function parseItem(state: StateBlock, line: number, endLine: number, { contentStart }: Marker): boolean {
  state.push("list_item_open", "li", 1);
  const { tight, blkIndent } = state;
  const tShift = state.tShift[line] ?? 0;
  const sCount = columnsOf(state, line);
  state.blkIndent = sCount + itemIndent;
  state.tight = true;
  state.tShift[line] = contentStart - lineStart(state, line);
  // Further spaces are no code block.
  state.sCount[line] = state.blkIndent;
  if (contentStart >= lineEnd(state, line) && (line + 1 >= endLine || state.isEmpty(line + 1)))
    state.line = Math.min(line + 2, endLine);
  else state.md.block.tokenize(state, line, endLine);
  const isLoose = !state.tight;
  state.tShift[line] = tShift;
  state.sCount[line] = sCount;
  state.blkIndent = blkIndent;
  state.tight = tight;
  state.push("list_item_close", "li", -1);
  return isLoose;
}

/** In a list without empty lines between its parts paragraphs have no `<p>`. */
function hideParagraphs(state: StateBlock, firstToken: number): void {
  const level = state.level + 2;
  for (const token of state.tokens.slice(firstToken))
    if (token.level === level && (token.type === "paragraph_open" || token.type === "paragraph_close"))
      token.hidden = true;
}

function markerOf(state: StateBlock, line: number): Marker | undefined {
  const { src } = state;
  const start = textStart(state, line);
  const end = lineEnd(state, line);
  const first = src.charCodeAt(start);
  const isOrdered = isDigit(first);
  let position = start;
  if (isOrdered) {
    while (position < end && isDigit(src.charCodeAt(position))) position++;
    if (position - start > maxDigits || src[position] !== ".") return undefined;
  } else if (first !== 0x2a /* * */ && first !== 0x2b /* + */ && first !== 0x2d /* - */) return undefined;
  const value = isOrdered ? Number(src.slice(start, position)) : 1;
  position++;
  if (position >= end || !isBlank(src.charCodeAt(position))) return undefined;
  while (position < end && isBlank(src.charCodeAt(position))) position++;
  return { isOrdered, value, contentStart: position };
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
