/**
 * Messages, in files of a thousand at most, each with a row for every person who received one. What Zulip's tables
 * cannot say of a message is in a table of our own beside them.
 */
import { join } from "node:path";
import { defined } from "../../../storage/failures.ts";
import type { MessageId, UserId } from "../../../storage/ids.ts";
import {
  type ExportedMessage,
  type Receipts,
  readMessagesAfter,
  readReceipts,
} from "../../../storage/transfer/export-rows.ts";
import { JsonTablesWriter } from "../../../storage/transfer/json-tables.ts";
import { flagBits } from "../zulip/tables.ts";
import type { ExportSources } from "./sources.ts";

const messagesPerFile = 1000;
/** A file ends sooner with so many rows of people, or characters of messages, which wait in memory for its end. */
const rowsPerFile = 200_000;
const charactersPerFile = 16_000_000;
/** Messages read at a time: texts of up to a third of a megabyte each. */
const messagesAtOnce = 100;

export interface MessageCounts {
  messages: number;
  receipts: number;
  files: number;
}

/** @param onProgress called now and then */
export async function writeMessages(
  folder: string,
  sources: ExportSources,
  onProgress: (counts: MessageCounts) => void,
): Promise<MessageCounts> {
  const { sql, realmId, scope } = sources;
  const counts: MessageCounts = { messages: 0, receipts: 0, files: 0 };
  let file: MessageFileWriter | undefined;
  let after: MessageId = 0;
  for (;;) {
    const messages = await readMessagesAfter(sql, realmId, scope.messages, { after, limit: messagesAtOnce });
    const last = messages.at(-1);
    if (last === undefined) break;
    after = last.id;
    const byId = new Map(messages.map((message) => [message.id, message]));
    for await (const receipts of readReceipts(sql, realmId, [...byId.keys()], scope.people)) {
      file ??= new MessageFileWriter(folder, ++counts.files, counts.receipts);
      await file.add(defined(byId.get(receipts.id), "row of that id"), receipts, sources);
      counts.messages++;
      if (!file.isFull) continue;
      counts.receipts = await file.close();
      file = undefined;
    }
    onProgress(counts);
  }
  if (file) counts.receipts = await file.close();
  return counts;
}

class MessageFileWriter {
  readonly #out: JsonTablesWriter;
  readonly #messages: string[] = [];
  readonly #ours: string[] = [];
  #characters = 0;
  #rows = 0;

  /** @param firstRow number of rows of people in the files before */
  constructor(
    folder: string,
    number: number,
    private readonly firstRow: number,
  ) {
    this.#out = new JsonTablesWriter(join(folder, `messages-${String(number).padStart(6, "0")}.json`));
    this.#out.begin("zerver_usermessage");
  }

  get isFull(): boolean {
    return (
      this.#messages.length >= messagesPerFile || this.#rows >= rowsPerFile || this.#characters >= charactersPerFile
    );
  }

  async add(message: ExportedMessage, receipts: Receipts, sources: ExportSources): Promise<void> {
    notePreviews(message.rendered_content, sources);
    const row = JSON.stringify(messageRow(message, sources));
    this.#messages.push(row);
    this.#characters += row.length;
    const received = pairs(receipts.received);
    const flagged = pairs(receipts.flagged);
    const ours = ownColumns(message, received, flagged, sources);
    if (ours) this.#ours.push(JSON.stringify(ours));
    for (const list of [received, flagged])
      for (const { user, flags } of list)
        await this.#out.row(
          `{"id":${this.firstRow + ++this.#rows},"user_profile":${user},"message":${message.id},"flags_mask":${flags}}`,
        );
  }

  /** Returns the number of rows of people so far. */
  async close(): Promise<number> {
    this.#out.begin("zerver_message");
    for (const row of this.#messages) await this.#out.row(row);
    this.#out.begin("parley_message");
    for (const row of this.#ours) await this.#out.row(row);
    await this.#out.close();
    return this.firstRow + this.#rows;
  }
}

function notePreviews(html: string, { realmId, previews }: ExportSources): void {
  for (const [, folder, name = ""] of html.matchAll(/\/link_previews\/(\d+)\/([0-9a-f]{32}\.webp)/g))
    if (folder === String(realmId)) previews.add(name);
}

interface Pair {
  user: UserId;
  flags: number;
}

const pairs = (text: string | null): Pair[] =>
  (text === null ? [] : text.split(",")).map((pair) => {
    const space = pair.indexOf(" ");
    return { user: Number(pair.slice(0, space)), flags: Number(pair.slice(space + 1)) };
  });

function messageRow(message: ExportedMessage, { recipients, clients, realmId }: ExportSources): object {
  const { last_edit_at, last_moved_at } = message;
  const edited =
    last_edit_at === null && last_moved_at === null ? null : Math.max(last_edit_at ?? 0, last_moved_at ?? 0);
  return {
    id: message.id,
    realm: realmId,
    sender: message.sender_id,
    recipient: recipients.ofMessage(message),
    subject: message.topic,
    content: message.content,
    rendered_content: message.rendered_content,
    rendered_content_version: 1,
    date_sent: message.sent_at,
    sending_client: clients.idOf(message.client),
    last_edit_time: edited,
    edit_history: message.edit_history === null ? null : JSON.stringify(message.edit_history),
    has_attachment: message.has_attachment,
    has_image: message.has_image,
    has_link: message.has_link,
    is_channel_message: message.channel_id !== null,
  };
}

/** Of most messages there is nothing to say. */
function ownColumns(
  message: ExportedMessage,
  received: readonly Pair[],
  flagged: readonly Pair[],
  { scope }: ExportSources,
): object | undefined {
  const { mentioned, topic_participants, alerted } = message;
  const own = received.find(({ user }) => user === message.sender_id);
  const readBySender = own === undefined || (own.flags & flagBits.read) !== 0;
  const columns = {
    ...(message.is_me_message && { is_me_message: true }),
    ...(message.channel_wildcard && { channel_wildcard: true }),
    ...(message.topic_wildcard && { topic_wildcard: true }),
    ...(mentioned !== null && { mentioned }),
    ...(topic_participants !== null && { topic_participants }),
    // Words that somebody waits for are theirs.
    ...(alerted !== null && { alerted: alerted.filter((id) => scope.hasPrivateDataOf(id)) }),
    ...(readBySender !== message.read_by_sender && { read_by_sender: message.read_by_sender }),
    ...(flagged.length > 0 && { not_received: flagged.map(({ user }) => user) }),
  };
  return Object.keys(columns).length === 0 ? undefined : { id: message.id, ...columns };
}
