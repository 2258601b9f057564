/**
 * Whatever posts to an incoming webhook of Slack.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/
 */
import type { Integration } from "./integration.ts";
import { link, type Payload, quote } from "./payload.ts";

/** Slack's markup in ours. https://docs.slack.dev/messaging/formatting-message-text/ */
function converted(text: string): string {
  return text
    .replace(/<(https?:\/\/[^|>\s]+)\|([^>]*)>/g, (_, url: string, label: string) => link(label, url))
    .replace(/<(https?:\/\/[^|>\s]+)>/g, "$1")
    .replace(/<!(?:channel|here|everyone)(?:\|[^>]*)?>/g, "")
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*/g, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_/g, "$1*$2*")
    .replace(/(^|[\s(])~([^~\s][^~\n]*)~/g, "$1~~$2~~")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const block = (one: Payload): string =>
  [one.text("text.text"), ...one.list("fields").map((field) => field.text("text"))].filter(Boolean).join("\n");

function attachment(one: Payload): string {
  const title = one.text("title");
  const fields = one.list("fields").map((field) => `**${field.text("title")}**: ${field.text("value")}`);
  return [
    converted(one.text("pretext")),
    title && `**${link(title, one.text("title_link"))}**`,
    converted(one.text("text", title ? "" : one.text("fallback"))),
    ...one.list("blocks").map((part) => converted(block(part))),
    ...fields,
  ]
    .filter(Boolean)
    .join("\n");
}

export const slackIncoming: Integration = {
  name: "slack_incoming",
  displayName: "Slack-compatible webhook",
  read({ payload }) {
    const blocks = payload.list("blocks").map((part) => converted(block(part)));
    const attachments = payload.list("attachments").map((one) => attachment(one));
    const text = blocks.some(Boolean) ? blocks.filter(Boolean).join("\n") : converted(payload.text("text"));
    const content = [text, ...attachments.filter(Boolean).map(quote)].filter(Boolean).join("\n");
    if (content === "") return "empty";
    return { topic: payload.text("channel").replace(/^#/, ""), content };
  },
};
