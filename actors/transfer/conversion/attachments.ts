/**
 * What programs attach to a message, in the form that Slack gave it and that Mattermost and Rocket.Chat have taken
 * over. Each attachment becomes a quotation.
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
 */
import { array, boolean, type Infer, number, string, type, union, unknown } from "superstruct";
import { quoted } from "../../text/quotation.ts";
import { textOfBlocks } from "./blocks.ts";
import { fitting, maybe } from "./forms.ts";
import { isAddress, linkTo, type Reading } from "./reading.ts";

const word = union([string(), number(), boolean()]);

const attachmentForm = type({
  /** Rocket.Chat's of a file that is among the message's own. */
  type: maybe(string()),
  description: maybe(string()),
  fallback: maybe(string()),
  pretext: maybe(string()),
  author_name: maybe(string()),
  title: maybe(string()),
  title_link: maybe(string()),
  text: maybe(string()),
  fields: maybe(array(type({ title: maybe(word), value: maybe(word) }))),
  footer: maybe(string()),
  image_url: maybe(string()),
  thumb_url: maybe(string()),
  audio_url: maybe(string()),
  video_url: maybe(string()),
  /** The page that it is a preview of. */
  from_url: maybe(string()),
  /** A message that somebody shared, which has such an address too. */
  is_msg_unfurl: maybe(boolean()),
  is_share: maybe(boolean()),
  actions: maybe(unknown()),
  blocks: maybe(unknown()),
  /** Quotations in a quotation. */
  attachments: maybe(unknown()),
});
type Attachment = Infer<typeof attachmentForm>;

/** Quotations in quotations. */
const maxDepth = 4;

/** Files are no quotation: what their owner says of them is text. */
export function quotationsOf(attachments: unknown, reading: Reading): string {
  return partsOf(attachments, reading, 0).join("\n");
}

function partsOf(attachments: unknown, reading: Reading, depth: number): string[] {
  return fitting(attachments, attachmentForm, reading.onOther)
    .map((one) => {
      if (one.type === "file") return reading.text(one.description ?? "");
      if (one.from_url && !one.is_msg_unfurl && !one.is_share) return noted(reading, "previews of links");
      return quotation(one, reading, depth);
    })
    .filter((text) => text.trim() !== "");
}

function noted(reading: Reading, what: string): "" {
  reading.note(what);
  return "";
}

function quotation(one: Attachment, reading: Reading, depth: number): string {
  if (Array.isArray(one.actions)) reading.note("buttons and menus of messages", one.actions.length);
  const lines = [
    reading.text(one.pretext ?? ""),
    headOf(one, reading),
    reading.text(one.text ?? ""),
    textOfBlocks(one.blocks, reading),
    ...(one.fields ?? []).map(({ title, value }) =>
      [title ? `**${reading.plain(String(title))}**` : "", reading.text(String(value ?? ""))].join(" ").trim(),
    ),
    ...nested(one, reading, depth),
    ...mediaOf(one),
    reading.plain(one.footer ?? ""),
  ].filter((line) => line.trim() !== "");
  // It says the same in one line.
  if (lines.length === 0 && one.fallback) lines.push(reading.plain(one.fallback));
  return lines.length === 0 ? noted(reading, "attachments that have no text") : quoted(lines.join("\n"));
}

function headOf({ author_name, title, title_link, image_url }: Attachment, { plain }: Reading): string {
  const link = title_link ?? image_url;
  const label = plain(title ?? "");
  return [plain(author_name ?? ""), isAddress(link) && label !== "" ? linkTo(link, label) : label]
    .filter((part) => part !== "")
    .join(": ");
}

function nested({ attachments }: Attachment, reading: Reading, depth: number): string[] {
  if (depth < maxDepth) return partsOf(attachments, reading, depth + 1);
  if (Array.isArray(attachments)) reading.note("quotations in quotations in quotations", attachments.length);
  return [];
}

/** Links to what it shows and its title does not lead to. */
function mediaOf({ title, title_link, image_url, thumb_url, audio_url, video_url }: Attachment): string[] {
  const image = title && !title_link ? undefined : image_url;
  return [image, thumb_url, audio_url, video_url].filter(isAddress);
}
