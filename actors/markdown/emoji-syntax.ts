import type { MarkdownIt, RendererRule, StateInline, Token } from "markdown-it";
import { emojiByName, emojiNames, extraEmojiByName, findEmojiCharacters } from "./emoji.ts";
import { affords } from "./limits.ts";
import { escapeHtml, metaOf, renderingOf } from "./rendering.ts";

/**
 * Emoji as `:name:` and as characters. Names are looked up first among the realm's own, then the built-in extra one,
 * then Unicode. Source of the HTML: zulip.com/api/message-formatting, Emoji.
 */
const emojiSyntaxPattern = /:([\p{L}\p{N}_+-]{1,100}):/uy;

interface UnicodeEmoji {
  name: string;
  code: string;
  /** The character that was written, if it was not a name. */
  character?: string;
}
interface ImageEmoji {
  name: string;
  source_url: string;
}

/** Adds `:name:` to a parser. `splitEmojiCharacters` replaces characters. */
export function addEmoji(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "emoji", parseEmojiSyntax);
  md.renderer.rules.unicode_emoji = renderUnicodeEmoji;
  md.renderer.rules.image_emoji = renderImageEmoji;
}

function parseEmojiSyntax(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3a /* : */) return false;
  emojiSyntaxPattern.lastIndex = state.pos;
  const match = emojiSyntaxPattern.exec(state.src);
  if (match === null || emojiSyntaxPattern.lastIndex > state.posMax) return false;
  const [, name = ""] = match;
  const image = renderingOf(state.env).context.findRealmEmoji(name) ?? extraEmojiByName(name);
  const unicode = image === undefined ? emojiByName(name) : undefined;
  const emoji = image ?? (unicode && { name, code: unicode.code });
  if (emoji === undefined) return false;
  if (!silent) (image ? state.push("image_emoji", "img", 0) : state.push("unicode_emoji", "span", 0)).meta = { emoji };
  state.pos += match[0].length;
  return true;
}

/**
 * Splits a text token at its emoji characters. Undefined if there are none; that costs one search for a character
 * class.
 */
export function splitEmojiCharacters(token: Token): Token[] | undefined {
  const found = findEmojiCharacters(token.content);
  if (found.length === 0) return undefined;
  const TokenClass = token.constructor as typeof Token;
  const pieces: Token[] = [];
  let end = 0;
  const pushText = (text: string) => {
    if (text === "") return;
    const piece = new TokenClass("text", "", 0);
    piece.content = text;
    piece.level = token.level;
    pieces.push(piece);
  };
  for (const match of found) {
    pushText(token.content.slice(end, match.start));
    const piece = new TokenClass("unicode_emoji", "span", 0);
    const character = token.content.slice(match.start, match.end);
    piece.meta = { emoji: { name: emojiNames(match.code)[0], code: match.code, character } };
    piece.level = token.level;
    pieces.push(piece);
    end = match.end;
  }
  pushText(token.content.slice(end));
  return pieces;
}

const renderUnicodeEmoji: RendererRule = (tokens, index, _options, env) => {
  const { name, code, character } = metaOf<UnicodeEmoji>(tokens, index, "emoji");
  // Names consist of letters, digits, `_`, `+` and `-`, so they need no escaping.
  const title = name.replaceAll("_", " ");
  const html = `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
  return affords(renderingOf(env), html.length) ? html : (character ?? `:${name}:`);
};

const renderImageEmoji: RendererRule = (tokens, index, _options, env) => {
  const { name, source_url } = metaOf<ImageEmoji>(tokens, index, "emoji");
  const title = escapeHtml(name);
  const html = `<img alt=":${title}:" class="emoji" src="${escapeHtml(source_url)}" title="${title}">`;
  return affords(renderingOf(env), html.length) ? html : `:${title}:`;
};
