import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A browser's log-in. Only a hash of its token is stored. */
export interface SessionRow {
  token_hash: Buffer;
  realm_id: RealmId;
  user_id: UserId;
  csrf_token: string;
  /** UNIX seconds */
  expires_at: number;
}

/** The most log-ins of one person. A further one ends the oldest. */
const sessionsKept = 100;

export async function insertSession(sql: Sql, row: SessionRow): Promise<void> {
  await sql`insert into sessions (token_hash, realm_id, user_id, csrf_token, expires_at)
    values (${row.token_hash}, ${row.realm_id}, ${row.user_id}, ${row.csrf_token}, ${row.expires_at})`;
  await sql`delete from sessions where token_hash in (
    select token_hash from sessions where user_id = ${row.user_id} order by expires_at desc offset ${sessionsKept})`;
}

/** A log-in that is still valid, with its account's `api_key_version` at the same moment. */
export async function findSession(
  sql: Sql,
  tokenHash: Buffer,
  now: number,
): Promise<(SessionRow & { api_key_version: number }) | undefined> {
  const rows = await sql<(SessionRow & { api_key_version: number })[]>`
    select s.*, u.api_key_version from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash} and s.expires_at > ${now}`;
  return rows[0];
}

/** Ends one log-in. */
export async function deleteSession(sql: Sql, tokenHash: Buffer): Promise<void> {
  await sql`delete from sessions where token_hash = ${tokenHash}`;
}

/** Ends all log-ins of a user but one. Returns their number. */
export async function deleteOtherSessions(sql: Sql, userId: UserId, keptHash: Buffer): Promise<number> {
  const rows = await sql`delete from sessions where user_id = ${userId} and token_hash <> ${keptHash} returning 1`;
  return rows.length;
}

/** The number of a user's valid log-ins. */
export async function countSessions(sql: Sql, userId: UserId, now: number): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from sessions where user_id = ${userId} and expires_at > ${now}`;
  return rows[0]!.count;
}

/** Ends every log-in of a user. */
export async function deleteSessionsOf(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from sessions where user_id = ${userId}`;
}

export async function deleteExpiredSessions(sql: Sql, now: number): Promise<void> {
  await sql`delete from sessions where expires_at <= ${now}`;
}
