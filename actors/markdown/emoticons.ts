import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { emojiByName } from "./emoji.ts";
import { escapeHtml, renderingOf } from "./rendering.ts";

/**
 * Emoticons that become emoji, in messages of people who turned `translate_emoticons` on. The text that was sent stays
 * as it is. Source of the table: zulip.com/help/configure-emoticon-translations.
 */
const emoticons: ReadonlyMap<string, string> = new Map([
  [":)", "slight_smile"],
  ["(:", "slight_smile"],
  [":(", "frown"],
  ["<3", "heart"],
  [":|", "neutral"],
  [":/", "confused"],
  [";)", "wink"],
  [":D", "smile"],
  [":o", "open_mouth"],
  [":O", "open_mouth"],
  [":p", "stuck_out_tongue"],
  [":P", "stuck_out_tongue"],
]);

/** It stands by itself: beside it are only spaces, brackets, quotes and the ends of sentences. */
const beside = String.raw`[,.;?!()\[\] "'\n\t]`;
const pattern = new RegExp(String.raw`(?<=^|${beside})(?::[)(|/DoOpP]|\(:|<3|;\))(?=$|${beside})`, "g");

/** Whether there may be one. Of most texts this is all that is asked. */
export const mayHaveEmoticon = (text: string): boolean => /[:;][)(|/DoOpP]|\(:|<3/.test(text);

/** Adds the pass over texts. It comes after links are found, whose addresses stay as they are. */
export function addEmoticons(md: MarkdownIt): void {
  md.core.ruler.push("emoticons", ({ env, tokens }: StateCore) => {
    if (!renderingOf(env).context.translatesEmoticons) return;
    for (const token of tokens)
      if (token.type === "inline" && token.children) token.children = translated(token.children);
  });
}

function translated(tokens: Token[]): Token[] {
  let isBareUrl = false;
  return tokens.flatMap((token, index) => {
    if (token.type === "link_open") isBareUrl = token.info === "auto";
    else if (token.type === "link_close") isBareUrl = false;
    if (token.type !== "text" || isBareUrl || !mayHaveEmoticon(token.content)) return [token];
    // Beside anything but an end of a line it does not stand by itself.
    const side = (other: Token | undefined) => (!other || other.type.endsWith("break") ? "" : "x");
    return pieces(token, side(tokens[index - 1]), side(tokens[index + 1]));
  });
}

function pieces(token: Token, before: string, after: string): Token[] {
  const TokenClass = token.constructor as typeof Token;
  const made: Token[] = [];
  const add = (type: string, tag: string): Token => {
    const piece = new TokenClass(type, tag, 0);
    piece.level = token.level;
    made.push(piece);
    return piece;
  };
  const source = before + token.content + after;
  const addText = (from: number, to: number) => {
    const text = source.slice(Math.max(from, before.length), Math.min(to, source.length - after.length));
    if (text !== "") add("text", "").content = text;
  };
  let end = 0;
  for (const match of source.matchAll(pattern)) {
    const name = emoticons.get(match[0]);
    const emoji = name && emojiByName(name);
    if (!emoji) continue;
    addText(end, match.index);
    add("unicode_emoji", "span").meta = { emoji: { name, code: emoji.code, character: escapeHtml(match[0]) } };
    end = match.index + match[0].length;
  }
  addText(end, source.length);
  return made;
}
