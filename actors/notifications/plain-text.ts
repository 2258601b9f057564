/** A message's words, as far as a notification has room for them. */
import { defined } from "../../storage/failures.ts";

/** Code points. */
const maxText = 200;
/** A message of more markup than this is shown as its source. */
const maxHtml = 20_000;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const blocks = new Set(["p", "li", "pre", "blockquote", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "div"]);

export interface PlainText {
  text: string;
  isCut: boolean;
}

/**
 * @param html what our Markdown renderer made: `<` and `>` stand in tags only
 * @param source the message as it was typed
 */
export function plainText(html: string, source: string): PlainText {
  // Formulas say everything twice, once as pictures made of letters.
  const text = html.length > maxHtml || html.includes('class="katex') ? source : textOf(html);
  // A message that is a picture and nothing else has no other words than its address.
  const trimmed = text.slice(0, 4 * maxText + 4).trim() || source.slice(0, 4 * maxText + 4).trim();
  const characters = [...trimmed];
  return characters.length <= maxText
    ? { text: trimmed, isCut: false }
    : { text: `${characters.slice(0, maxText).join("")}…`, isCut: true };
}

function textOf(html: string): string {
  let text = "";
  /** How many `div`s deep in what somebody hid; it is for those who choose to look. */
  let hidden = 0;
  for (const [, close, name, attributes, words] of html.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>|([^<]+)/gi)) {
    if (hidden > 0) {
      if (name === "div") hidden += close === "/" ? -1 : 1;
    } else if (words !== undefined)
      text += words.replace(/&(amp|lt|gt|quot|#39);/g, (_whole, entity: string) => defined(entities[entity], "entity"));
    else if (name === "div" && attributes?.includes("spoiler-content")) {
      hidden = 1;
      text += "(…)\n";
    } else if (name === "img") text += /\salt="([^"]*)"/.exec(attributes ?? "")?.[1] ?? "";
    else if (name === "br" || (close === "/" && blocks.has(name ?? ""))) text += "\n";
    else if (name === "blockquote") text += "> ";
  }
  return text.replace(/\s*\n\s*/g, "\n");
}
