import { charactersOf } from "../emoji.ts";
import { textOf } from "../notifications.ts";

/** The words of a message on one line: formulas, emoji and polls as they are seen, nothing of what a spoiler hides. */
export const plainWords = (html: string): string =>
  textOf(
    html
      .replace(/<div class="spoiler-content"[\s\S]*/, "")
      .replace(/<span class="katex-mathml">[\s\S]*?<\/math><\/span>/g, "")
      .replace(/<span[^>]*\bemoji-([0-9a-f-]+)[^>]*>:[^:<]+:<\/span>/g, (_whole, code: string) => charactersOf(code)),
  )
    .replace(/^\s*\/(?:poll|todo)\s+/, "")
    .replace(/\s+/g, " ");
