/** Imports in progress and their rows. An interrupted import goes on after its last transaction. */

import { copyIn } from "../copy.ts";
import { defined, onlyRow } from "../failures.ts";
import type { MessageId, RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { realmsChannel } from "../realms.ts";

export interface ImportRow<Plan> {
  realm_id: RealmId;
  host: string | null;
  plan: Plan;
  /** Files whose messages have been imported. */
  done: string[];
}

/** The unfinished import of an archive. @param source identifies the archive */
export async function findImport<Plan>(sql: Sql, source: string): Promise<ImportRow<Plan> | undefined> {
  return (
    await sql<ImportRow<Plan>[]>`
      select i.realm_id, r.host, i.plan, to_json(i.done) as done
      from imports i join realms r on r.id = i.realm_id where i.source = ${source}`
  )[0];
}

export async function beginImport(sql: Sql, source: string, realmId: RealmId, plan: object): Promise<void> {
  await sql`
    insert into imports (source, realm_id, plan) values (${source}, ${realmId}, ${JSON.stringify(plan)}::text::jsonb)`;
}

/**
 * Notes that the messages of a file are imported, in the transaction that does so. Answers false when they are already,
 * or somebody else has ended the import. Who does the same at this moment waits for the end of the transaction.
 */
export async function noteImported(sql: Sql, source: string, name: string): Promise<boolean> {
  const noted = await sql`
    update imports set done = done || ${name}::text where source = ${source} and not done @> array[${name}::text]`;
  return noted.count > 0;
}

/**
 * Keeps an import from being ended by anybody else until the end of the transaction.
 * @throws Error when that has happened
 */
export async function lockImport(sql: Sql, source: string): Promise<void> {
  const found = await sql`select from imports where source = ${source} for update`;
  if (found.count === 0) throw new Error("Another process has imported this archive meanwhile.");
}

/** Ends the import: nodes know the organization from now on. */
export async function endImport(sql: Sql, source: string): Promise<void> {
  const ended = await sql<{ realm_id: RealmId }[]>`delete from imports where source = ${source} returning realm_id`;
  await sql`update realms set is_deactivated = false where id = ${onlyRow(ended).realm_id}`;
  await sql`select pg_notify(${realmsChannel}, '')`;
}

/** Reserves blocks of message ids. Returns the first id of each, ascending. */
export async function takeMessageBlocks(sql: Sql, count: number): Promise<MessageId[]> {
  const rows = await sql<{ first: MessageId }[]>`
    select nextval('message_id_blocks') as first from generate_series(1, ${count}::int)`;
  return rows.map(({ first }) => first);
}

/** Updates the planner's statistics. */
export async function analyzeMessages(sql: Sql): Promise<void> {
  await sql`analyze messages`;
}

const bulkTables = {
  direct_conversations: ["recipient_id", "realm_id", "user_ids"],
  direct_conversation_members: ["user_id", "recipient_id"],
  messages: [
    "id",
    "realm_id",
    "recipient_id",
    "channel_id",
    "sender_id",
    "topic",
    "content",
    "rendered_content",
    "sent_at",
    "client",
    "is_me_message",
    "has_link",
    "has_image",
    "has_attachment",
    "has_reaction",
    "read_by_sender",
    "channel_wildcard",
    "topic_wildcard",
    "mentioned",
    "topic_participants",
    "alerted",
    "edit_history",
    "last_edit_at",
    "last_moved_at",
  ],
  submessages: ["message_id", "realm_id", "sender_id", "msg_type", "content"],
  reactions: ["message_id", "user_id", "realm_id", "emoji_name", "emoji_code", "reaction_type"],
  received: ["user_id", "recipient_id", "realm_id", "ids"],
  read_states: ["user_id", "recipient_id", "realm_id", "ids"],
  message_flags: ["user_id", "message_id", "realm_id", "starred", "collapsed", "historical"],
  attachments: [
    "id",
    "realm_id",
    "owner_id",
    "file_name",
    "path_id",
    "size",
    "content_type",
    "create_time",
    "message_ids",
    "access_key",
    "image",
    "quarantined_at",
    "scan_at",
  ],
  scheduled_messages: [
    "id",
    "realm_id",
    "user_id",
    "type",
    "to",
    "topic",
    "content",
    "rendered_content",
    "scheduled_delivery_timestamp",
    "failed",
    "reminder_target_message_id",
    "note",
    "read_by_sender",
    "client",
  ],
  onboarding_steps: ["user_id", "name", "realm_id"],
  bot_storage: ["user_id", "key", "realm_id", "value"],
  drafts: ["id", "realm_id", "user_id", "type", "to", "topic", "content", "timestamp"],
  saved_snippets: ["id", "realm_id", "user_id", "title", "content", "date_created"],
  navigation_views: ["user_id", "fragment", "realm_id", "is_pinned", "name", "position"],
  presence: ["user_id", "realm_id", "active_at", "idle_at", "update_id"],
} as const;
export type BulkTable = keyof typeof bulkTables;
export type BulkRow<Table extends BulkTable> = Record<(typeof bulkTables)[Table][number], unknown>;

const rowsPerStatement = 1000;

/** Adds rows in the caller's transaction. Existing rows are ignored. */
export async function insertRows<Table extends BulkTable>(
  sql: Sql,
  table: Table,
  rows: Iterable<BulkRow<Table>>,
): Promise<void> {
  const columns = columnsOf(table);
  const insert = (some: readonly BulkRow<Table>[]) =>
    // Unsafe: the names of table and columns come from the list above.
    sql.unsafe(
      `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::text::json)
       on conflict do nothing`,
      [JSON.stringify(some)],
    );
  let gathered: BulkRow<Table>[] = [];
  for (const row of rows) {
    gathered.push(row);
    if (gathered.length < rowsPerStatement) continue;
    await insert(gathered);
    gathered = [];
  }
  if (gathered.length > 0) await insert(gathered);
}

const columnsOf = (table: BulkTable): string => bulkTables[table].map((column) => `"${column}"`).join(", ");

/**
 * Adds messages in the caller's transaction by COPY, which takes PostgreSQL half as long as reading JSON.
 *
 * @throws UniqueViolation when one is there already; whatever else PostgreSQL says about the rows
 */
export async function copyMessages(sql: Sql, rows: readonly BulkRow<"messages">[]): Promise<void> {
  if (rows.length === 0) return;
  await copyIn(sql, `copy messages (${columnsOf("messages")}) from stdin`, copyLines(rows));
}

const charactersPerPiece = 256 * 1024;

function* copyLines(rows: readonly BulkRow<"messages">[]): Generator<Buffer> {
  let piece = "";
  for (const row of rows) {
    piece += `${bulkTables.messages.map((column) => copyField(row[column])).join("\t")}\n`;
    if (piece.length < charactersPerPiece) continue;
    yield Buffer.from(piece);
    piece = "";
  }
  yield Buffer.from(piece);
}

const special = /[\\\t\n\r]/;
const specials = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A value in COPY's text format: null, a number, a boolean, a text, numbers, or anything else as JSON. */
function copyField(value: unknown): string {
  if (value === null) return "\\N";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && typeof value[0] === "number") return `{${value.join(",")}}`;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return special.test(text) ? text.replace(specials, (sign) => defined(escapes[sign], "escape")) : text;
}

/** Sets each channel's oldest message. */
export async function noteFirstMessages(sql: Sql, realmId: RealmId): Promise<void> {
  await sql`
    update channels c set first_message_id = (
      select m.id from messages m where m.recipient_id = c.recipient_id order by m.id limit 1)
    where c.realm_id = ${realmId}`;
}
