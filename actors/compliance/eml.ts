/**
 * A message of a compliance export as an email (RFC 5322), which the tools of law firms read. The text is as it was
 * written; edits, deletion and the hashes of files follow it, and are in the headers too.
 */
import MailComposer from "nodemailer/lib/mail-composer";
import type { ComplianceRecord } from "./export.ts";

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

function notesOf({ edit_history, date_deleted, attachments }: ComplianceRecord): string[] {
  const edits = (edit_history as { timestamp: number; prev_content?: string; prev_topic?: string }[]).map(
    ({ timestamp, prev_content, prev_topic }) =>
      `Edited ${timeOf(timestamp)}${prev_topic === undefined ? "" : `, moved from ${prev_topic}`}${
        prev_content === undefined ? "" : `; before:\n${prev_content}`
      }`,
  );
  const files = attachments.map(({ file_name, size, sha256 }) => `File ${file_name}: ${size} bytes, SHA-256 ${sha256}`);
  return [...edits, ...(date_deleted === null ? [] : [`Deleted ${timeOf(date_deleted)}`]), ...files];
}

/** Bytes of files that one email carries. What is larger is named by its hash alone. */
const maxCarriedBytes = 25 * 1024 * 1024;

/** The files that an email carries: as many as fit, in their order. */
function carried({ attachments }: ComplianceRecord, placeOf: (sha256: string) => string) {
  let bytes = 0;
  return attachments.flatMap(({ file_name: filename, content_type: contentType, size, sha256 }) => {
    if (sha256 === null || bytes + size > maxCarriedBytes) return [];
    bytes += size;
    return [{ filename, contentType, path: placeOf(sha256), contentTransferEncoding: "base64" as const }];
  });
}

/**
 * @param host the organization's, for addresses of channels and the id of the message
 * @param placeOf where the bytes of a file are, by its hash; without it emails carry none
 */
export async function emlOf(
  record: ComplianceRecord,
  host: string,
  placeOf?: (sha256: string) => string,
): Promise<string> {
  const { id, sender, channel, recipients, topic, content } = record;
  const addressOf = (who: ComplianceRecord["sender"]) => ({
    name: who.full_name,
    address: who.email ?? `user${who.id}@${host}`,
  });
  const notes = notesOf(record);
  const mail = new MailComposer({
    messageId: `<parley-${id}@${host}>`,
    date: new Date(record.date_sent * 1000),
    from: addressOf(sender),
    to: channel
      ? [{ name: `#${channel.name}`, address: `channel${channel.id}@${host}` }]
      : (recipients ?? []).filter((one, _, all) => one.id !== sender.id || all.length === 1).map(addressOf),
    subject: channel ? `#${channel.name} > ${topic}` : "Direct message",
    text: notes.length === 0 ? content : `${content}\n\n-- \n${notes.join("\n")}\n`,
    ...(placeOf && { attachments: carried(record, placeOf) }),
    headers: {
      "X-Parley-Message-Id": String(id),
      ...(record.date_deleted !== null && { "X-Parley-Deleted": timeOf(record.date_deleted) }),
      ...(record.last_edit_timestamp !== null && { "X-Parley-Edited": timeOf(record.last_edit_timestamp) }),
      ...(record.attachments.length > 0 && {
        "X-Parley-Files": record.attachments.map(({ path_id, sha256 }) => `${path_id}; sha256=${sha256}`),
      }),
    },
  });
  return (await mail.compile().build()).toString("utf8");
}
