/** Browsers that receive notifications while no page is open, and the keys by which push services know the server. */
import { onlyRow } from "../failures.ts";
import type { BrowserId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A push subscription, as browsers make them. It ends with the log-in of its browser. */
export interface BrowserRow {
  id: BrowserId;
  user_id: UserId;
  endpoint: string;
  /** Base64url. */
  public_key: string;
  /** Base64url. */
  auth_secret: string;
}

/** Replaces the subscription of a log-in. An endpoint has one owner: the last user who logged in to that browser. */
export async function putBrowser(
  sql: Sql,
  row: Omit<BrowserRow, "id"> & { realm_id: RealmId; session_hash: Buffer; date_created: number },
): Promise<void> {
  await sql`delete from push_browsers where endpoint = ${row.endpoint} and session_hash <> ${row.session_hash}`;
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

/** The subscription of a user's browser that is still logged in. */
export async function findBrowser(
  sql: Sql,
  userId: UserId,
  id: BrowserId,
  now: number,
): Promise<BrowserRow | undefined> {
  const rows = await sql<BrowserRow[]>`
    select b.id, b.user_id, b.endpoint, b.public_key, b.auth_secret
    from push_browsers b join sessions s on s.token_hash = b.session_hash
    where b.id = ${id} and b.user_id = ${userId} and s.expires_at > ${now}`;
  return rows[0];
}

export async function hasBrowser(sql: Sql, sessionHash: Buffer): Promise<boolean> {
  return (await sql`select from push_browsers where session_hash = ${sessionHash}`).length > 0;
}

export async function deleteBrowserOf(sql: Sql, sessionHash: Buffer): Promise<void> {
  await sql`delete from push_browsers where session_hash = ${sessionHash}`;
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
