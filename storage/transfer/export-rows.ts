/** What an export of an organization reads, in the caller's snapshot, so that little of it is in memory at a time. */
import { onlyRow } from "../failures.ts";
import type {
  AttachmentId,
  DraftId,
  Id,
  MessageId,
  RealmId,
  RecipientId,
  SnippetId,
  SubmessageId,
  UserId,
} from "../ids.ts";
import { idArray } from "../messages/id-literals.ts";
import { type StoredMessage, storedMessageColumns } from "../messages/messages.ts";
import { hasRead } from "../messages/read-segments.ts";
import type { ScheduledRow } from "../messages/scheduled.ts";
import type { Database, Sql } from "../postgres.ts";
import type { StateRows } from "../rows.ts";

/** Runs `body` on the database as it is now, for as long as it takes; it cannot write. */
export function inSnapshot<T>(database: Database, body: (sql: Sql) => Promise<T>): Promise<T> {
  return database.transaction(async (sql) => {
    await sql`set local statement_timeout = 0`;
    return body(sql);
  }, "isolation level repeatable read read only");
}

/** Rows of tables that only PostgreSQL holds. Times are UNIX seconds. */
export interface StoredRows {
  direct_conversations: { recipient_id: RecipientId; user_ids: UserId[] };
  drafts: {
    id: DraftId;
    user_id: UserId;
    type: string;
    to: number[];
    topic: string;
    content: string;
    timestamp: number;
  };
  saved_snippets: { id: SnippetId; user_id: UserId; title: string; content: string; date_created: number };
  navigation_views: {
    user_id: UserId;
    fragment: string;
    is_pinned: boolean;
    name: string | null;
  };
  scheduled_messages: ScheduledRow;
  onboarding_steps: { user_id: UserId; name: string };
  bot_storage: { user_id: UserId; key: string; value: string };
  presence: { user_id: UserId; active_at: number | null; idle_at: number | null };
}
export type ExportedRows = StateRows & StoredRows;

/** By what each table is ordered: an export of the same rows is the same. */
const orders: Record<keyof ExportedRows, string> = {
  realms: "id",
  users: "id",
  channels: "id",
  subscriptions: "channel_id, user_id",
  user_groups: "id",
  user_group_members: "group_id, user_id",
  user_group_subgroups: "group_id, subgroup_id",
  channel_folders: "id",
  linkifiers: '"order", id',
  playgrounds: "id",
  realm_domains: "id",
  custom_profile_fields: "id",
  realm_emoji: "id",
  default_channels: "channel_id",
  user_topics: "user_id, channel_id, topic_key",
  muted_users: "user_id, muted_user_id",
  direct_conversations: "recipient_id",
  drafts: "id",
  saved_snippets: "id",
  navigation_views: "position",
  scheduled_messages: "id",
  onboarding_steps: "user_id, name",
  bot_storage: "user_id, key",
  presence: "user_id",
};
const rowsAtOnce = 1000;

/** A table's rows of one organization, in order. Nothing else may be asked on the connection before they end. */
export async function* readRows<Table extends keyof ExportedRows>(
  sql: Sql,
  table: Table,
  realmId: RealmId,
): AsyncGenerator<ExportedRows[Table]> {
  const key = table === "realms" ? "id" : "realm_id";
  // Unsafe: names of tables and columns are no parameters.
  const all = sql.unsafe<ExportedRows[Table][]>(`select * from ${table} where ${key} = $1 order by ${orders[table]}`, [
    realmId,
  ]);
  for await (const rows of all.cursor(rowsAtOnce)) yield* rows;
}

/** Which messages an export takes; undefined: all. */
export interface MessageScope {
  /** All of these conversations. */
  whole: readonly RecipientId[];
  /** Of these channels what somebody of `people` received. */
  received: readonly RecipientId[];
  people: readonly UserId[];
}

/** A condition on a message `m`, with its parameters, which begin at $2; $1 is the organization. */
function condition(scope: MessageScope | undefined): { where: string; params: string[] } {
  if (scope === undefined) return { where: "m.realm_id = $1", params: [] };
  return {
    where: `m.realm_id = $1 and (m.recipient_id = any($2::text::bigint[])
      or (m.recipient_id = any($3::text::bigint[]) and exists (
        select from received r where r.recipient_id = m.recipient_id and r.user_id = any($4::text::bigint[]) and r.ids @> m.id)))`,
    params: [idArray(scope.whole), idArray(scope.received), idArray(scope.people)],
  };
}

/** A message, and the people of the direct conversation that it is in. */
export type ExportedMessage = StoredMessage & { user_ids: UserId[] | null };

/** The next messages after an id, ascending; none: there are no more. */
export async function readMessagesAfter(
  sql: Sql,
  realmId: RealmId,
  scope: MessageScope | undefined,
  { after, limit }: { after: MessageId; limit: number },
): Promise<ExportedMessage[]> {
  const { where, params } = condition(scope);
  const next = params.length + 2;
  // Unsafe: a part of the text depends on what is asked for.
  return sql.unsafe<ExportedMessage[]>(
    `select ${storedMessageColumns}, case when m.channel_id is null then (
       select c.user_ids from direct_conversations c where c.recipient_id = m.recipient_id) end as user_ids
     from messages m where ${where} and m.id > $${next} order by m.id limit $${next + 1}`,
    [realmId, ...params, after, limit],
  );
}

/** Of one message: who received it, or has flags on it without having received it. */
export interface Receipts {
  id: MessageId;
  /** `<user id> <flags>` with a comma between, by user id; flags as in an export's `flags_mask`. */
  received: string | null;
  /** The same of those who did not receive it. */
  flagged: string | null;
}

/** Messages whose receipts are in memory at a time: of one there may be as many as people. */
const receiptsAtOnce = 4;

/**
 * Who received these messages and what they did with them, in the order of the ids. Nothing else may be asked on the
 * connection before they end.
 *
 * @param people only theirs; undefined: everybody's
 */
export async function* readReceipts(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
  people: readonly UserId[] | undefined,
): AsyncGenerator<Receipts> {
  const flags = `(case when m.is_read then 1 else 0 end
    + case when f.starred then 2 else 0 end + case when f.collapsed then 4 else 0 end
    + case when x.user_id = any(m.mentioned) then 8 else 0 end + case when m.channel_wildcard then 16 else 0 end
    + case when x.user_id = any(m.topic_participants) then 32 else 0 end
    + case when x.user_id = any(m.alerted) then 512 else 0 end + case when f.historical then 1024 else 0 end
    + case when m.channel_id is null then 2048 else 0 end)`;
  const isRead = `(coalesce(${hasRead("s", "m.id")}, false) or (m.read_by_sender and x.user_id = m.sender_id))`;
  const listed = (
    from: string,
  ) => `(select string_agg(x.user_id || ' ' || ${flags.replace("m.is_read", isRead)}, ',' order by x.user_id)
    from (${from}) x
    left join read_states s on s.user_id = x.user_id and s.recipient_id = m.recipient_id
    left join message_flags f on f.user_id = x.user_id and f.message_id = m.id
    where $3::text is null or x.user_id = any($3::text::bigint[]))`;
  // Unsafe: parts of the text are shared.
  const all = sql.unsafe<Receipts[]>(
    `select m.id,
       ${listed(`select r.user_id from received r
         where m.channel_id is not null and r.recipient_id = m.recipient_id and r.ids @> m.id
         union all select unnest(c.user_ids) from direct_conversations c
         where m.channel_id is null and c.recipient_id = m.recipient_id`)} as received,
       ${listed(`select o.user_id from message_flags o where m.channel_id is not null and o.message_id = m.id and not exists (
           select from received r where r.user_id = o.user_id and r.recipient_id = m.recipient_id and r.ids @> m.id)`)} as flagged
     from messages m where m.realm_id = $1 and m.id = any($2::text::bigint[]) order by m.id`,
    [realmId, idArray(ids), people === undefined ? null : idArray(people)],
  );
  for await (const rows of all.cursor(receiptsAtOnce)) yield* rows;
}

export interface ExportedReaction {
  id: Id<"reaction">;
  message_id: MessageId;
  user_id: UserId;
  emoji_name: string;
  emoji_code: string;
  reaction_type: string;
}

/** Rows that belong to the messages of an export, oldest first. @param columns with `a.` before each */
async function* readBeside<Row>(
  sql: Sql,
  realmId: RealmId,
  scope: MessageScope | undefined,
  table: "reactions" | "submessages",
  columns: string,
): AsyncGenerator<Row> {
  const { where, params } = condition(scope);
  // Unsafe: parts of the text depend on what is asked for.
  const all = sql.unsafe<Row[]>(
    `select ${columns} from ${table} a join messages m on m.realm_id = a.realm_id and m.id = a.message_id
     where a.realm_id = $1 and ${where} order by a.id`,
    [realmId, ...params],
  );
  for await (const rows of all.cursor(rowsAtOnce)) yield* rows;
}

export const readReactions = (sql: Sql, realmId: RealmId, scope: MessageScope | undefined) =>
  readBeside<ExportedReaction>(
    sql,
    realmId,
    scope,
    "reactions",
    "a.id, a.message_id, a.user_id, a.emoji_name, a.emoji_code, a.reaction_type",
  );

export interface ExportedSubmessage {
  id: SubmessageId;
  message_id: MessageId;
  sender_id: UserId;
  msg_type: string;
  content: string;
}

/** What was added to the messages of an export: polls with their votes, to-do lists. */
export const readSubmessages = (sql: Sql, realmId: RealmId, scope: MessageScope | undefined) =>
  readBeside<ExportedSubmessage>(
    sql,
    realmId,
    scope,
    "submessages",
    "a.id, a.message_id, a.sender_id, a.msg_type, a.content",
  );

export interface ExportedAttachment {
  id: AttachmentId;
  owner_id: UserId;
  file_name: string;
  path_id: string;
  size: number;
  content_type: string;
  create_time: number;
  image: unknown;
  /** Not null: it is not known to be clean. */
  quarantined_at: number | null;
  /** Of the export, ascending. */
  message_ids: MessageId[];
}

/** Uploads that a message of an export links to, or that one of its people keeps. */
export async function* readAttachments(
  sql: Sql,
  realmId: RealmId,
  scope: MessageScope | undefined,
): AsyncGenerator<ExportedAttachment> {
  const { where, params } = condition(scope);
  // Unsafe: a part of the text depends on what is asked for.
  const all = sql.unsafe<ExportedAttachment[]>(
    `select * from (
       select a.id, a.owner_id, a.file_name, a.path_id, a.size, a.content_type, a.create_time, a.image, a.quarantined_at,
         array(select m.id from messages m where ${where} and m.id = any(a.message_ids) order by m.id) as message_ids
       from attachments a where a.realm_id = $1) a
     ${scope === undefined ? "" : "where cardinality(message_ids) > 0 or owner_id = any($4::text::bigint[])"} order by id`,
    [realmId, ...params],
  );
  for await (const rows of all.cursor(rowsAtOnce)) yield* rows;
}

/** Recipients of direct conversations that there are, by their people: ids ascending, with commas between. */
export async function findConversations(
  sql: Sql,
  realmId: RealmId,
  peoples: readonly string[],
): Promise<Map<string, RecipientId>> {
  const rows = await sql<{ people: string; recipient_id: RecipientId }[]>`
    select array_to_string(user_ids, ',') as people, recipient_id from direct_conversations
    where realm_id = ${realmId} and user_ids in (
      select ('{' || p || '}')::bigint[] from json_array_elements_text(${JSON.stringify(peoples)}::text::json) p)`;
  return new Map(rows.map(({ people, recipient_id }) => [people, recipient_id]));
}

/** Above every recipient of an organization. */
export async function nextFreeRecipient(sql: Sql, realmId: RealmId): Promise<RecipientId> {
  const rows = await sql<{ next: RecipientId }[]>`
    select 1 + greatest(
      (select coalesce(max(recipient_id), 0) from channels where realm_id = ${realmId}),
      (select coalesce(max(recipient_id), 0) from direct_conversations where realm_id = ${realmId})) as next`;
  return onlyRow(rows).next;
}
