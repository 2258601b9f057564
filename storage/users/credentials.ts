import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { roles } from "../rows.ts";

export interface Credentials {
  user_id: UserId;
  realm_id: RealmId;
  api_key: string;
  password_hash: string | null;
}

export async function insertCredentials(sql: Sql, rows: readonly Credentials[]): Promise<void> {
  await sql`
    insert into credentials (user_id, realm_id, api_key, password_hash)
    select user_id, realm_id, api_key, password_hash
    from json_populate_recordset(null::credentials, ${JSON.stringify(rows)}::text::json)`;
}

/** The account of a key, with its `api_key_version` at the same moment. */
export async function findByApiKey(
  sql: Sql,
  apiKey: string,
): Promise<(Credentials & { api_key_version: number }) | undefined> {
  const rows = await sql<(Credentials & { api_key_version: number })[]>`
    select c.*, u.api_key_version from credentials c join users u on u.id = c.user_id where c.api_key = ${apiKey}`;
  return rows[0];
}

export async function findCredentials(sql: Sql, userId: UserId): Promise<Credentials | undefined> {
  return (await sql<Credentials[]>`select * from credentials where user_id = ${userId}`)[0];
}

export async function updateCredentials(
  sql: Sql,
  userId: UserId,
  change: { apiKey?: string; passwordHash?: string },
): Promise<void> {
  if (change.apiKey !== undefined)
    await sql`update credentials set api_key = ${change.apiKey} where user_id = ${userId}`;
  if (change.passwordHash !== undefined) {
    await sql`update credentials set password_hash = ${change.passwordHash} where user_id = ${userId}`;
  }
}

/** Makes sure that nobody logs in with old credentials: there is no password, and a new key that nobody knows. */
export async function eraseCredentials(sql: Sql, userId: UserId, apiKey: string): Promise<void> {
  await sql`update credentials set password_hash = null, api_key = ${apiKey} where user_id = ${userId}`;
}

/** Address and key of the oldest organization's first present owner. */
export async function findOwnerCredentials(sql: Sql): Promise<{ email: string; api_key: string } | undefined> {
  return (
    await sql<{ email: string; api_key: string }[]>`
      select u.delivery_email as email, c.api_key from users u join credentials c on c.user_id = u.id
      where u.role = ${roles.owner} and u.is_active and not u.is_bot order by u.realm_id, u.id limit 1`
  )[0];
}
