/**
 * What hangs on a message of Microsoft Teams: files, quoted and forwarded messages, and cards of programs.
 * https://learn.microsoft.com/graph/api/resources/chatmessageattachment
 */
import { quoted } from "../../text/quotation.ts";
import { isAddress, linkTo } from "./reading.ts";
import { type Attachment, quotedForm } from "./teams-forms.ts";

interface Taken {
  note(what: string): void;
  /** HTML as Markdown. */
  markdown(html: string): string;
  /** Puts a file to those of the message. @returns false where there is none */
  place(attachment: Attachment): boolean;
}

/** Texts in a card, and in what it is made of. */
const maxCardTexts = 200;
const maxCardDepth = 20;
/** Members of cards that people read. */
const readable = new Set(["title", "subtitle", "summary", "text", "altText", "value", "label"]);

export function attachmentsOf(
  attachments: readonly Attachment[],
  taken: Taken,
): { before: string[]; behind: string[] } {
  const [before, behind]: string[][] = [[], []];
  for (const one of attachments) {
    const kind = one.contentType ?? "";
    if (kind === "messageReference" || kind === "forwardedMessageReference") before?.push(quotation(one, taken));
    else if (kind.startsWith("application/vnd.microsoft") && kind.includes("card")) behind?.push(card(one, taken));
    else if (!taken.place(one)) behind?.push(link(one, taken));
  }
  return { before: before ?? [], behind: behind ?? [] };
}

function link({ name, contentUrl }: Attachment, { note }: Taken): string {
  if (!name && !isAddress(contentUrl)) {
    note("attachments that have no text");
    return "";
  }
  note("files, which Graph only links to");
  const address = contentUrl?.replaceAll(" ", "%20");
  return isAddress(address) ? linkTo(address, name ?? "") : (name ?? "");
}

function quotation({ content }: Attachment, { note, markdown }: Taken): string {
  const read = parsed(content);
  if (!quotedForm.is(read)) {
    note("quoted messages in a form that Graph's have not");
    return "";
  }
  const who = (read.messageSender ?? read.originalMessageSender)?.user?.displayName;
  const text = read.originalMessageContent ? markdown(read.originalMessageContent) : (read.messagePreview ?? "");
  const lines = [who ?? "", text].filter((line) => line.trim() !== "");
  if (lines.length === 0) note("attachments that have no text");
  return lines.length === 0 ? "" : quoted(lines.join("\n"));
}

function card({ content }: Attachment, { note }: Taken): string {
  const texts: string[] = [];
  const left: { value: unknown; depth: number }[] = [{ value: parsed(content), depth: 0 }];
  for (let next = left.pop(); next !== undefined && texts.length < maxCardTexts; next = left.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null || depth > maxCardDepth) continue;
    const entries = Array.isArray(value) ? value.map((one: unknown) => ["", one] as const) : Object.entries(value);
    for (const [key, one] of entries) if (typeof one === "string" && readable.has(key)) texts.push(one);
    // What stands first is taken first.
    for (const [, one] of [...entries].reverse()) left.push({ value: one, depth: depth + 1 });
  }
  const lines = texts.map((text) => text.trim()).filter((text) => text !== "");
  note(lines.length === 0 ? "attachments that have no text" : "looks and buttons of cards, whose texts come along");
  return lines.length === 0 ? "" : quoted(lines.join("\n"));
}

function parsed(content: string | null | undefined): unknown {
  try {
    return JSON.parse(content ?? "");
  } catch {
    return undefined;
  }
}
