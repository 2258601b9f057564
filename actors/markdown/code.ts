import hljs from "highlight.js/lib/common";
import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import { grammarOf, pygmentsName } from "./code-languages.ts";
import { affords } from "./limits.ts";
import { renderMathBlock } from "./math.ts";
import { escapeHtml, escapeText, type Rendering, renderingOf, tokenAt } from "./rendering.ts";

/**
 * Code blocks: `<div class="codehilite" data-code-language="Python"><pre><span></span><code>…`. Clients know the token
 * classes and language names of Pygments, and some refuse other classes or nested spans. So the scopes of highlight.js
 * are translated and flattened. Source: zulip.com/api/message-formatting, Code blocks; pygments.org/docs/tokens.
 */

/**
 * UTF-16 units of code that are highlighted in one message. The rest is shown plain. Many grammars are quadratic in
 * hostile code.
 */
const maxHighlightedUnits = 4000;
/** A lower limit for the slowest grammar: 5,000 characters of modifiers without a declaration took 140 ms. */
const maxHighlightedCSharpUnits = 1500;
/** The fixed cost of a block, in units of code: about 100 µs of setting up. */
const highlightedUnitsPerBlock = 50;
/**
 * Code with longer lines or words is data, not source, and grammars are slow on it: a word of 10,000 letters took 1.2
 * s.
 */
const tooLongToHighlight = /[^\n]{401}|[\w$.-]{101}/;

/** Pygments' token class of each highlight.js scope. Scopes that are missing here are shown as plain text. */
const tokenClasses = new Map([
  ["keyword", "k"],
  ["built_in", "nb"],
  ["type", "kt"],
  ["literal", "kc"],
  ["number", "m"],
  ["operator", "o"],
  ["punctuation", "p"],
  ["property", "n"],
  ["regexp", "sr"],
  ["string", "s"],
  ["char", "sc"],
  ["subst", "n"],
  ["symbol", "ss"],
  ["class", "nc"],
  ["function", "nf"],
  ["variable", "nv"],
  ["title", "nf"],
  ["params", "n"],
  ["comment", "c"],
  ["doctag", "cs"],
  ["meta", "cp"],
  ["section", "gh"],
  ["tag", "nt"],
  ["name", "nt"],
  ["attr", "na"],
  ["attribute", "na"],
  ["bullet", "k"],
  ["code", "sb"],
  ["emphasis", "ge"],
  ["strong", "gs"],
  ["link", "s"],
  ["quote", "c"],
  ["selector-tag", "nt"],
  ["selector-id", "nn"],
  ["selector-class", "nc"],
  ["selector-attr", "na"],
  ["selector-pseudo", "nd"],
  ["template-tag", "cp"],
  ["template-variable", "nv"],
  ["addition", "gi"],
  ["deletion", "gd"],
]);

/** Adds code to a parser: in a line, as a block, as a fence. The fence `math` is a formula. */
export function addCode(md: MarkdownIt): void {
  md.inline.ruler.at("backticks", parseCodeSpan);
  md.renderer.rules.code_inline = (tokens, index) => `<code>${escapeText(tokenAt(tokens, index).content)}</code>`;
  md.renderer.rules.fence = renderFence;
  md.renderer.rules.code_block = (tokens, index) =>
    codeBlockHtml("", escapeCode(trimCode(tokenAt(tokens, index).content)));
}

/** What the parser knows of the runs of backticks in a text. */
type CodeState = StateInline & { backticks: Record<number, number>; backticksScanned: boolean };

/** As many backticks close a span as have opened it. All between them is code, white space too. */
function parseCodeSpan(state: StateInline, silent: boolean): boolean {
  const known = state as CodeState;
  const { src, pos: start, backticks, backticksScanned } = known;
  if (src.charCodeAt(start) !== 0x60 /* ` */) return false;
  const length = endOfTicks(src, start) - start;
  const content = start + length;
  // Where the runs of each length are was found out by an earlier search, which went to the end.
  let end: number | undefined;
  if (!backticksScanned || (backticks[length] ?? -1) > start) end = findTicks(known, content, length);
  if (end === undefined || end > state.posMax) {
    if (!silent) state.pending += src.slice(start, content);
    state.pos = content;
    return true;
  }
  if (!silent) state.push("code_inline", "code", 0).content = src.slice(content, end - length);
  state.pos = end;
  return true;
}

/** The end of the next run of so many backticks. Notes the last run of each length that it passes. */
function findTicks(known: CodeState, from: number, length: number): number | undefined {
  const { src } = known;
  for (let tick = src.indexOf("`", from); tick !== -1; ) {
    const end = endOfTicks(src, tick);
    if (end - tick === length) return end;
    known.backticks[end - tick] = tick;
    tick = src.indexOf("`", end);
  }
  known.backticksScanned = true;
  return undefined;
}

function endOfTicks(src: string, start: number): number {
  let end = start;
  while (src.charCodeAt(end) === 0x60) end++;
  return end;
}

const renderFence: RendererRule = (tokens, index, _options, env) => {
  const { info, content } = tokenAt(tokens, index);
  const rendering = renderingOf(env);
  const language = info || rendering.context.codePlaygroundDefaultLanguage.toLowerCase();
  if (language === "math") return renderMathBlock(content, rendering);
  const code = trimCode(content);
  if (language === "" || language === "none") return codeBlockHtml("", highlightByFirstLine(code, rendering));
  const grammar = hljs.getLanguage(grammarOf(language));
  const name = pygmentsName(language) ?? grammar?.name ?? language;
  const html = name === "TeX" ? highlightTex(code, rendering) : undefined;
  return codeBlockHtml(
    ` data-code-language="${escapeHtml(name)}"`,
    html ?? (grammar === undefined ? escapeCode(code) : highlight(code, grammarOf(language), grammar.name, rendering)),
  );
};

/** Code without white space at the ends of lines and without empty lines around it. */
function trimCode(code: string): string {
  const lines = code.split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== "");
  return first === -1 ? "" : `${lines.slice(first, lines.findLastIndex((line) => line !== "") + 1).join("\n")}\n`;
}

/** As Pygments escapes it. */
const escapeCode = (code: string): string => escapeHtml(code).replaceAll("'", "&#39;");

/** Code whose first line names its language: `#!/usr/bin/env python`, `:::python`. */
function highlightByFirstLine(code: string, rendering: Rendering): string {
  const language = /^(?:#! ?(?:[^\s]*\/)?(?:env )?|:{2,4})([\w+-]+)/.exec(code)?.[1]?.toLowerCase();
  const grammar = language && hljs.getLanguage(grammarOf(language));
  return !grammar ? escapeCode(code) : highlight(code, grammarOf(language), grammar.name, rendering);
}

/** Commands, braces and comments of TeX, for which there is no small grammar. */
function highlightTex(code: string, rendering: Rendering): string | undefined {
  const html = code.replace(/(\\(?:[a-zA-Z]+|[^\n]))|([{}])|(%[^\n]*)|[^\\{}%]+/g, (text, command, brace, comment) => {
    const tokenClass = command ? "k" : brace ? "nb" : comment ? "c" : undefined;
    return tokenClass === undefined ? escapeCode(text) : `<span class="${tokenClass}">${escapeCode(text)}</span>`;
  });
  return affords(rendering, html.length) ? html : undefined;
}

function codeBlockHtml(attributes: string, codeHtml: string): string {
  return `<div class="codehilite"${attributes}><pre><span></span><code>${codeHtml}</code></pre></div>\n`;
}

function highlight(code: string, language: string, name: string | undefined, rendering: Rendering): string {
  const left = maxHighlightedUnits - rendering.highlightedUnits;
  if (code.length > (name === "C#" ? Math.min(left, maxHighlightedCSharpUnits) : left)) return escapeCode(code);
  if (tooLongToHighlight.test(code)) return escapeCode(code);
  // C# code is charged more, so that several blocks together stay within the limit of C#.
  const weight = name === "C#" ? maxHighlightedUnits / maxHighlightedCSharpUnits : 1;
  rendering.highlightedUnits += highlightedUnitsPerBlock + code.length * weight;
  const html = flattenSpans(hljs.highlight(code, { language, ignoreIllegals: true }).value);
  return affords(rendering, html.length) ? html : escapeCode(code);
}

/**
 * Turns the nested `<span class="hljs-…">` of highlight.js into a flat sequence of Pygments spans. The innermost known
 * scope wins.
 */
function flattenSpans(highlighted: string): string {
  const open: (string | undefined)[] = [];
  let html = "";
  // With a capturing group, split() alternates text and tags. The highlighter has escaped the text.
  highlighted
    .replaceAll("&#x27;", "&#39;")
    .split(/(<span class="[^"]*">|<\/span>)/)
    .forEach((piece, index) => {
      if (index % 2 === 0) {
        const tokenClass = open.findLast((candidate) => candidate !== undefined);
        if (piece !== "") html += tokenClass === undefined ? piece : `<span class="${tokenClass}">${piece}</span>`;
      } else if (piece === "</span>") open.pop();
      else open.push(tokenClassOf(piece));
    });
  return html;
}

/** The Pygments class of an opening tag. In `hljs-title function_` the first name alone would be a function already. */
function tokenClassOf(openingTag: string): string | undefined {
  const [scope = "", subscope] = openingTag.slice('<span class="'.length, -'">'.length).split(" ");
  if (subscope === "class_") return "nc";
  return tokenClasses.get(scope.replace(/^hljs-/, ""));
}
