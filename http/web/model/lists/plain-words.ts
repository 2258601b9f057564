/** The words of messages without their looks, for previews, notifications and screen readers. */
import { t } from "../../texts.ts";
import { charactersOf } from "../emoji.ts";

/** The words of a message on one line: emoji and polls as they are seen, nothing of what a spoiler hides. */
export const plainWords = (html: string): string =>
  textOf(
    html
      .replace(/<div class="spoiler-content"[\s\S]*/, "")
      .replace(/<span[^>]*\bemoji-([0-9a-f-]+)[^>]*>:[^:<]+:<\/span>/g, (_whole, code: string) => charactersOf(code)),
  )
    .replace(/^\s*\/(?:poll|todo)\s+/, "")
    .replace(/\s+/g, " ");

/** The plain text of a message. Nothing in it runs or loads. */
export function textOf(html: string): string {
  const text = withTex(html)
    .replace(/<(?:br|\/p|\/li|\/h\d|\/pre)[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)
    .trim();
  return text === "" && /<(?:img|video)/.test(html) ? t.image : text;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

const formula = '<span class="katex">';

/** Formulas as they were typed. KaTeX says each twice, as MathML and as letters in their places. */
export function withTex(html: string): string {
  let text = "";
  let from = 0;
  for (let at = html.indexOf(formula); at >= 0; at = html.indexOf(formula, from)) {
    const end = endOfSpan(html, at);
    const tex = /<annotation\b[^>]*>([^<]*)/.exec(html.slice(at, end))?.[1] ?? "";
    text += `${html.slice(from, at)}$$${tex.trim()}$$`;
    from = end;
  }
  return text + html.slice(from);
}

/** Behind the end of the `span` that begins at a place. */
function endOfSpan(html: string, at: number): number {
  let depth = 0;
  for (const { 1: close, 0: tag, index } of html.slice(at).matchAll(/<(\/?)span\b[^>]*>/g)) {
    depth += close === "/" ? -1 : 1;
    if (depth === 0) return at + index + tag.length;
  }
  return html.length;
}
