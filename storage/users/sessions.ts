import type { IdentityId, RealmId, SessionId, UserId } from "../ids.ts";
import type { Database, Sql } from "../postgres.ts";

/** A browser's log-in. Only a hash of its token is stored. */
export interface SessionRow {
  token_hash: Buffer;
  /** Names it to its person, also after it has another token. */
  id: SessionId;
  realm_id: RealmId;
  user_id: UserId;
  csrf_token: string;
  /** UNIX seconds; so are the others */
  expires_at: number;
  date_created: number;
  /** Behind by up to an hour, or less where idle log-ins end. */
  last_seen: number;
  /** As of `last_seen`; so is the address. */
  user_agent: string;
  ip_address: string;
  /** When its person last showed a password or a code in it. */
  confirmed_at: number;
  /** By which identity its person came. null: by none. */
  identity_id: IdentityId | null;
  /** The provider's name for the log-in there. */
  provider_session: string | null;
}

/** What a further API key may do: read, send as well, or all that its account may. */
export type KeyScope = "read" | "send" | "all";

/** A further API key of an account. Only a hash of it is stored. */
export interface FurtherKeyRow extends SessionRow {
  name: string;
  scope: KeyScope;
}

/** When a key ends that does not: the last second of the year 9999. */
export const neverEnds = 253_402_300_799;

/** The most log-ins of one person. A further one ends the oldest. */
const sessionsKept = 100;

export async function insertSession(sql: Sql, row: Omit<SessionRow, "id">): Promise<void> {
  await sql`
    insert into sessions
      (token_hash, realm_id, user_id, csrf_token, expires_at, date_created, last_seen, user_agent, ip_address,
        confirmed_at, identity_id, provider_session)
    values (${row.token_hash}, ${row.realm_id}, ${row.user_id}, ${row.csrf_token}, ${row.expires_at},
      ${row.date_created}, ${row.last_seen}, ${row.user_agent}, ${row.ip_address}, ${row.confirmed_at}, ${row.identity_id},
      ${row.provider_session})`;
  await sql`delete from sessions where token_hash in (
    select token_hash from sessions
    where user_id = ${row.user_id} and scope is null order by expires_at desc offset ${sessionsKept})`;
}

/** A log-in that is still valid, with its account's `api_key_version` at the same moment. */
export async function findSession(
  sql: Sql,
  tokenHash: Buffer,
  now: number,
): Promise<(SessionRow & { api_key_version: number }) | undefined> {
  const rows = await sql<(SessionRow & { api_key_version: number })[]>`
    select s.*, u.api_key_version from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash} and s.scope is null and s.expires_at > ${now}`;
  return rows[0];
}

export async function insertFurtherKey(
  sql: Sql,
  row: Pick<
    FurtherKeyRow,
    "id" | "token_hash" | "realm_id" | "user_id" | "name" | "scope" | "date_created" | "expires_at"
  >,
): Promise<void> {
  await sql`
    insert into sessions
      (id, token_hash, realm_id, user_id, csrf_token, name, scope, date_created, last_seen, expires_at)
    values (${row.id}, ${row.token_hash}, ${row.realm_id}, ${row.user_id}, '', ${row.name}, ${row.scope},
      ${row.date_created}, 0, ${row.expires_at})`;
}

/** A further key that is still valid, with its account's `api_key_version` at the same moment. */
export async function findFurtherKey(
  sql: Sql,
  tokenHash: Buffer,
  now: number,
): Promise<(FurtherKeyRow & { api_key_version: number }) | undefined> {
  const rows = await sql<(FurtherKeyRow & { api_key_version: number })[]>`
    select s.*, u.api_key_version from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${tokenHash} and s.scope is not null and s.expires_at > ${now}`;
  return rows[0];
}

/** A user's further keys that are valid, the newest first. */
export function findFurtherKeysOf(sql: Sql, userId: UserId, now: number): Promise<FurtherKeyRow[]> {
  return sql<FurtherKeyRow[]>`
    select * from sessions where user_id = ${userId} and scope is not null and expires_at > ${now} order by id desc`;
}

/** Ends every further key of a user. */
export async function deleteFurtherKeysOf(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from sessions where user_id = ${userId} and scope is not null`;
}

/** A user's valid log-ins, the one seen last first. */
export function findSessionsOf(sql: Sql, userId: UserId, now: number): Promise<SessionRow[]> {
  return sql<SessionRow[]>`
    select * from sessions
    where user_id = ${userId} and scope is null and expires_at > ${now} order by last_seen desc, id desc`;
}

/** Whether a user has a log-in that has not been ended. */
export async function hasSession(sql: Sql, userId: UserId, id: SessionId): Promise<boolean> {
  return (await sql`select from sessions where user_id = ${userId} and id = ${id}`).length > 0;
}

/** Notes that a log-in is in use, unless that was noted within `notedEverySecs`. */
export async function noteSessionSeen(
  sql: Sql,
  {
    token_hash,
    last_seen,
    user_agent,
    ip_address,
  }: Pick<SessionRow, "token_hash" | "last_seen" | "user_agent" | "ip_address">,
  notedEverySecs: number,
): Promise<void> {
  await sql`
    update sessions set last_seen = ${last_seen}, user_agent = ${user_agent}, ip_address = ${ip_address}
    where token_hash = ${token_hash} and last_seen <= ${last_seen - notedEverySecs}`;
}

/**
 * Gives a log-in another token. Its queues and its browser's subscription stay with it. Does nothing when it has ended.
 */
export async function replaceToken(
  database: Database,
  tokenHash: Buffer,
  next: Pick<SessionRow, "token_hash" | "csrf_token" | "expires_at">,
): Promise<void> {
  await database.transaction(async (sql) => {
    await sql`
      insert into sessions
        (token_hash, id, realm_id, user_id, csrf_token, expires_at, date_created, last_seen, user_agent, ip_address,
        confirmed_at, identity_id, provider_session)
      select ${next.token_hash}, id, realm_id, user_id, ${next.csrf_token}, ${next.expires_at}, date_created, last_seen,
        user_agent, ip_address, confirmed_at, identity_id, provider_session
      from sessions where token_hash = ${tokenHash} for update`;
    await sql`update event_queues set session_hash = ${next.token_hash} where session_hash = ${tokenHash}`;
    await sql`update push_browsers set session_hash = ${next.token_hash} where session_hash = ${tokenHash}`;
    await sql`delete from sessions where token_hash = ${tokenHash}`;
  });
}

/** Notes that the person of a log-in has shown again who they are. */
export async function noteConfirmed(sql: Sql, tokenHash: Buffer, now: number): Promise<void> {
  await sql`update sessions set confirmed_at = ${now} where token_hash = ${tokenHash}`;
}

/** The log-ins of whoever has logged out at a provider: all of a person's, or those by one log-in there. */
export function findSessionsByProvider(
  sql: Sql,
  realmId: RealmId,
  of: { issuer: string; subject: string | undefined; providerSession: string | undefined },
): Promise<Pick<SessionRow, "id" | "user_id">[]> {
  return sql<Pick<SessionRow, "id" | "user_id">[]>`
    select s.id, s.user_id from sessions s join identities i on i.id = s.identity_id
    where i.realm_id = ${realmId} and i.issuer = ${of.issuer}
      and (${of.subject ?? null}::text is null or i.subject = ${of.subject ?? null})
      and (${of.providerSession ?? null}::text is null or s.provider_session = ${of.providerSession ?? null})`;
}

/** Ends one log-in of a user. */
export async function deleteSession(sql: Sql, userId: UserId, id: SessionId): Promise<void> {
  await sql`delete from sessions where user_id = ${userId} and id = ${id}`;
}

/** Ends every log-in of a user, but perhaps for one. Further keys stay. */
export async function deleteSessionsOf(sql: Sql, userId: UserId, keptId?: SessionId): Promise<void> {
  await sql`delete from sessions where user_id = ${userId} and scope is null and id <> ${keptId ?? 0}`;
}

/** Lets no log-in of a realm last longer than until `expiresAt`. */
export async function shortenSessions(sql: Sql, realmId: RealmId, expiresAt: number): Promise<void> {
  await sql`
    update sessions set expires_at = ${expiresAt}
    where realm_id = ${realmId} and scope is null and expires_at > ${expiresAt}`;
}

/** The log-ins of a realm that are over, or were not used since `idleSince`. Few realms ask, and once a minute. */
export function findOverSessions(
  sql: Sql,
  realmId: RealmId,
  now: number,
  idleSince: number,
): Promise<Pick<SessionRow, "id" | "user_id">[]> {
  return sql<Pick<SessionRow, "id" | "user_id">[]>`
    select id, user_id from sessions
    where realm_id = ${realmId} and scope is null and (expires_at <= ${now} or last_seen <= ${idleSince})
    order by user_id, id limit 1000`;
}

export async function deleteExpiredSessions(sql: Sql, now: number): Promise<void> {
  await sql`delete from sessions where expires_at <= ${now}`;
}
