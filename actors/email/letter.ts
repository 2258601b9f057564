/**
 * What an email says, and how that becomes text and HTML: of one description, so that both say the same. Names and
 * texts in it may be anybody's: they are shown as they are, become no markup and no header, and are bounded.
 */

import { escapeHtml } from "../markdown/rendering.ts";
import { directionOf, type Language } from "../text/languages.ts";
import { wordsIn } from "./words/words.ts";

/** A part of a letter. Texts are plain unless they say otherwise. */
export type LetterBlock =
  | { kind: "text"; text: string }
  | { kind: "heading"; text: string; url?: string }
  | { kind: "button"; label: string; url: string }
  /** Something that somebody wrote, as text and as HTML that only consists of what `mailHtml` lets through. */
  | { kind: "message"; sender: string; text: string; html: string };

export interface Letter {
  subject: string;
  blocks: LetterBlock[];
  /** In small print at the end. */
  footer: string;
  /** What it is written in; English when left out. */
  language?: Language;
  /** Where one click ends such letters. */
  unsubscribeUrl?: string;
  /** Where answers go. */
  replyTo?: string;
  /** Who has written what is in it, before the server's own address. */
  fromName?: string;
  /** Letters of one thread have the same. */
  thread?: string;
}

/** A letter as mail programs show it. */
export interface RenderedLetter {
  subject: string;
  text: string;
  html: string;
}

const maxSubject = 200;
const maxName = 100;

/** One line without what headers and terminals take for their own. */
const oneLine = (text: string, max: number): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const characters = [...line];
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
};

/**
 * A name that somebody gave themselves or their organization, for a letter to people who do not know either. Mail
 * programs make no link of it.
 */
export const nameInLetter = (name: string): string => oneLine(name, maxName).replace(/(?<=\S)[.:/@](?=\S)/g, "$& ");

const paragraph = (html: string): string => `<p style="margin:0 0 16px">${html}</p>`;
const link = (url: string, html: string, style = "color:#2b5fd9"): string =>
  `<a href="${escapeHtml(url)}" style="${style}">${html}</a>`;
const buttonStyle =
  "display:inline-block;padding:10px 18px;background:#2b5fd9;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600";

function blockText(block: LetterBlock): string {
  switch (block.kind) {
    case "text":
      return block.text;
    case "heading":
      return block.url === undefined ? `# ${block.text}` : `# ${block.text}\n${block.url}`;
    case "button":
      return `${block.label}:\n${block.url}`;
    case "message":
      return `${block.sender}:\n${block.text.replace(/^/gm, "> ")}`;
  }
}

function blockHtml(block: LetterBlock): string {
  switch (block.kind) {
    case "text":
      return paragraph(escapeHtml(block.text).replaceAll("\n", "<br>"));
    case "heading": {
      const text = escapeHtml(block.text);
      const shown = block.url === undefined ? text : link(block.url, text);
      return `<h2 style="margin:24px 0 8px;font-size:16px">${shown}</h2>`;
    }
    case "button":
      return paragraph(link(block.url, escapeHtml(block.label), buttonStyle));
    case "message":
      return `<div style="margin:0 0 16px"><b>${escapeHtml(block.sender)}</b><div>${block.html}</div></div>`;
  }
}

/** @param more a button that was not known when the letter was written, before everything else but the first block */
export function renderLetter(letter: Letter, more?: { label: string; url: string }): RenderedLetter {
  const [first, ...rest] = letter.blocks;
  const blocks = more ? [...(first ? [first] : []), { kind: "button" as const, ...more }, ...rest] : letter.blocks;
  const subject = oneLine(letter.subject, maxSubject);
  const { language = "en" } = letter;
  const words = wordsIn(language);
  const ending = letter.unsubscribeUrl === undefined ? "" : `\n\n${words.unsubscribe}: ${letter.unsubscribeUrl}`;
  const footer = escapeHtml(letter.footer).replaceAll("\n", "<br>");
  const unsubscribe =
    letter.unsubscribeUrl === undefined ? "" : `<br>${link(letter.unsubscribeUrl, escapeHtml(words.unsubscribe))}`;
  return {
    subject,
    text: `${blocks.map(blockText).join("\n\n")}\n\n-- \n${letter.footer}${ending}\n`,
    html: `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1c2430;font:16px/1.5 sans-serif">
<div style="max-width:600px;margin:0 auto">
${blocks.map(blockHtml).join("\n")}
<p style="margin:32px 0 0;color:#556070;font-size:13px">${footer}${unsubscribe}</p>
</div></body></html>
`,
  };
}
