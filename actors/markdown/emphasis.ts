import type { MarkdownIt, StateInline, Token } from "markdown-it";
import { lastOf } from "../../storage/failures.ts";

/**
 * `**bold**`, `*italic*`, `***both***` and `~~struck~~`, each on one line. `_` has no meaning. The rules are Zulip's:
 * an earlier kind wins, and what it contains may have the later ones. Source: zulip/zulip,
 * zerver/lib/markdown/__init__.py, the patterns of inline elements.
 */
const kinds = [
  { marker: "***", tags: ["strong", "em"], pattern: /\*\*\*(?!\s)[^*^\n]+(?<!\s)\*\*\*/g },
  { marker: "**", tags: ["strong"], pattern: /\*\*[^\n]+?\*\*/g },
  { marker: "*", tags: ["em"], pattern: /\*(?!\s)[^*^\n]+(?<!\s)\*/g },
  { marker: "~~", tags: ["del"], pattern: /(?<!~)~~[^~\n]+?~~(?!~)/g },
];

/** A marker that becomes tags. */
interface Edge {
  start: number;
  length: number;
  tags: readonly string[];
  nesting: 1 | -1;
}

/** A token of text, or what stands for one place in it: another token, or a link with its label. */
interface Piece {
  text: string;
  tokens: Token[];
}

const placeholder = "\ufffc";

/** Adds emphasis to a parser. */
export function addEmphasis(md: MarkdownIt): void {
  md.disable(["emphasis", "strikethrough", "balance_pairs"]);
  md.inline.ruler2.before("fragments_join", "marked_emphasis", parseEmphasis);
}

function parseEmphasis(state: StateInline): boolean {
  const { src } = state;
  if (src.indexOf("*") === src.lastIndexOf("*") && !src.includes("~~")) return false;
  const pieces: Piece[] = [];
  let label: Piece[] | undefined;
  for (const token of state.tokens) {
    const isText = token.type === "text";
    if (token.type === "link_open") label = [];
    else if (token.type === "link_close") {
      // A bare address is shown as it is.
      const isAddress = token.info === "auto";
      const inner = isAddress ? (label ?? []).flatMap(({ tokens }) => tokens) : mark(state, label ?? []);
      lastOf(pieces).tokens.push(...inner, token);
      label = undefined;
      continue;
    }
    const text = isText ? token.content : token.type === "softbreak" ? "\n" : placeholder;
    (token.type === "link_open" ? pieces : (label ?? pieces)).push({ text, tokens: [token] });
  }
  state.tokens.splice(0, state.tokens.length, ...mark(state, pieces));
  return false;
}

/** The tokens of a text with its markers as tags. */
function mark(state: StateInline, pieces: readonly Piece[]): Token[] {
  const edges: Edge[] = [];
  findEdges(pieces.map(({ text }) => text).join(""), 0, 0, edges);
  edges.sort((one, other) => one.start - other.start);
  const marked: Token[] = [];
  let offset = 0;
  let next = 0;
  for (const { text, tokens } of pieces) {
    const end = offset + text.length;
    let position = offset;
    const pushText = (until: number) => {
      if (until <= position) return;
      const token = new state.Token("text", "", 0);
      token.content = text.slice(position - offset, until - offset);
      marked.push(token);
    };
    for (let edge = edges[next]; edge && edge.start < end; edge = edges[++next]) {
      pushText(edge.start);
      position = edge.start + edge.length;
      for (const tag of edge.tags)
        marked.push(new state.Token(`${tag}_${edge.nesting > 0 ? "open" : "close"}`, tag, edge.nesting));
    }
    if (position === offset) marked.push(...tokens);
    else pushText(end);
    offset = end;
  }
  return marked;
}

/**
 * Finds the markers of these kinds in a text. Every kind looks at the text once, without what an earlier one has found.
 *
 * @param offset where the text begins in that of the paragraph
 */
function findEdges(text: string, offset: number, firstKind: number, edges: Edge[]): void {
  let left = text;
  for (const [kind, { tags, marker, pattern }] of kinds.entries()) {
    if (kind < firstKind) continue;
    const { length } = marker;
    if (!left.includes(marker)) continue;
    left = left.replace(pattern, (found, start: number) => {
      const end = start + found.length - length;
      edges.push({ start: offset + start, length, tags, nesting: 1 });
      edges.push({ start: offset + end, length, tags: tags.toReversed(), nesting: -1 });
      findEdges(left.slice(start + length, end), offset + start + length, kind + 1, edges);
      return placeholder.repeat(found.length);
    });
  }
}
