import type { MarkdownIt, StateCore, Token } from "markdown-it";
import { splitEmojiCharacters } from "./emoji-syntax.ts";
import { affords } from "./limits.ts";
import { isSafeHref, relativeToRealm } from "./links.ts";
import { outsidePlayer, outsidePreview } from "./outside-media.ts";
import { type Rendering, renderingOf, tokenAt } from "./rendering.ts";
import {
  fileNameOf,
  hasPreview,
  inlineHtml,
  isImagePath,
  isShownPicture,
  maxPreviews,
  previewHtml,
  uploadPathId,
} from "./uploads.ts";

/**
 * The last pass over a parsed message. Markdown splits text at every special character; here it is whole again. The
 * pass replaces emoji characters and linkifier matches, turns images into links, and records the links of the message.
 * A preview comes after the paragraph that contains its link, within the same list item or spoiler. It replaces a
 * paragraph that is nothing but the address. Links in a heading or a table have theirs below it. Quotes have no
 * previews: the original message shows them.
 */
export function addTextPass(md: MarkdownIt): void {
  md.core.ruler.at("inline", parseInline);
  md.core.ruler.push("text_pass", textPass);
  md.renderer.rules.preview = (tokens, index) => tokenAt(tokens, index).content;
  md.renderer.rules.inline_media = (tokens, index) => tokenAt(tokens, index).content;
}

/** What is shown of a link. */
interface Preview {
  href: string;
  html: string;
}

/** A link that is being read. */
interface Link {
  href: string;
  /** Its text so far. */
  label: string;
  isBareUrl: boolean;
}

/** Does markdown-it's own step, and counts the quotes around each text: a mention in a quote is silent. */
function parseInline(state: StateCore): void {
  const rendering = renderingOf(state.env);
  for (const token of state.tokens) {
    if (token.type === "blockquote_open") rendering.quoteDepth++;
    else if (token.type === "blockquote_close") rendering.quoteDepth--;
    else if (token.type === "inline") state.md.inline.parse(token.content, state.md, state.env, token.children ?? []);
  }
}

function textPass(state: StateCore): void {
  const rendering = renderingOf(state.env);
  const blocks: Token[] = [];
  const seen = new Set<string>();
  let previews: Preview[] = [];
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
      const linked = new InlinePass(state, rendering, quoteDepth === 0);
      token.children = linked.run(token.children ?? []);
      previews.push(...linked.previews);
    }
    if (previews.length === 0 || (token.type !== "paragraph_close" && depth !== outermost.at(-1))) continue;
    const shown = previews.filter(({ href }) => !seen.has(href) && seen.size < maxPreviews && seen.add(href));
    const [only, ...others] = shown;
    if (only && others.length === 0 && isBareAddress(blocks, only.href)) blocks.length -= 3;
    for (const { html } of shown) {
      const preview = new state.Token("preview", "", 0);
      preview.content = html;
      blocks.push(preview);
    }
    previews = [];
  }
  state.tokens = blocks;
}

/** Whether the last block is a paragraph of nothing but a link that shows its address. */
function isBareAddress(blocks: readonly Token[], href: string): boolean {
  const [open, inline] = blocks.slice(-3);
  const children = inline?.children ?? [];
  return open?.type === "paragraph_open" && children.length === 3 && children[1]?.content === href;
}

/** The pass over the inline tokens of one block. */
class InlinePass {
  readonly previews: Preview[] = [];
  private readonly output: Token[] = [];
  /** The link around the tokens, and the text in it so far. */
  private link: Link | undefined;

  constructor(
    private readonly state: StateCore,
    private readonly rendering: Rendering,
    private readonly hasPreviews: boolean,
  ) {}

  run(tokens: Token[]): Token[] {
    for (let index = 0; index < tokens.length; index++) {
      const token = tokenAt(tokens, index);
      if (token.type === "text") this.text(token);
      else if (token.type === "image") this.image(token);
      else {
        if (token.type === "link_close") this.closeLink();
        else if (this.link && token.type === "code_inline") this.link.label += token.content;
        this.output.push(token);
        if (token.type === "link_open") index = this.openLabelledLink(tokens, index);
      }
    }
    return this.output;
  }

  /** A link without a label shows its address. Returns the index of the last token that is done. */
  private openLabelledLink(tokens: readonly Token[], index: number): number {
    const { href } = this.openLink(tokenAt(tokens, index));
    let end = index + 1;
    while (tokens[end]?.type === "text" && tokens[end]?.content.trim() === "") end++;
    if (tokens[end]?.type !== "link_close") return index;
    this.plainText(href);
    return end - 1;
  }

  private openLink(token: Token): Link {
    const { attachmentPathIds, context } = this.rendering;
    const href = relativeToRealm(String(token.attrGet("href")), context.realmUrl);
    token.attrSet("href", href);
    const link = { href, label: "", isBareUrl: token.info === "auto" };
    this.link = link;
    this.rendering.hasLink = true;
    if (isImagePath(href)) this.rendering.hasImage = true;
    const pathId = uploadPathId(href);
    if (pathId !== undefined) attachmentPathIds.add(pathId);
    const upload = pathId === undefined ? undefined : context.findUpload(pathId);
    if (upload && isShownPicture(upload)) this.rendering.hasImage = true;
    return link;
  }

  private closeLink(): void {
    const { link } = this;
    const html = link && this.hasPreviews ? this.previewOf(link) : undefined;
    if (link && html) this.previews.push({ href: link.href, html });
    this.link = undefined;
  }

  private previewOf({ href, label, isBareUrl }: Link): string | undefined {
    const { context } = this.rendering;
    const pathId = uploadPathId(href);
    if (pathId !== undefined) {
      const media = context.findUpload(pathId);
      const title = isBareUrl || label.trim() === "" ? fileNameOf(href) : label;
      return media && hasPreview(href, media) ? previewHtml({ href, title, media }) : undefined;
    }
    if (href.startsWith(`${context.realmUrl}/`)) return undefined;
    const outside = outsidePreview(
      href,
      label.trim() === "" || label === href ? undefined : label,
      context.externalContent,
    );
    if (!outside || !affords(this.rendering, outside.html.length)) return undefined;
    if (outside.isPicture) this.rendering.hasImage = true;
    return outside.html;
  }

  /**
   * An upload and sound are shown in place. Any other image becomes a link with its description as text; inside another
   * link, only the text.
   */
  private image(token: Token): void {
    const href = String(token.attrGet("src"));
    if (!this.link && this.inlineMedia(token, relativeToRealm(href, this.rendering.context.realmUrl))) return;
    this.rendering.hasImage = true;
    const description = this.newToken("text", "", 0);
    description.content = token.content.trim() || fileNameOf(href) || href;
    if (this.link) {
      this.text(description);
      return;
    }
    const open = this.newToken("link_open", "a", 1);
    open.attrs = [["href", href]];
    this.output.push(open);
    this.openLink(open);
    this.text(description);
    this.closeLink();
    this.output.push(this.newToken("link_close", "a", -1));
  }

  private inlineMedia(token: Token, href: string): boolean {
    const { context, attachmentPathIds } = this.rendering;
    const pathId = uploadPathId(href);
    const media = pathId === undefined ? undefined : context.findUpload(pathId);
    const title = token.content.trim() || fileNameOf(href);
    const html = media ? inlineHtml({ href, title, media }) : outsidePlayer(href, title, context.externalContent);
    if (html === undefined || !affords(this.rendering, html.length)) return false;
    if (pathId !== undefined) attachmentPathIds.add(pathId);
    else this.rendering.hasLink = true;
    if (media && media.image !== false) this.rendering.hasImage = true;
    const shown = this.newToken("inline_media", "", 0);
    shown.content = html;
    this.output.push(shown);
    return true;
  }

  private text(token: Token): void {
    if (this.link) {
      this.link.label += token.content;
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
      this.openLink(open).label = match.text;
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
    const pieces = this.link?.isBareUrl ? undefined : splitEmojiCharacters(token);
    if (pieces === undefined) this.output.push(token);
    else for (const piece of pieces) this.output.push(piece);
  }

  private newToken(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    return new this.state.Token(type, tag, nesting);
  }
}
