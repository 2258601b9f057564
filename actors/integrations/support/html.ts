/** Texts that come as HTML, as plain text. */
import { harmless } from "../notice/markdown.ts";

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };

/** The text between the tags, in lines. */
export function textOfHtml(html: string): string {
  const text = html
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, "")
    .replace(/<br\b[^>]*>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre)>/gi, "\n")
    .replace(/<\/?[a-z!][^<>]*>/gi, "")
    .replace(/&(lt|gt|amp|quot|apos|nbsp|#39);/g, (_, name: string) => entities[name] ?? "'");
  return harmless(text)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
