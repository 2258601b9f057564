import { findBareLinks } from "./bare-links.ts";
import { mayHaveEmoticon } from "./emoticons.ts";
import { maxHtmlUnits } from "./limits.ts";
import { isSafeHref } from "./links.ts";
import { parser } from "./parser.ts";
import { escapeText, type MarkdownContext, newRendering, type RenderedMessage } from "./rendering.ts";

export type { MarkdownContext, RenderedMessage } from "./rendering.ts";

/**
 * Text that no syntax can change: one line that begins with a letter and has only letters, digits, spaces and harmless
 * punctuation. A full stop or comma is followed by a space or the end, since it could be part of a domain otherwise.
 * The ranges are Latin to Greek Extended, kana, Han and Hangul. They contain no emoji, and no white space that Markdown
 * would trim.
 */
const plainTextPattern =
  /^[A-Za-z\u00c0-\u167f\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7a3](?:[0-9A-Za-z\u00c0-\u167f\u3041-\u3096\u30a1-\u30fa\u3400-\u9fff\uac00-\ud7a3 ,;?'"()-]|[.!:](?= |$))*$/;

/**
 * Renders the text of a message. Returns safe HTML and the facts found on the way. The result depends on the arguments
 * alone, and it reads nothing but the context. The caller limits the length to 10,000 code points. No text of that
 * length takes more than 100 ms, or becomes more than `maxHtmlUnits` of HTML.
 */
export function renderMarkdown(source: string, context: MarkdownContext): RenderedMessage {
  const isPlain = isPlainText(source) && !(context.translatesEmoticons && mayHaveEmoticon(source));
  if (isPlain && context.linkify(source).length === 0) return renderPlainText(source);
  return renderWithParser(source, context);
}

/** Renders every message that is more than plain words. Exported for the test that both paths agree. */
export function renderWithParser(source: string, context: MarkdownContext): RenderedMessage {
  const rendering = newRendering(context);
  const html = parser.render(source, { rendering }).trimEnd();
  // The reader sees no mention and no link in this text, so it has none.
  if (html.length > maxHtmlUnits) return renderPlainText(source);
  return {
    html,
    mentionedUserIds: [...rendering.mentionedUserIds],
    silentlyMentionedUserIds: [...rendering.silentlyMentionedUserIds],
    mentionedGroupIds: [...rendering.mentionedGroupIds],
    mentionsChannelWildcard: rendering.mentionsChannelWildcard,
    mentionsTopicWildcard: rendering.mentionsTopicWildcard,
    hasLink: rendering.hasLink,
    hasImage: rendering.hasImage,
    hasAttachment: rendering.attachmentPathIds.size > 0,
    attachmentPathIds: [...rendering.attachmentPathIds],
    isMeMessage: source.startsWith("/me ") && html.startsWith("<p>/me ") && html.endsWith("</p>"),
  };
}

/**
 * The links in a topic, in order and without overlaps: linkifier matches, and URLs with a scheme. A linkifier wins over
 * a URL that begins inside its match.
 */
export function renderTopicLinks(
  topic: string,
  context: Pick<MarkdownContext, "linkify">,
): { text: string; url: string }[] {
  const matches = context.linkify(topic);
  const urls = topic.includes("://") ? findBareLinks(topic) : [];
  const candidates = [
    ...matches,
    ...urls
      .filter(({ start, href }) => /^https?:/i.test(href) && topic.startsWith(href, start))
      .map(({ start, end, href }) => ({ start, end, url: href, text: href }))
      .filter((url) => !matches.some((match) => match.start < url.end && url.start < match.end)),
  ];
  return candidates
    .sort((a, b) => a.start - b.start)
    .filter((candidate) => isSafeHref(candidate.url))
    .map(({ text, url }) => ({ text, url }));
}

function isPlainText(source: string): boolean {
  return plainTextPattern.test(source);
}

/** Shows the text that was sent, with any syntax in it as text. */
export function renderPlainText(source: string): RenderedMessage {
  return {
    html: `<p>${escapeText(source.endsWith("\n") ? source.trimEnd() : source).replaceAll("\n", "<br>\n")}</p>`,
    mentionedUserIds: [],
    silentlyMentionedUserIds: [],
    mentionedGroupIds: [],
    mentionsChannelWildcard: false,
    mentionsTopicWildcard: false,
    hasLink: false,
    hasImage: false,
    hasAttachment: false,
    attachmentPathIds: [],
    isMeMessage: false,
  };
}
