/**
 * Whatever posts to an incoming webhook of Slack.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/
 */
import { badRequest } from "../../errors.ts";
import type { Integration } from "../notice/integration.ts";
import { link, moment, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** Slack's markup in ours. https://docs.slack.dev/messaging/formatting-message-text/ */
function converted(text: string): string {
  return text
    .replace(/<(https?:\/\/[^|>\s]+)\|([^>]*)>/g, (_, url: string, label: string) => link(label, url))
    .replace(/<mailto:[^|>\s]+\|([^>]*)>/g, "$1")
    .replace(/<(https?:\/\/[^|>\s]+)>/g, "$1")
    .replace(/<!(?:channel|here|everyone)(?:\|[^>]*)?>/g, "")
    .replace(/<!date\^(\d+)\^[^>]*>/g, (_, seconds: string) => moment(seconds))
    .replace(/<[@#!][^|>\s]*\|([^>]+)>/g, "$1")
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*(?!\w)/g, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?!\w)/g, "$1*$2*")
    .replace(/(^|[\s(])~([^~\s][^~\n]*)~(?!\w)/g, "$1~~$2~~")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

const lines = (parts: readonly string[]): string => parts.filter(Boolean).join("\n");

/** A picture as a link under its name, which clients show. */
const picture = (at: Payload): string =>
  link(at.line("title.text", "alt_text", "fallback") || "Image", at.text("image_url", "slack_file.url"));

/** A text of rich text: plain pieces, links and people in one line. */
const rich = (at: Payload): string =>
  at
    .list("elements")
    .map((one) => {
      if (one.has("elements")) return `${rich(one)}\n`;
      return one.is("type", "link") ? link(one.line("text", "url"), one.text("url")) : one.text("text", "name");
    })
    .join("")
    .trimEnd();

/** https://docs.slack.dev/reference/block-kit/blocks */
function block(one: Payload): string {
  switch (one.line("type")) {
    case "divider":
      return "---";
    case "header":
      return `## ${one.line("text.text")}`;
    case "image":
      return picture(one);
    case "rich_text":
      return rich(one);
    case "context":
      return lines(
        one.list("elements").map((part) => (part.is("type", "image") ? picture(part) : converted(part.text("text")))),
      );
    default:
      return lines([
        converted(one.text("text.text")),
        ...one.list("fields").map((field) => converted(field.text("text"))),
        one.is("accessory.type", "image") ? picture(one.at("accessory")) : "",
      ]);
  }
}

function field(at: Payload): string {
  const [title, value] = [at.line("title"), converted(at.text("value"))];
  return title !== "" && value !== "" ? `**${title}**: ${value}` : title === "" ? value : `**${title}**`;
}

/** https://docs.slack.dev/messaging/formatting-message-text/#attachments */
function attachment(one: Payload): string {
  const title = one.line("title");
  const author = link(one.line("author_name"), one.text("author_link"));
  return lines([
    converted(one.text("pretext")),
    author,
    title === "" ? "" : `**${link(title, one.text("title_link"))}**`,
    converted(one.text("text", ...(title === "" && !one.has("blocks") && !one.has("image_url") ? ["fallback"] : []))),
    ...one.list("blocks").map(block),
    ...one.list("fields").map(field),
    one.has("image_url") ? picture(one) : one.has("thumb_url") ? link("Image", one.text("thumb_url")) : "",
    converted(one.text("footer")),
    moment(one.line("ts")),
  ]);
}

export const slackIncoming: Integration = {
  name: "slack_incoming",
  displayName: "Slack-compatible webhook",
  hasOwnTexts: true,
  answersAsSlack: true,
  read({ payload }) {
    const blocks = lines(payload.list("blocks").map(block));
    const attachments = payload.list("attachments").map(attachment).filter(Boolean).map(quote);
    const icon = payload.line("icon_emoji");
    const text = blocks || `${/^:\S+:$/.test(icon) ? `${icon} ` : ""}${converted(payload.text("text"))}`.trim();
    const content = lines([text, ...attachments]);
    if (content === "") throw badRequest("no_text");
    return { topic: payload.raw("channel").replace(/^[#@]/, ""), content };
  },
};
