import type { MarkdownIt, StateBlock } from "markdown-it";

/**
 * Fences that contain Markdown instead of code: ```` ```quote ```` and ```` ```spoiler header ````. Fences inside them
 * may have the same number of backticks, so the end is found by counting. Inside such a container a fence line with an
 * info string opens another block, and a bare line of the same form as the opening one closes it. Inside code only a
 * bare line of at least the same length counts. A container without an end extends to the end of the text, like a code
 * fence.
 */
const fenceLinePattern = /^(`{3,}(?=[^`]*$)|~{3,})[ \t]*(\S*)[ \t]*(.*)$/;

interface FenceLine {
  fence: string;
  language: string;
  header: string;
}

/** Adds quote and spoiler fences to a parser. */
export function addContainerFences(md: MarkdownIt): void {
  md.block.ruler.before("fence", "container_fence", parseContainerFence, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  md.renderer.rules.spoiler_open = () => '<div class="spoiler-block"><div class="spoiler-header">\n';
  md.renderer.rules.spoiler_content_open = () => '</div><div class="spoiler-content" aria-hidden="true">\n';
  md.renderer.rules.spoiler_content_close = () => "</div></div>\n";
}

function parseContainerFence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const opening = fenceLine(state, startLine);
  if (opening === undefined || !isContainer(opening)) return false;
  if (silent) return true;
  const { line: closingLine, isClosed } = findEnd(state, opening, startLine + 1, endLine);
  const { parentType, lineMax } = state;
  state.parentType = "blockquote";
  // Paragraphs read on to lineMax, so it must exclude the closing fence.
  state.lineMax = closingLine;
  if (opening.language === "spoiler") {
    state.push("spoiler_open", "div", 1);
    if (opening.header !== "") pushHeader(state, opening.header, startLine);
    state.push("spoiler_content_open", "", 0);
    state.md.block.tokenize(state, startLine + 1, closingLine);
    state.push("spoiler_content_close", "div", -1);
  } else {
    state.push("blockquote_open", "blockquote", 1);
    state.md.block.tokenize(state, startLine + 1, closingLine);
    state.push("blockquote_close", "blockquote", -1);
  }
  state.parentType = parentType;
  state.lineMax = lineMax;
  state.line = closingLine + (isClosed ? 1 : 0);
  return true;
}

function isContainer({ language }: FenceLine): boolean {
  return language === "quote" || language === "quoted" || language === "spoiler";
}

function fenceLine(state: StateBlock, line: number): FenceLine | undefined {
  const start = state.bMarks[line]! + state.tShift[line]!;
  const marker = state.src.charCodeAt(start);
  if (marker !== 0x60 /* ` */ && marker !== 0x7e /* ~ */) return undefined;
  // A line indented by four columns belongs to an indented code block.
  if (state.sCount[line]! - state.blkIndent >= 4) return undefined;
  const match = fenceLinePattern.exec(state.src.slice(start, state.eMarks[line]!).trimEnd());
  return match === null ? undefined : { fence: match[1]!, language: match[2]!, header: match[3]! };
}

/** The line where a container ends, and whether it is the closing fence. If not, the line belongs to what follows. */
function findEnd(
  state: StateBlock,
  opening: FenceLine,
  firstLine: number,
  endLine: number,
): { line: number; isClosed: boolean } {
  const open = [opening];
  for (let line = firstLine; line < endLine; line++) {
    // A line to the left of the enclosing list item or quote ends both it and this container.
    const isOutdented = state.sCount[line]! < state.blkIndent;
    if (isOutdented && state.bMarks[line]! + state.tShift[line]! < state.eMarks[line]!)
      return { line, isClosed: false };
    const found = fenceLine(state, line);
    if (found === undefined) continue;
    const innermost = open.at(-1)!;
    const isBare = found.language === "";
    if (!isContainer(innermost)) {
      if (isBare && found.fence.startsWith(innermost.fence)) open.pop();
    } else if (isBare && found.fence === innermost.fence) open.pop();
    else open.push(found);
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
