import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";
import { columnsOf, indentOf, lineEnd, lineStart, textStart } from "./rendering.ts";

/**
 * Paragraphs and quotes as Zulip has them. White space at the end of a line stays, and so does that at the beginning of
 * the second line and later. A quote ends with an empty line: what stands below `>` without one belongs to it. Lines
 * that consist of `>` alone are a quote only if there is a text below.
 */

/** Lines of `>` alone that are looked at. It limits the time for hostile text; more are a quote. */
const maxEmptyLines = 50;

/** Adds paragraphs and quotes to a parser. */
export function addParagraphs(md: MarkdownIt): void {
  md.disable(["lheading"]);
  md.block.ruler.at("paragraph", parseParagraph);
  md.block.ruler.at("blockquote", parseQuote, { alt: ["paragraph", "reference", "blockquote", "list"] });
  md.inline.ruler.at("newline", parseNewline);
}

function parseParagraph(state: StateBlock, startLine: number, endLine: number): boolean {
  const terminators = state.md.block.ruler.getRules("paragraph");
  const { parentType } = state;
  state.parentType = "paragraph";
  let line = startLine + 1;
  for (; line < endLine && !state.isEmpty(line); line++) {
    // What would be a code block elsewhere continues a paragraph.
    if (indentOf(state, line) > 3) continue;
    if (terminators.some((rule) => rule(state, line, endLine, true))) break;
  }
  state.parentType = parentType;
  pushParagraph(state, startLine, line);
  return true;
}

/** Makes one paragraph of some lines, whatever blocks they contain. */
export function pushParagraph(state: StateBlock, startLine: number, endLine: number): void {
  state.push("paragraph_open", "p", 1).map = [startLine, endLine];
  const inline = state.push("inline", "", 0);
  // Lines below the marker of an item keep its indentation.
  const indent = isBehindMarker(state, startLine) ? state.blkIndent - 2 : state.blkIndent;
  const first = state.src.slice(textStart(state, startLine), lineEnd(state, startLine));
  inline.content =
    endLine > startLine + 1 ? `${first}\n${state.getLines(startLine + 1, endLine, indent, false)}` : first;
  inline.map = [startLine, endLine];
  inline.children = [];
  state.push("paragraph_close", "p", -1);
  state.line = endLine;
}

/** Whether the text of a line begins behind the marker of a list item. */
function isBehindMarker(state: StateBlock, line: number): boolean {
  return state.parentType === "list" && state.src.slice(lineStart(state, line), textStart(state, line)).trim() !== "";
}

function parseNewline(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x0a) return false;
  if (!silent) state.push("softbreak", "br", 0);
  state.pos++;
  return true;
}

function parseQuote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (indentOf(state, startLine) >= 4 || !isQuoted(state, startLine)) return false;
  if (isEmptyQuote(state, startLine, endLine)) return false;
  if (silent) return true;

  const terminators = state.md.block.ruler.getRules("blockquote");
  const { parentType, blkIndent, lineMax } = state;
  state.parentType = "blockquote";
  const saved: { marks: number[]; old: number[] }[] = [];
  for (const marks of [state.bMarks, state.bsCount, state.tShift, state.sCount]) saved.push({ marks, old: [] });
  let line = startLine;
  for (; line < endLine && !state.isEmpty(line); line++) {
    const indent = columnsOf(state, line) - blkIndent;
    const isMarked = indent >= 0 && indent < 4 && isQuoted(state, line);
    if (!isMarked && terminators.some((rule) => rule(state, line, endLine, true))) break;
    for (const { marks, old } of saved) old.push(marks[line] ?? 0);
    if (isMarked) dropMarker(state, line);
    else state.sCount[line] = Math.max(indent, 0);
  }
  state.blkIndent = 0;
  state.lineMax = line;
  state.push("blockquote_open", "blockquote", 1);
  state.md.block.tokenize(state, startLine, line);
  state.push("blockquote_close", "blockquote", -1);
  for (const { marks, old } of saved) marks.splice(startLine, old.length, ...old);
  Object.assign(state, { parentType, blkIndent, lineMax, line });
  return true;
}

const isQuoted = (state: StateBlock, line: number): boolean =>
  state.src.charCodeAt(textStart(state, line)) === 0x3e; /* > */

/** Whether nothing but lines of `>` alone follows before the next empty line. */
function isEmptyQuote(state: StateBlock, startLine: number, endLine: number): boolean {
  for (let line = startLine; line < endLine && !state.isEmpty(line); line++) {
    if (!isQuoted(state, line) || line - startLine >= maxEmptyLines) return false;
    const text = textStart(state, line) + 1;
    if (state.skipSpaces(text) < lineEnd(state, line)) return false;
  }
  return true;
}

/** Makes a line begin behind its `>` and one space. */
function dropMarker(state: StateBlock, line: number): void {
  const marker = textStart(state, line);
  const end = lineEnd(state, line);
  // A tab reaches to the next fourth column of the whole line.
  const column = (state.bsCount[line] ?? 0) + columnsOf(state, line) + 1;
  let position = marker + 1;
  let indent = 0;
  for (; position < end; position++) {
    const code = state.src.charCodeAt(position);
    if (code === 0x20) indent++;
    else if (code === 0x09) indent += 4 - ((column + indent) % 4);
    else break;
  }
  const hasSpace = state.src.charCodeAt(marker + 1) === 0x20 || state.src.charCodeAt(marker + 1) === 0x09;
  const begin = marker + 1 + (state.src.charCodeAt(marker + 1) === 0x20 ? 1 : 0);
  state.bMarks[line] = begin;
  state.tShift[line] = position - begin;
  state.bsCount[line] = column + (hasSpace ? 1 : 0);
  state.sCount[line] = indent - (hasSpace ? 1 : 0);
}
