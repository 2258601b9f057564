/** What a mail says as a message: its topic, and its text without what others wrote and what always stands below. */
import type { MailOptions } from "../../actors/email/mail-address.ts";
import { limits } from "../../actors/realm/state/settings.ts";
import type { Piece, ReceivedMail } from "./mail-reader.ts";

/** As Zulip's gateway says it. */
const noSubject = "Email with no subject";
const noBody = "(No email body)";
const cut = "\n[message truncated]";

const answered = /^(?:\s*(?:re|aw|sv|antw|fwd?|wg|tr)\s*(?:\[\d{1,4}\])?\s*:)+/i;
const forwarded = /^\s*(?:fwd?|wg|tr)\s*:/i;

/** Subjects of one thread are one topic, whatever programs put before them. */
export function topicOf(subject: string): string {
  const line = subject.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, " ");
  return line.replace(answered, "").trim() || noSubject;
}

/**
 * @param uploads lines that link to what was attached
 * @param options undefined: an answer of a person
 */
export function messageOf(mail: ReceivedMail, uploads: readonly string[], options: MailOptions | undefined): string {
  const keeps = {
    own: true,
    // What is forwarded is what the mail is about.
    quoted: options !== undefined && (options.keepsQuotes || forwarded.test(mail.subject)),
    footer: options?.keepsFooter ?? false,
  };
  const bodyOf = (pieces: readonly Piece[]) =>
    pieces
      .filter(({ kind }) => keeps[kind])
      .map(({ text }) => text)
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  const ways = options?.prefersHtml ? [mail.html, mail.plain] : [mail.plain, mail.html];
  const body = ways.map(bodyOf).find((text) => text !== "") ?? noBody;
  const before = options?.showsSender ? `From: ${senderLine(mail)}\n` : "";
  const after = uploads.length === 0 ? "" : `\n${uploads.join("\n")}`;
  const room = limits.message - [...before].length - [...after].length;
  const characters = [...body];
  const text = characters.length <= room ? body : characters.slice(0, room - cut.length).join("") + cut;
  return `${before}${text}${after}`;
}

function senderLine({ from: { name, address } }: ReceivedMail): string {
  const line = (text: string) => text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return (name === "" ? line(address) : `${line(name)} <${line(address)}>`).slice(0, 300);
}
