import type { MarkdownIt, RendererRule, StateInline } from "markdown-it";
import type { ChannelId } from "../../storage/ids.ts";
import { escapeHtml, isAtWordStart, metaOf, renderingOf } from "./rendering.ts";

/**
 * Links into the realm: `#**channel**`, `#**channel>topic**` and `#**channel>topic@123**` (a message).
 * Source: zulip.com/api/message-formatting, Links to channels, topics, and messages.
 */
interface ChannelLink {
  channel: { id: ChannelId; name: string };
  topic?: string | undefined;
  messageId?: string | undefined;
}

/** Longest text between `#**` and `**`, in UTF-16 units: twice 60 code points and a message id. It limits the scan. */
const maxTargetUnits = 260;
const channelLinkPattern = new RegExp(
  `#\\*\\*([^*\\n>]{1,${maxTargetUnits}})(?:>([^*\\n]{0,${maxTargetUnits}}))?\\*\\*`,
  "y",
);
const messageLinkPattern = /^(.*)@(\d{1,16})$/;

/** The name of the empty topic: `realm_empty_topic_display_name`. */
const emptyTopicDisplayName = "general chat";

/** Adds channel, topic and message links to a parser. */
export function addChannelLinks(md: MarkdownIt): void {
  md.inline.ruler.before("escape", "channel_link", parseChannelLink);
  md.renderer.rules.channel_link = renderChannelLink;
}

function parseChannelLink(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x23 /* # */ || !isAtWordStart(state.src, state.pos)) return false;
  // HTML does not allow an anchor inside an anchor.
  if ((state as StateInline & { linkLevel: number }).linkLevel > 0) return false;
  channelLinkPattern.lastIndex = state.pos;
  const match = channelLinkPattern.exec(state.src);
  if (match === null || channelLinkPattern.lastIndex > state.posMax) return false;
  const [whole, name = "", topic] = match;
  const channel = renderingOf(state.env).context.findChannelByName(name);
  if (channel === undefined) return false;
  const message = topic === undefined ? null : messageLinkPattern.exec(topic);
  const link: ChannelLink =
    message === null ? { channel, topic } : { channel, topic: message[1], messageId: message[2] };
  if (!silent) state.push("channel_link", "a", 0).meta = { link };
  state.pos += whole.length;
  return true;
}

const renderChannelLink: RendererRule = (tokens, index) => {
  const { channel, topic, messageId } = metaOf<ChannelLink>(tokens, index, "link");
  const channelUrl = `/#narrow/channel/${channel.id}-${encodeHashComponent(channel.name.replaceAll(" ", "-"))}`;
  const channelText = `#${escapeHtml(channel.name)}`;
  if (topic === undefined)
    return `<a class="stream" data-stream-id="${channel.id}" href="${channelUrl}">${channelText}</a>`;
  const topicUrl = `${channelUrl}/topic/${encodeHashComponent(topic)}`;
  const topicText = topic === "" ? `<em>${emptyTopicDisplayName}</em>` : escapeHtml(topic);
  const text = `${channelText} &gt; ${topicText}`;
  return messageId === undefined
    ? `<a class="stream-topic" data-stream-id="${channel.id}" href="${topicUrl}">${text}</a>`
    : `<a class="message-link" href="${topicUrl}/near/${messageId}">${text} @ 💬</a>`;
};

/**
 * Encodes one part of a `#narrow` fragment. All but letters, digits, `-`, `_` and `~` is percent-encoded, with `.`
 * instead of `%`, because browsers rewrite percent signs in fragments. The result needs no HTML escaping. Source:
 * zulip.com/api/zulip-urls, Encoding.
 */
export function encodeHashComponent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replace(/[.!*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");
}
