import katex, { type KatexOptions } from "katex";
import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import { affords } from "./limits.ts";
import { escapeText, type Rendering, renderingOf, tokenAt } from "./rendering.ts";

/**
 * Formulas: `$$…$$` in text, and ```` ```math ```` as a block. KaTeX can make several hundred bytes of HTML from one
 * character, and messages are stored and delivered as HTML. So the work and the output for one message are limited.
 * What exceeds a limit is shown as its source.
 */
const inlineMathPattern = /\$\$(?![$_])((?:\\[^\n]|[^\\$\n])+)\$\$(?!\$)/y;

/**
 * Longest formula, in UTF-8. The slowest known one (a one-row matrix) takes about 50 ms at this size, on a laptop core
 * of the 2020s.
 */
const maxFormulaBytes = 2000;
/**
 * After this much HTML, shown or not, or this many formulas, no more formulas are rendered in a message. Together this
 * costs at most 50 ms more.
 */
const maxFormulaHtmlUnits = 200_000;
const maxFormulas = 100;

/**
 * Definitions are refused. A macro with a long body makes the cost quadratic in the body: 10,000 characters took 34 s.
 * `maxExpand` does not prevent it, since it counts expansions and not their length.
 */
const definitionPattern = /\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|global|long)(?![a-zA-Z@])/;

const katexOptions: KatexOptions = {
  throwOnError: true,
  // Forbids \href, \includegraphics and \html*: no part of a formula becomes an address or an attribute.
  trust: false,
  // The default prints warnings on the server's console.
  strict: "ignore",
  maxExpand: 300,
  // In em. Larger rules could cover the rest of the page.
  maxSize: 20,
};

/** Adds `$$…$$` to a parser. */
export function addInlineMath(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "math", parseInlineMath);
  md.renderer.rules.math = renderInlineMath;
}

function parseInlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== 0x24 /* $ */ || src.charCodeAt(pos + 1) !== 0x24) return false;
  // `US$$5 and US$$6` and runs of dollar signs are not formulas.
  if (pos > 0 && /[\w$]/.test(src.charAt(pos - 1))) return false;
  inlineMathPattern.lastIndex = pos;
  const match = inlineMathPattern.exec(src);
  const end = inlineMathPattern.lastIndex;
  if (match === null || end > state.posMax || (end < src.length && /\w/.test(src.charAt(end)))) return false;
  if (!silent) state.push("math", "span", 0).content = match[1] ?? "";
  state.pos = end;
  return true;
}

const renderInlineMath: RendererRule = (tokens, index, _options, env) => {
  const source = tokenAt(tokens, index).content;
  return (
    formulaHtml(source, false, renderingOf(env)) ?? `<span class="tex-error">${escapeText(`$$${source}$$`)}</span>`
  );
};

/** The HTML of a block of formulas: one paragraph for each part between blank lines. */
export function renderMathBlock(source: string, rendering: Rendering): string {
  return source
    .split(/\n[ \t]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => formulaHtml(part, true, rendering) ?? `<span class="tex-error">${escapeText(part)}</span>`)
    .map((formula) => `<p>${formula}</p>\n`)
    .join("");
}

/**
 * KaTeX's HTML of one formula. Undefined if the formula is invalid or forbidden, or the message's limits are used up.
 */
function formulaHtml(source: string, displayMode: boolean, rendering: Rendering): string | undefined {
  if (Buffer.byteLength(source) > maxFormulaBytes || definitionPattern.test(source)) return undefined;
  if (rendering.formulas >= maxFormulas || rendering.formulaHtmlUnits >= maxFormulaHtmlUnits) return undefined;
  rendering.formulas++;
  try {
    const html = katex.renderToString(source, { ...katexOptions, displayMode });
    rendering.formulaHtmlUnits += html.length;
    return affords(rendering, html.length) ? html : undefined;
  } catch {
    // A ParseError means a mistake of the sender, a RangeError nesting too deep for the stack. Both are shown as the
    // source.
    return undefined;
  }
}
