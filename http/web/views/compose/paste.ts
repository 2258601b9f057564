/**
 * What becomes of what is pasted: files are attached, an address makes a link of the selection, that of a place is its
 * link, HTML is Markdown.
 */
import type { App } from "../../model/app.ts";
import { linkOfAddress } from "../../model/writing/place-link.ts";
import type { Writing } from "../../model/writing/writing.ts";
import { replaceIn } from "./insertion.ts";

/** HTML that says more than its plain text. Code editors give colours alone. */
const saysMore = /<(?:a\s[^>]*href|b|strong|i|em|s|del|strike|code|ul|ol|table|h[1-6]|blockquote|hr)\b/i;
const address = /^https?:\/\/\S+$/i;

/** Returns whether it was dealt with: else the browser pastes the plain text. */
export function paste(app: App, data: DataTransfer | null, box: HTMLTextAreaElement, writing: Writing): boolean {
  const text = data?.getData("text/plain").trim() ?? "";
  const html = data?.getData("text/html") ?? "";
  // Spreadsheets give a picture of their cells besides.
  const files = html.includes("<table") ? [] : [...(data?.files ?? [])];
  if (files.length > 0) {
    writing.attach(files);
    return true;
  }
  const { selectionStart: from, selectionEnd: to, value } = box;
  const chosen = value.slice(from, to);
  if (address.test(text) && chosen !== "" && !/[\n[\]]/.test(chosen) && !address.test(chosen)) {
    replaceIn(box, from, to, `[${chosen}](${text})`);
    return true;
  }
  const place = address.test(text) && !isInCode(value.slice(0, from)) && linkOfAddress(app.channels, text);
  if (place) {
    // One after the other: undo gives the address itself.
    replaceIn(box, from, to, text);
    replaceIn(box, from, from + text.length, place.markdown);
    return true;
  }
  // What looks like a single address is one, whatever its HTML says.
  if (!saysMore.test(html) || address.test(text)) return false;
  void import("./html-to-markdown.ts")
    .then(({ markdownOf }) => markdownOf(html))
    .catch(() => text)
    .then((markdown) => replaceIn(box, box.selectionStart, box.selectionEnd, markdown || text));
  return true;
}

/** Whether code or a link is begun before the caret, where an address is meant as it is. */
const isInCode = (before: string): boolean =>
  (before.match(/^```/gm)?.length ?? 0) % 2 === 1 ||
  ((/[^\n]*$/.exec(before)?.[0] ?? "").match(/`/g)?.length ?? 0) % 2 === 1 ||
  before.endsWith("](");
