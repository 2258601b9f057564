/** What becomes of what is pasted: files are attached, an address makes a link of the selection, HTML is Markdown. */
import type { Writing } from "../../model/writing/writing.ts";
import { replaceIn } from "./insertion.ts";

/** HTML that says more than its plain text. Code editors give colours alone. */
const saysMore = /<(?:a\s[^>]*href|b|strong|i|em|s|del|strike|code|ul|ol|table|h[1-6]|blockquote|hr)\b/i;
const address = /^https?:\/\/\S+$/i;

/** Returns whether it was dealt with: else the browser pastes the plain text. */
export function paste(data: DataTransfer | null, box: HTMLTextAreaElement, writing: Writing): boolean {
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
  // What looks like a single address is one, whatever its HTML says.
  if (!saysMore.test(html) || address.test(text)) return false;
  void import("./html-to-markdown.ts")
    .then(({ markdownOf }) => markdownOf(html))
    .catch(() => text)
    .then((markdown) => replaceIn(box, box.selectionStart, box.selectionEnd, markdown || text));
  return true;
}
