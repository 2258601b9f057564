import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { splitEmojiCharacters } from "./emoji-syntax.ts";
import { affords } from "./limits.ts";
import { isSafeHref, relativeToRealm } from "./links.ts";
import { type Media, type Rendering, renderingOf } from "./rendering.ts";
import {
  fileNameOf,
  hasPreview,
  inlineHtml,
  isImagePath,
  maxPreviews,
  previewHtml,
  type Upload,
  uploadPathId,
} from "./uploads.ts";

/**
 * The last pass over a parsed message. Markdown splits text at every special character; here it is whole again. The
 * pass replaces emoji characters and linkifier matches, turns images into links, and records the links of the message.
 * A preview comes after the outermost block that contains its link, or inside the hidden part of a spoiler. Quotes have
 * no previews: the original message shows them.
 */
export function addTextPass(md: MarkdownIt): void {
  md.core.ruler.at("inline", parseInline);
  md.core.ruler.push("text_pass", textPass);
  md.renderer.rules.upload_preview = (tokens, index) => tokens[index]!.content;
  md.renderer.rules.upload_inline = (tokens, index) => tokens[index]!.content;
}

/** Does markdown-it's own step, and counts the quotes around each text: a mention in a quote is silent. */
function parseInline(state: StateCore): void {
  const rendering = renderingOf(state.env);
  for (const token of state.tokens) {
    if (token.type === "blockquote_open") rendering.quoteDepth++;
    else if (token.type === "blockquote_close") rendering.quoteDepth--;
    else if (token.type === "inline") state.md.inline.parse(token.content, state.md, state.env, token.children!);
  }
}

function textPass(state: StateCore): void {
  const rendering = renderingOf(state.env);
  const blocks: Token[] = [];
  const seen = new Set<string>();
  let uploads: Upload[] = [];
  let quoteDepth = 0;
  let depth = 0;
  /** The depth outside all blocks: 0, plus one inside each spoiler. */
  const outermost = [0];
  for (const token of state.tokens) {
    if (token.type === "blockquote_open") quoteDepth++;
    else if (token.type === "blockquote_close") quoteDepth--;
    else if (token.type === "spoiler_content_close") outermost.pop();
    depth += token.nesting;
    blocks.push(token);
    if (token.type === "spoiler_content_open") outermost.push(depth);
    if (token.type === "inline") {
      const linked = new InlinePass(state, rendering);
      token.children = linked.run(token.children!);
      if (quoteDepth === 0) uploads.push(...linked.shownUploads);
    }
    if (uploads.length === 0 || depth !== outermost.at(-1)) continue;
    for (const upload of uploads) {
      if (seen.has(upload.href) || seen.size >= maxPreviews) continue;
      seen.add(upload.href);
      const preview = new state.Token("upload_preview", "", 0);
      preview.content = previewHtml(upload);
      preview.block = true;
      blocks.push(preview);
    }
    uploads = [];
  }
  state.tokens = blocks;
}

/** The pass over the inline tokens of one block. */
class InlinePass {
  readonly shownUploads: Upload[] = [];
  private readonly output: Token[] = [];
  private linkDepth = 0;
  private isBareUrl = false;
  private lastUpload: { href: string; label: string; media: Media } | undefined;
  private readonly state: StateCore;
  private readonly rendering: Rendering;

  constructor(state: StateCore, rendering: Rendering) {
    this.state = state;
    this.rendering = rendering;
  }

  run(tokens: Token[]): Token[] {
    for (const token of tokens) {
      if (token.type === "text") this.text(token);
      else if (token.type === "image") this.image(token);
      else {
        if (token.type === "link_open") this.openLink(token, String(token.attrGet("href")));
        else if (token.type === "link_close") this.closeLink();
        else if (token.type === "code_inline" && this.lastUpload) this.lastUpload.label += token.content;
        this.output.push(token);
      }
    }
    return this.output;
  }

  private openLink(token: Token, href: string): void {
    const target = relativeToRealm(href, this.rendering.context.realmUrl);
    token.attrSet("href", target);
    this.linkDepth++;
    this.isBareUrl = token.info === "auto";
    this.rendering.hasLink = true;
    if (isImagePath(target)) this.rendering.hasImage = true;
    const pathId = uploadPathId(target);
    if (pathId === undefined) return;
    this.rendering.attachmentPathIds.add(pathId);
    const media = this.rendering.context.findUpload(pathId);
    if (media?.image) this.rendering.hasImage = true;
    if (media && hasPreview(target, media)) this.lastUpload = { href: target, label: "", media };
  }

  private closeLink(): void {
    this.linkDepth--;
    if (this.lastUpload === undefined) return;
    const { href, label, media } = this.lastUpload;
    const title = this.isBareUrl || label.trim() === "" ? fileNameOf(href) : label;
    this.shownUploads.push({ href, title, media });
    this.lastUpload = undefined;
  }

  /**
   * An upload is shown in place. Any other image becomes a link with its description as text; inside another link, only
   * the text.
   */
  private image(token: Token): void {
    const href = String(token.attrGet("src"));
    if (this.linkDepth === 0 && this.inlineUpload(token, relativeToRealm(href, this.rendering.context.realmUrl)))
      return;
    this.rendering.hasImage = true;
    const description = this.newToken("text", "", 0);
    description.content = token.content.trim() || fileNameOf(href) || href;
    if (this.linkDepth > 0) {
      this.text(description);
      return;
    }
    const open = this.newToken("link_open", "a", 1);
    open.attrs = [["href", href]];
    this.openLink(open, href);
    this.output.push(open);
    this.text(description);
    this.closeLink();
    this.output.push(this.newToken("link_close", "a", -1));
  }

  private inlineUpload(token: Token, href: string): boolean {
    const pathId = uploadPathId(href);
    const media = pathId === undefined ? undefined : this.rendering.context.findUpload(pathId);
    const html = media && inlineHtml({ href, title: token.content.trim() || fileNameOf(href), media });
    if (html === undefined || !affords(this.rendering, html.length)) return false;
    this.rendering.attachmentPathIds.add(pathId!);
    if (media!.image !== false) this.rendering.hasImage = true;
    const shown = this.newToken("upload_inline", "", 0);
    shown.content = html;
    this.output.push(shown);
    return true;
  }

  private text(token: Token): void {
    if (this.lastUpload) this.lastUpload.label += token.content;
    if (this.linkDepth > 0) {
      this.emoji(token);
      return;
    }
    let end = 0;
    for (const match of this.rendering.context.linkify(token.content)) {
      const isInOrder = match.start >= end && match.end > match.start && match.end <= token.content.length;
      const href = this.state.md.normalizeLink(match.url);
      if (!isInOrder || !isSafeHref(href) || !affords(this.rendering, href.length)) continue;
      this.plainText(token.content.slice(end, match.start));
      const open = this.newToken("link_open", "a", 1);
      open.attrs = [["href", href]];
      const label = this.newToken("text", "", 0);
      label.content = match.text;
      this.openLink(open, href);
      this.output.push(open, label);
      this.closeLink();
      this.output.push(this.newToken("link_close", "a", -1));
      end = match.end;
    }
    if (end === 0) this.emoji(token);
    else this.plainText(token.content.slice(end));
  }

  private plainText(content: string): void {
    if (content === "") return;
    const token = this.newToken("text", "", 0);
    token.content = content;
    this.emoji(token);
  }

  private emoji(token: Token): void {
    // The text of a bare URL stays unchanged, so that it can be copied.
    const pieces = this.linkDepth > 0 && this.isBareUrl ? undefined : splitEmojiCharacters(token);
    if (pieces === undefined) this.output.push(token);
    else for (const piece of pieces) this.output.push(piece);
  }

  private newToken(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    return new this.state.Token(type, tag, nesting);
  }
}
