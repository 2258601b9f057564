/** Texts that come as HTML, as plain text. */
import { harmless, link } from "../notice/markdown.ts";

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };

const decoded = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot|apos|nbsp|#39);/g, (_, name: string) => entities[name] ?? "'");

/** The text between the tags, in lines; links and pictures are links. */
export function textOfHtml(html: string): string {
  const text = html
    .replace(/<a\b[^<>]*?\bhref="(https?:[^"<>]+)"[^<>]*>([^<]*)<\/a>/gi, (_, url: string, label: string) =>
      link(label, decoded(url)),
    )
    .replace(/<img\b[^<>]*?\bsrc="(https?:[^"<>]+)"[^<>]*>/gi, (_, url: string) =>
      link(/([^/?#]+)(?:[?#].*)?$/.exec(url)?.[1] ?? "Image", decoded(url)),
    )
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, "")
    .replace(/<br\b[^>]*>|<\/(?:p|div|li|tr|h[1-6]|blockquote|pre)>/gi, "\n")
    .replace(/<\/?[a-z!][^<>]*>/gi, "");
  return harmless(decoded(text))
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
