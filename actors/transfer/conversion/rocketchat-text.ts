/** Rocket.Chat's markup as ours. https://docs.rocket.chat/docs/format-messages */
import { fitting } from "./forms.ts";
import { type Attachment, attachmentForm } from "./rocketchat-forms.ts";

/** What names in a text stand for; undefined: nothing known. */
export interface Names {
  mention(username: string): string | undefined;
  channel(name: string): string | undefined;
}

export function textOf(text: string, names: Names): string {
  return (
    text
      // A quoted message is linked to by nothing that one sees.
      .replace(/\[ ?\]\([^)\s]*\?msg=[^)\s]*\)\s*/g, "")
      .split(/(```[\s\S]*?```|`[^`\n]+`)/)
      .map((part, index) => (index % 2 === 1 ? part : prose(part, names)))
      .join("")
  );
}

function prose(text: string, names: Names): string {
  return text
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*(?!\*)/g, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?=$|[\s),.!?])/gm, "$1*$2*")
    .replace(/(^|[\s(])~([^~\s][^~\n]*)~(?!~)/g, "$1~~$2~~")
    .replace(/<((?:https?|mailto):[^<>|\s]+)\|([^<>\n]+)>/g, (_, address: string, label: string) => {
      return `[${label.replace(/[[\]]/g, "")}](${address})`;
    })
    .replace(/(?<![\w.])@([\w.-]*\w)/g, (all, name: string) => {
      return /^(?:all|here)$/.test(name) ? "@**all**" : (names.mention(name) ?? all);
    })
    .replace(/(?<![\w&/])#([\p{L}\p{N}_.-]*[\p{L}\p{N}])/gu, (all, name: string) => names.channel(name) ?? all);
}

/** Quoted messages and what bots attach, as a quotation each. Files are no such. */
export function quotationsOf(attachments: unknown, names: Names, onOther: () => void): string {
  return fitting(attachments, attachmentForm, onOther)
    .map((one) => quotation(one, names))
    .filter((text) => text !== "")
    .join("\n");
}

function quotation(
  { author_name, title, title_link, text, fields, type, image_url }: Attachment,
  names: Names,
): string {
  if (type === "file") return "";
  const link = title_link ?? image_url;
  const head = [author_name, title && link?.startsWith("http") ? `[${title.replace(/[[\]]/g, "")}](${link})` : title];
  const lines = [
    head.filter(Boolean).join(": "),
    text ? textOf(text, names) : "",
    ...(fields ?? []).map((field) => `**${field.title ?? ""}** ${field.value ?? ""}`),
  ].filter((line) => line.trim() !== "");
  if (lines.length === 0) return "";
  const longest = Math.max(2, ...[...lines.join("\n").matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}quote\n${lines.join("\n")}\n${fence}`;
}
