/**
 * Browsers and programs that receive notifications by Web Push, and the keys by which push services know the server.
 */
import { onlyRow } from "../failures.ts";
import type { BrowserId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A push subscription, as browsers and distributors make them. It ends with its holder. */
export interface BrowserRow {
  id: BrowserId;
  user_id: UserId;
  endpoint: string;
  /** Base64url. */
  public_key: string;
  /** Base64url. */
  auth_secret: string;
}

/** By what a subscription was made. */
export interface Holder {
  /** SHA-256 of the token of a log-in, or of an API key. */
  hash: Buffer;
  /** Whether it is the account's own API key. Log-ins and further keys are sessions. */
  isOwnKey: boolean;
}

type NewBrowser = Omit<BrowserRow, "id"> & { realm_id: RealmId; date_created: number };

/** Has a browser or program told. An endpoint has one owner: the last user who came from there. */
export function putBrowser(sql: Sql, row: NewBrowser, { hash, isOwnKey }: Holder, keptOfOwnKey: number): Promise<void> {
  return isOwnKey ? putOfOwnKey(sql, row, hash, keptOfOwnKey) : putOfSession(sql, { ...row, session_hash: hash });
}

/** Replaces the subscription of a session. */
async function putOfSession(sql: Sql, row: NewBrowser & { session_hash: Buffer }): Promise<void> {
  await sql`
    delete from push_browsers where endpoint = ${row.endpoint} and session_hash is distinct from ${row.session_hash}`;
  const updated = await sql`
    update push_browsers set endpoint = ${row.endpoint}, public_key = ${row.public_key},
      auth_secret = ${row.auth_secret}, date_created = ${row.date_created}
    where session_hash = ${row.session_hash} returning 1`;
  if (updated.length > 0) return;
  // The same request may come twice at once, or the log-in may just have ended.
  await sql`
    insert into push_browsers (realm_id, user_id, session_hash, endpoint, public_key, auth_secret, date_created)
    select ${row.realm_id}::int, user_id, token_hash, ${row.endpoint}, ${row.public_key}, ${row.auth_secret},
      ${row.date_created}::bigint
    from sessions where token_hash = ${row.session_hash} and user_id = ${row.user_id} for key share
    on conflict do nothing`;
}

/** Adds to the subscriptions of an account's own key, which many programs may have. The oldest beyond `kept` end. */
async function putOfOwnKey(sql: Sql, row: NewBrowser, keyHash: Buffer, kept: number): Promise<void> {
  // The lock has a new key wait for this, which then ends it, or this for the new key, of which it finds nothing.
  await sql`
    with own as (
      select user_id, api_key_hash from credentials
      where user_id = ${row.user_id} and api_key_hash = ${keyHash} for share)
    insert into push_browsers (realm_id, user_id, key_hash, endpoint, public_key, auth_secret, date_created)
    select ${row.realm_id}::int, user_id, api_key_hash, ${row.endpoint}, ${row.public_key}, ${row.auth_secret},
      ${row.date_created}::bigint
    from own
    on conflict (endpoint) do update set realm_id = excluded.realm_id, user_id = excluded.user_id, session_hash = null,
      key_hash = excluded.key_hash, public_key = excluded.public_key, auth_secret = excluded.auth_secret,
      date_created = excluded.date_created`;
  await sql`
    delete from push_browsers where id in (
      select id from push_browsers where user_id = ${row.user_id} and key_hash is not null
      order by date_created desc, id desc offset ${kept})`;
}

/** The subscription of a user whose log-in or key still is good. */
export async function findBrowser(
  sql: Sql,
  userId: UserId,
  id: BrowserId,
  now: number,
): Promise<BrowserRow | undefined> {
  const rows = await sql<BrowserRow[]>`
    select b.id, b.user_id, b.endpoint, b.public_key, b.auth_secret
    from push_browsers b left join sessions s on s.token_hash = b.session_hash
      left join credentials c on c.user_id = b.user_id and c.api_key_hash = b.key_hash
    where b.id = ${id} and b.user_id = ${userId} and (s.expires_at > ${now} or c.user_id is not null)`;
  return rows[0];
}

/** @param endpoint undefined: any */
export async function hasBrowser(sql: Sql, userId: UserId, holder: Holder, endpoint?: string): Promise<boolean> {
  return (await sql`select from push_browsers where ${heldBy(sql, userId, holder, endpoint)} limit 1`).length > 0;
}

/** @param endpoint undefined: all */
export async function deleteBrowserOf(sql: Sql, userId: UserId, holder: Holder, endpoint?: string): Promise<void> {
  await sql`delete from push_browsers where ${heldBy(sql, userId, holder, endpoint)}`;
}

const heldBy = (sql: Sql, userId: UserId, { hash, isOwnKey }: Holder, endpoint: string | undefined) => sql`
  user_id = ${userId} and ${isOwnKey ? sql`key_hash = ${hash}` : sql`session_hash = ${hash}`}
  and (${endpoint ?? null}::text is null or endpoint = ${endpoint ?? null})`;

/** Ends all of a user's subscriptions, or those that were made by the account's own key. */
export async function deleteBrowsersOf(sql: Sql, userId: UserId, of: "all" | "own key"): Promise<void> {
  await sql`delete from push_browsers where user_id = ${userId} and (${of === "all"} or key_hash is not null)`;
}

export async function deleteBrowser(sql: Sql, id: BrowserId): Promise<void> {
  await sql`delete from push_browsers where id = ${id}`;
}

export interface ServerKeys {
  /** Base64url. */
  publicKey: string;
  /** Base64url. */
  privateKey: string;
}

/** The server's key pair. The first call stores the pair that `make` returns. */
export async function readServerKeys(sql: Sql, make: () => ServerKeys): Promise<ServerKeys> {
  const find = () => sql<ServerKeys[]>`
    select public_key as "publicKey", private_key as "privateKey" from push_server_keys`;
  const [known] = await find();
  if (known) return known;
  const { publicKey, privateKey } = make();
  await sql`
    insert into push_server_keys (public_key, private_key) values (${publicKey}, ${privateKey}) on conflict do nothing`;
  return onlyRow(await find());
}
