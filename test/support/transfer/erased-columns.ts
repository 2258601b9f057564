/**
 * What becomes of each column that names a person when that person's data is erased. A new column that names people
 * belongs in here. So does one that has a name or an address of theirs afterwards.
 */
import type { Sql } from "../../../storage/postgres.ts";

export const gone = "gone";
const maker = "who made what stays";
const others = "what others chose or wrote";
const passing = "passes within days";
const law = "kept for the law";

/** Columns that hold the number of a user: `gone`, or why the number stays. */
export const fates: Readonly<Record<string, string>> = {
  "attachments.owner_id": gone,
  "audit_log.acting_user_id": law,
  "audit_log.modified_user_ids": law,
  "bot_storage.user_id": gone,
  "channel_folders.creator_id": maker,
  "channel_mail_addresses.creator_id": maker,
  "channel_mail_addresses.sender_id": gone,
  "channels.creator_id": maker,
  "credentials.user_id": "the account stays, with a key that nobody knows and no password",
  "devices.user_id": gone,
  "digests.user_id": gone,
  "direct_conversation_members.user_id": "others' conversations",
  "direct_conversations.user_ids": "others' conversations",
  "drafts.user_id": gone,
  "erasures.user_id": "the erasure itself",
  "event_queues.user_id": gone,
  "identities.user_id": gone,
  "invitations.invited_by": maker,
  "known_devices.user_id": gone,
  "legal_holds.creator_id": maker,
  "legal_holds.user_id": "none is there: an erasure is refused",
  "message_flags.user_id": gone,
  "messages.alerted": gone,
  "messages.mentioned": gone,
  "messages.sender_id": maker,
  "messages.topic_participants": gone,
  "missed_messages.user_id": gone,
  "muted_users.muted_user_id": others,
  "muted_users.user_id": gone,
  "navigation_views.user_id": gone,
  "onboarding_steps.user_id": gone,
  "one_time_links.user_id": gone,
  "passkeys.user_id": gone,
  "presence.user_id": gone,
  "push_browsers.user_id": gone,
  "push_notifications.user_id": gone,
  "push_registrations.user_id": "the push service is told by it that devices are gone",
  "push_tokens.user_id": gone,
  "reactions.user_id": gone,
  "read_segments.user_id": gone,
  "read_states.user_id": gone,
  "realm_emoji.author_id": maker,
  "realm_exports.acting_user_id": maker,
  "received.user_id": gone,
  "recovery_codes.user_id": gone,
  "reply_addresses.user_id": gone,
  "saved_snippets.user_id": gone,
  "scheduled_messages.user_id": gone,
  "scim_tokens.creator_id": maker,
  "scim_users.user_id": gone,
  "sessions.user_id": gone,
  "shown_notifications.user_id": gone,
  "submessages.sender_id": "the polls themselves; votes in others' are gone",
  "subscriptions.user_id": "an ended one without anything that was chosen",
  "totp_factors.user_id": gone,
  "unfinished_moves.user_id": passing,
  "unfinished_uploads.owner_id": passing,
  "user_group_members.user_id": gone,
  "user_groups.creator_id": maker,
  "user_topics.user_id": gone,
  "users.bot_owner_id": "bots, which are deactivated",
  "video_call_tokens.user_id": gone,
};

/** Columns in which a name or address of the person may be afterwards. */
export const texts: Readonly<Record<string, string>> = {
  "audit_log.entry": law,
  "realm_log.entry": passing,
};

const namesPeople =
  "(user_id|user_ids|owner_id|sender_id|creator_id|author_id|invited_by|acting_user|mentioned|alerted|topic_participants)";

/** Every column that by its name holds users: `table.column`. */
export async function columnsOfPeople(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'realm\_log\_%'
      and c.column_name ~ ${namesPeople} and c.data_type in ('bigint', 'integer', 'ARRAY')
    order by 1`;
  return rows.map(({ name }) => name);
}

/** Of these columns those in which somebody's number is. */
export async function columnsWith(sql: Sql, columns: readonly string[], userId: number): Promise<string[]> {
  const found: string[] = [];
  for (const name of columns) {
    const [table, column] = name.split(".");
    // Unsafe: names of tables and columns are no parameters.
    const rows = await sql.unsafe(
      `select 1 from "${table}" where $1 = any(array[]::bigint[] || "${column}"::${await typeOf(sql, name)}) limit 1`,
      [userId],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

async function typeOf(sql: Sql, name: string): Promise<string> {
  const [table, column] = name.split(".") as [string, string];
  const rows = await sql<{ data_type: string }[]>`
    select data_type from information_schema.columns where table_name = ${table} and column_name = ${column}`;
  return rows[0]!.data_type === "ARRAY" ? "bigint[]" : "bigint";
}

/** Every column in which a word is, in whatever case. Keys and paths may have its letters somewhere by chance. */
export async function columnsSaying(sql: Sql, word: string): Promise<string[]> {
  const all = await sql<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'realm\_log\_%'
      and c.data_type not in ('boolean', 'bigint', 'integer', 'smallint') order by 1, 2`;
  const found: string[] = [];
  for (const { table, column } of all) {
    // Unsafe: names of tables and columns are no parameters.
    const rows = await sql.unsafe(
      `select 1 from "${table}" where "${column}"::text ~* ('\\m' || $1 || '\\M') limit 1`,
      [word],
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

/** Puts a row into a table that nothing else has filled, with somebody in this column, and `word` in its texts. */
export async function fill(
  sql: Sql,
  name: string,
  { realmId, userId, word }: { realmId: number; userId: number; word: string },
): Promise<void> {
  const [table, column] = name.split(".") as [string, string];
  const needed = await sql<{ column_name: string; data_type: string }[]>`
    select column_name, data_type from information_schema.columns
    where table_name = ${table} and table_schema = 'public' and is_nullable = 'NO' and column_default is null`;
  const values: Record<string, unknown> = {};
  for (const { column_name, data_type } of needed) values[column_name] = ofType[data_type] ?? word;
  if (needed.some(({ column_name }) => column_name === "realm_id")) values["realm_id"] = realmId;
  values[column] = userId;
  await sql`insert into ${sql(table)} ${sql(values as never)}`;
}

/** Something of each type that no other row has. */
const ofType: Readonly<Record<string, unknown>> = {
  bigint: 4_000_000_000,
  integer: 1,
  smallint: 1,
  boolean: false,
  jsonb: "{}",
  bytea: Buffer.from("of the test"),
  uuid: "00000000-0000-4000-8000-000000000007",
  int8multirange: "{}",
};
