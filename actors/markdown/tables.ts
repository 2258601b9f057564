import type { MarkdownIt, StateBlock, StateCore } from "markdown-it";
import { pushParagraph } from "./paragraphs.ts";
import { columnsOf, tokenAt } from "./rendering.ts";

/**
 * Most cells of a table, including those added to short rows. The text of a message can contain at most 5,000 cells.
 * Larger tables mostly consist of added ones. The library itself would allow 65,536 (270 ms, 700 kB of HTML).
 */
const maxCells = 6000;

/**
 * Tables in the exact form that clients parse: alignment as `style="text-align: right;"`, and a body even without rows.
 */
export function addTables(md: MarkdownIt): void {
  md.block.ruler.before("table", "oversized_table", parseOversizedTable);
  md.core.ruler.after("block", "table_form", adaptTables);
  // An empty body contains a line break: clients refuse a body without child nodes.
  md.renderer.rules.tbody_open = () => "<tbody>\n";
}

/** Makes a paragraph of a table with too many cells. */
function parseOversizedTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || startLine + 2 > endLine) return false;
  const delimiterRow = state.getLines(startLine + 1, startLine + 2, 0, false);
  if (!/^[-:|\s]*\|[-:|\s]*$/.test(delimiterRow)) return false;
  const columns = delimiterRow.split("|").length;
  let end = startLine + 2;
  while (end < endLine && !state.isEmpty(end) && columnsOf(state, end) >= state.blkIndent) end++;
  if (columns * (end - startLine) <= maxCells) return false;
  pushParagraph(state, startLine, end);
  return true;
}

function adaptTables(state: StateCore): void {
  const { tokens } = state;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokenAt(tokens, index);
    if (token.type === "th_open" || token.type === "td_open") {
      const style = token.attrGet("style");
      if (style !== null) token.attrSet("style", `${String(style).replace(":", ": ")};`);
    } else if (token.type === "thead_close" && tokenAt(tokens, index + 1).type === "table_close") {
      const body = new state.Token("tbody_open", "tbody", 1);
      const bodyEnd = new state.Token("tbody_close", "tbody", -1);
      body.block = bodyEnd.block = true;
      body.level = bodyEnd.level = token.level;
      tokens.splice(index + 1, 0, body, bodyEnd);
    }
  }
}
