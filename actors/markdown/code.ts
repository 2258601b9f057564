import hljs from "highlight.js/lib/common";
import type { MarkdownIt, RendererRule } from "markdown-it";
import { affords } from "./limits.ts";
import { mathLanguages, renderMathBlock } from "./math.ts";
import { escapeHtml, type Rendering, renderingOf } from "./rendering.ts";

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

/** Pygments' names of languages, where highlight.js has other names. Source: pygments.org/languages. */
const languageNames = new Map([
  ["html", "HTML"],
  ["xml", "XML"],
  ["svg", "XML"],
  ["ini", "INI"],
  ["toml", "TOML"],
  ["text", "Text only"],
  ["txt", "Text only"],
  ["plain", "Text only"],
  ["plaintext", "Text only"],
  ["sh", "Bash"],
  ["shell", "Bash"],
  ["console", "Bash Session"],
  ["graphql", "GraphQL"],
]);

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

/** Adds code blocks to a parser. A fence with a language of `mathLanguages` is a formula. */
export function addCodeBlocks(md: MarkdownIt): void {
  md.renderer.rules.fence = renderFence;
  md.renderer.rules.code_block = (tokens, index) => codeBlockHtml("", escapeHtml(tokens[index]!.content));
}

const renderFence: RendererRule = (tokens, index, _options, env, _renderer) => {
  const { info, content } = tokens[index]!;
  const rendering = renderingOf(env);
  const language = info.trim().split(/\s/, 1)[0] || rendering.context.codePlaygroundDefaultLanguage;
  if (mathLanguages.has(language.toLowerCase())) return renderMathBlock(content, rendering);
  if (language === "" || language === "none") return codeBlockHtml("", escapeHtml(content));
  const grammar = hljs.getLanguage(language);
  const name = languageNames.get(language.toLowerCase()) ?? grammar?.name ?? language;
  const code = grammar === undefined ? escapeHtml(content) : highlight(content, language, grammar.name, rendering);
  return codeBlockHtml(` data-code-language="${escapeHtml(name)}"`, code);
};

function codeBlockHtml(attributes: string, codeHtml: string): string {
  return `<div class="codehilite"${attributes}><pre><span></span><code>${codeHtml}</code></pre></div>\n`;
}

function highlight(code: string, language: string, name: string | undefined, rendering: Rendering): string {
  const left = maxHighlightedUnits - rendering.highlightedUnits;
  if (code.length > (name === "C#" ? Math.min(left, maxHighlightedCSharpUnits) : left)) return escapeHtml(code);
  if (tooLongToHighlight.test(code)) return escapeHtml(code);
  // C# code is charged more, so that several blocks together stay within the limit of C#.
  const weight = name === "C#" ? maxHighlightedUnits / maxHighlightedCSharpUnits : 1;
  rendering.highlightedUnits += highlightedUnitsPerBlock + code.length * weight;
  const html = flattenSpans(hljs.highlight(code, { language, ignoreIllegals: true }).value);
  return affords(rendering, html.length) ? html : escapeHtml(code);
}

/**
 * Turns the nested `<span class="hljs-…">` of highlight.js into a flat sequence of Pygments spans. The innermost known
 * scope wins.
 */
function flattenSpans(highlighted: string): string {
  const open: (string | undefined)[] = [];
  let html = "";
  // With a capturing group, split() alternates text and tags. The highlighter has escaped the text.
  highlighted.split(/(<span class="[^"]*">|<\/span>)/).forEach((piece, index) => {
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
  const [scope, subscope] = openingTag.slice('<span class="'.length, -'">'.length).split(" ");
  if (subscope === "class_") return "nc";
  return tokenClasses.get(scope!.replace(/^hljs-/, ""));
}
