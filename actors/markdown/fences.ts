import type { MarkdownIt, StateBlock } from "markdown-it";
import { lastOf } from "../../storage/failures.ts";
import { columnsOf, indentOf, lineEnd, textStart } from "./rendering.ts";

/**
 * Fenced blocks: code, formulas, quotes and spoilers. A bare line of exactly the opening's characters closes one. What
 * has no end extends to the end of the text. A quote and a spoiler contain Markdown. Inside them any other line of a
 * fence opens a further block, which may have the same number of characters. So the end is found by counting. Source:
 * zulip/zulip, zerver/lib/markdown/fenced_code.py.
 */
const fenceLinePattern = /^(`{3,}|~{3,})[ \t]*(?:\{?\.?([\p{L}\p{N}_+,\-./#]+)(?![\p{L}\p{N}_+,\-./#])([^~`]*))?$/u;

interface FenceLine {
  fence: string;
  language: string;
  header: string;
}

/** Adds fenced blocks to a parser. */
export function addFences(md: MarkdownIt): void {
  md.block.ruler.at("fence", parseFence, { alt: ["paragraph", "reference", "blockquote", "list"] });
  md.renderer.rules.spoiler_open = () => '<div class="spoiler-block"><div class="spoiler-header">\n';
  md.renderer.rules.spoiler_content_open = () => '</div><div class="spoiler-content" aria-hidden="true">\n';
  md.renderer.rules.spoiler_content_close = () => "</div></div>\n";
}

function parseFence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const opening = fenceLine(state, startLine);
  // A bare line at the end opens nothing.
  if (opening === undefined || (opening.language === "" && startLine + 1 >= endLine)) return false;
  if (silent) return true;
  const { line: closingLine, isClosed } = findEnd(state, opening, startLine + 1, endLine);
  if (isContainer(opening)) pushContainer(state, opening, startLine, closingLine);
  else {
    const code = state.push("fence", "code", 0);
    code.info = opening.language;
    code.content = state.getLines(startLine + 1, closingLine, columnsOf(state, startLine), false);
  }
  state.line = closingLine + (isClosed ? 1 : 0);
  return true;
}

function pushContainer(state: StateBlock, { language, header }: FenceLine, startLine: number, endLine: number): void {
  const { parentType, lineMax } = state;
  state.parentType = "blockquote";
  state.lineMax = endLine;
  if (language === "spoiler") {
    state.push("spoiler_open", "div", 1);
    if (header !== "") pushHeader(state, header, startLine);
    state.push("spoiler_content_open", "", 0);
    state.md.block.tokenize(state, startLine + 1, endLine);
    state.push("spoiler_content_close", "div", -1);
  } else {
    state.push("blockquote_open", "blockquote", 1);
    state.md.block.tokenize(state, startLine + 1, endLine);
    state.push("blockquote_close", "blockquote", -1);
  }
  state.parentType = parentType;
  state.lineMax = lineMax;
}

function isContainer({ language }: FenceLine): boolean {
  return language === "quote" || language === "quoted" || language === "spoiler";
}

function fenceLine(state: StateBlock, line: number): FenceLine | undefined {
  const start = textStart(state, line);
  const marker = state.src.charCodeAt(start);
  if (marker !== 0x60 /* ` */ && marker !== 0x7e /* ~ */) return undefined;
  // A line indented by four columns belongs to an indented code block.
  if (indentOf(state, line) >= 4) return undefined;
  const match = fenceLinePattern.exec(state.src.slice(start, lineEnd(state, line)));
  if (match === null) return undefined;
  const [, fence = "", language = "", header = ""] = match;
  return { fence, language: language.toLowerCase(), header: header.trim() };
}

/** The line where a block ends, and whether it is the closing fence. If not, the line belongs to what follows. */
function findEnd(
  state: StateBlock,
  opening: FenceLine,
  firstLine: number,
  endLine: number,
): { line: number; isClosed: boolean } {
  const open = [opening];
  for (let line = firstLine; line < endLine; line++) {
    // A line to the left of the enclosing list item or quote ends both it and this block.
    const isOutdented = columnsOf(state, line) < state.blkIndent;
    if (isOutdented && textStart(state, line) < lineEnd(state, line)) return { line, isClosed: false };
    const found = fenceLine(state, line);
    if (found === undefined) continue;
    const innermost = lastOf(open);
    const isEnd = found.language === "" && found.fence === innermost.fence;
    if (isEnd) open.pop();
    else if (isContainer(innermost)) open.push(found);
    if (open.length === 0) return { line, isClosed: true };
  }
  return { line: endLine, isClosed: false };
}

function pushHeader(state: StateBlock, header: string, line: number): void {
  state.push("paragraph_open", "p", 1);
  const inline = state.push("inline", "", 0);
  inline.content = header;
  inline.map = [line, line + 1];
  inline.children = [];
  state.push("paragraph_close", "p", -1);
}
