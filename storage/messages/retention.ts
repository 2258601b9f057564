/**
 * Expired messages. Ids rise with time, so a conversation's oldest message tells whether it has any: one index look-up
 * for each conversation, however large.
 */
import type { MessageId, RealmId, RecipientId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A conversation, and the time (UNIX seconds) before which its messages have expired. */
export interface Expiry {
  recipientId: RecipientId;
  before: number;
}

/** Which of these conversations have expired messages. */
export async function findExpired(sql: Sql, expiries: readonly Expiry[]): Promise<RecipientId[]> {
  if (expiries.length === 0) return [];
  const recipientIds = `{${expiries.map(({ recipientId }) => recipientId).join(",")}}`;
  const befores = `{${expiries.map(({ before }) => before).join(",")}}`;
  const rows = await sql<{ recipient_id: RecipientId }[]>`
    select c.recipient_id
    from unnest(${recipientIds}::text::bigint[], ${befores}::text::bigint[]) as c(recipient_id, before)
    cross join lateral (select m.sent_at from messages m where m.recipient_id = c.recipient_id order by m.id limit 1) oldest
    where oldest.sent_at < c.before order by c.recipient_id`;
  return rows.map((row) => row.recipient_id);
}

/** Direct conversations of a realm with messages sent before a time (UNIX seconds), at most `limit`. */
export async function findExpiredConversations(
  sql: Sql,
  realmId: RealmId,
  before: number,
  limit: number,
): Promise<RecipientId[]> {
  const rows = await sql<{ recipient_id: RecipientId }[]>`
    select d.recipient_id from direct_conversations d
    cross join lateral (select m.sent_at from messages m where m.recipient_id = d.recipient_id order by m.id limit 1) oldest
    where d.realm_id = ${realmId} and oldest.sent_at < ${before} limit ${limit}`;
  return rows.map((row) => row.recipient_id);
}

/** Ids of a conversation's oldest messages sent before a time (UNIX seconds), ascending, at most `limit`. */
export async function findExpiredIds(
  sql: Sql,
  recipientId: RecipientId,
  before: number,
  limit: number,
): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select id from (
      select id, sent_at from messages where recipient_id = ${recipientId} order by id limit ${limit}) oldest
    where sent_at < ${before} order by id`;
  return rows.map((row) => row.id);
}

/** Realms with expired messages. A channel without a retention of its own has the realm's. */
export async function findRealmsWithExpired(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct c.realm_id from channels c join realms r on r.id = c.realm_id
    cross join lateral (
      select coalesce(c.message_retention_days, (r.settings ->> 'message_retention_days')::bigint, -1) as days) kept
    cross join lateral (select m.sent_at from messages m where m.recipient_id = c.recipient_id order by m.id limit 1) oldest
    where kept.days > 0 and oldest.sent_at < ${now} - kept.days * 86400`;
  return rows.map((row) => row.realm_id);
}
