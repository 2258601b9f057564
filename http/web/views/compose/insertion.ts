/** What is put into the text besides what is typed. The browser does it, so that undo takes it back. */
import type { Give } from "../../focus.ts";
import { t } from "../../texts.ts";
import type { IconName } from "../parts/icons.tsx";

export interface Insertion {
  before: string;
  after: string;
  /** Prefix of each selected line. @param at counts from 1 */
  line?(at: number): string;
}

/** @param give the wish of what has waited since; without it the box takes the focus */
export type Insert = (insertion: Insertion, give?: Give) => void;

export const formats = (): readonly (readonly [IconName, string, Insertion])[] => [
  ["bold", t.bold, { before: "**", after: "**" }],
  ["italic", t.italic, { before: "*", after: "*" }],
  ["strike", t.strike, { before: "~~", after: "~~" }],
  ["link", t.link, { before: "[", after: "](https://)" }],
  ["list", t.list, { before: "", after: "", line: () => "- " }],
  ["numbers", t.numberedList, { before: "", after: "", line: (at) => `${at}. ` }],
  ["quote", t.quoteBlock, { before: "```quote\n", after: "\n```" }],
  ["codeLine", t.inlineCode, { before: "`", after: "`" }],
  ["code", t.code, { before: "```\n", after: "\n```" }],
  ["eyeOff", t.spoilerBlock, { before: "```spoiler \n", after: "\n```" }],
  ["math", t.math, { before: "$$", after: "$$" }],
];

export const shortcuts: Readonly<Record<string, Insertion>> = {
  b: { before: "**", after: "**" },
  i: { before: "*", after: "*" },
  L: { before: "[", after: "](https://)" },
  C: { before: "`", after: "`" },
};

/** Puts marks around the selection, or takes away those that are around it. */
export function insertInto(box: HTMLTextAreaElement, insertion: Insertion): void {
  const { before, after, line } = insertion;
  const { selectionStart: from, selectionEnd: to, value } = box;
  const chosen = value.slice(from, to);
  if (isAround(insertion, value.slice(0, from), value.slice(to))) {
    replaceIn(box, from - before.length, to + after.length, chosen);
    box.setSelectionRange(from - before.length, to - before.length);
    return;
  }
  let count = 0;
  const inner = line === undefined ? chosen : chosen.replace(/^/gm, () => line(++count));
  replaceIn(box, from, to, before + inner + after);
  box.setSelectionRange(from + before.length, from + before.length + inner.length);
}

function isAround({ before, after }: Insertion, left: string, right: string): boolean {
  if (after === "" || !left.endsWith(before) || !right.startsWith(after)) return false;
  // Two stars are bold and not italic. Three are both.
  return (
    before !== "*" || [left.match(/\**$/), right.match(/^\**/)].every((stars) => (stars?.[0].length ?? 0) % 2 === 1)
  );
}

/** Replaces a part of the text as if it were typed. The caret comes after it. */
export function replaceIn(box: HTMLTextAreaElement, from: number, to: number, text: string): void {
  box.focus();
  box.setSelectionRange(from, to);
  const isTyped =
    text === "" ? from === to || document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isTyped) return;
  box.setRangeText(text, from, to, "end");
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
