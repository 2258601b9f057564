/**
 * Passwords, and the API keys that clients and bots' owners are shown. A key is found by its hash, and shown from what
 * the installation's secret key opens: the database alone gives none away.
 */
import { createHash } from "node:crypto";
import { defined, onlyRow } from "../failures.ts";
import type { RealmId, UserId } from "../ids.ts";
import type { Database, Sql } from "../postgres.ts";
import { roles } from "../rows.ts";
import { type SecretKey, WrongSecretKey } from "../secret-key.ts";

export interface Credentials {
  user_id: UserId;
  realm_id: RealmId;
  password_hash: string | null;
}

/** As many are sealed at a time when there are many. */
const batch = 10_000;

/** What of an account's key is stored. `api_key` is what nodes of the version before have written and read. */
export interface StoredKey {
  api_key: string | null;
  api_key_sealed: Buffer | null;
}

/** The key itself. @throws WrongSecretKey */
export function showKey(sql: Sql, userId: UserId, { api_key, api_key_sealed }: StoredKey): string {
  return api_key_sealed ? secretKeyOf(sql).open(userId, api_key_sealed) : defined(api_key, "API key");
}

/** What a connection, or a transaction of it, seals with. */
export function secretKeyOf(sql: Sql): SecretKey {
  if (!sql.secretKey) throw new Error("This connection to the database was opened without a secret key.");
  return sql.secretKey;
}

const hashOf = (apiKey: string): Buffer => createHash("sha256").update(apiKey).digest();

/** As JSON has bytes for PostgreSQL. */
function storedAs(sql: Sql, userId: UserId, apiKey: string): { api_key_hash: string; api_key_sealed: string } {
  const bytes = (buffer: Buffer) => `\\x${buffer.toString("hex")}`;
  return { api_key_hash: bytes(hashOf(apiKey)), api_key_sealed: bytes(secretKeyOf(sql).seal(userId, apiKey)) };
}

export async function insertCredentials(sql: Sql, all: readonly (Credentials & { api_key: string })[]): Promise<void> {
  for (let first = 0; first < all.length; first += batch) {
    const rows = all.slice(first, first + batch).map((row) => ({ ...row, ...storedAs(sql, row.user_id, row.api_key) }));
    await sql`
      insert into credentials (user_id, realm_id, api_key, api_key_hash, api_key_sealed, password_hash)
      select user_id, realm_id, case when plain_keys_until > extract(epoch from now()) then api_key end,
        api_key_hash, api_key_sealed, password_hash
      from json_populate_recordset(null::credentials, ${JSON.stringify(rows)}::text::json), installation`;
  }
}

/** The account of a key, with its `api_key_version` at the same moment. */
export async function findByApiKey(
  sql: Sql,
  apiKey: string,
): Promise<(Credentials & { api_key_version: number }) | undefined> {
  const rows = await sql<(Credentials & { api_key_version: number })[]>`
    select c.user_id, c.realm_id, c.password_hash, u.api_key_version
    from credentials c join users u on u.id = c.user_id where c.api_key_hash = ${hashOf(apiKey)}`;
  return rows[0];
}

export async function findCredentials(sql: Sql, userId: UserId): Promise<Credentials | undefined> {
  return (
    await sql<Credentials[]>`select user_id, realm_id, password_hash from credentials where user_id = ${userId}`
  )[0];
}

/** The account's key, to be shown to who may have it. */
export async function findApiKey(sql: Sql, userId: UserId): Promise<string | undefined> {
  const [row] = await sql<StoredKey[]>`select api_key, api_key_sealed from credentials where user_id = ${userId}`;
  return row && showKey(sql, userId, row);
}

export async function updateApiKey(sql: Sql, userId: UserId, apiKey: string): Promise<void> {
  await sql`
    update credentials set api_key_hash = ${hashOf(apiKey)}, api_key_sealed = ${secretKeyOf(sql).seal(userId, apiKey)},
      api_key = case when plain_keys_until > extract(epoch from now()) then ${apiKey}::text end
    from installation where user_id = ${userId}`;
}

export async function updatePassword(sql: Sql, userId: UserId, passwordHash: string | null): Promise<void> {
  await sql`update credentials set password_hash = ${passwordHash} where user_id = ${userId}`;
}

/** Address and key of the oldest organization's first present owner. */
export async function findOwnerCredentials(sql: Sql): Promise<{ email: string; api_key: string } | undefined> {
  const [row] = await sql<(StoredKey & { id: UserId; email: string })[]>`
    select u.id, u.delivery_email as email, c.api_key, c.api_key_sealed
    from users u join credentials c on c.user_id = u.id
    where u.role = ${roles.owner} and u.is_active and not u.is_bot order by u.realm_id, u.id limit 1`;
  return row && { email: row.email, api_key: showKey(sql, row.id, row) };
}

/** Seals the keys that stand in the open, unless nodes of the version before may still read them. */
export async function sealPlainKeys(database: Pick<Database, "transaction">): Promise<void> {
  while ((await database.transaction(sealBatch)) === batch);
}

/** The same in the caller's transaction. */
export async function sealKeys(sql: Sql): Promise<void> {
  while ((await sealBatch(sql)) === batch);
}

async function sealBatch(sql: Sql): Promise<number> {
  const rows = await sql<{ user_id: UserId; api_key: string }[]>`
    select user_id, api_key from credentials
    where api_key is not null and (select plain_keys_until from installation) <= extract(epoch from now())
    order by user_id limit ${batch}::int for no key update`;
  const sealed = rows.map(({ user_id, api_key }) => ({ user_id, ...storedAs(sql, user_id, api_key) }));
  if (sealed.length > 0)
    await sql`
      update credentials c set api_key = null, api_key_sealed = s.api_key_sealed
      from json_populate_recordset(null::credentials, ${JSON.stringify(sealed)}::text::json) s
      where s.user_id = c.user_id`;
  return rows.length;
}

/**
 * Looks whether the keys in this database, which may be another's, can be opened.
 *
 * @throws WrongSecretKey
 */
export async function checkOpens(sql: Sql): Promise<void> {
  const [row] = await sql<{ user_id: UserId; api_key_sealed: Buffer }[]>`
    select user_id, api_key_sealed from credentials where api_key_sealed is not null limit 1`;
  if (row) secretKeyOf(sql).open(row.user_id, row.api_key_sealed);
}

/**
 * Gives every account a new API key: those of another installation, whose secret key is lost. Its owners are shown them
 * when they log in; its programs have to be given theirs.
 */
export async function renewAllKeys(sql: Sql): Promise<void> {
  // The table's trigger hashes what stands in the open.
  await sql`update credentials set api_key = replace(gen_random_uuid()::text, '-', '')`;
  await sql`update users set api_key_version = api_key_version + 1`;
  // What shows people their codes is lost with that key. Their recovery codes go on.
  await sql`update totp_factors set secret_sealed = null`;
  await sealKeys(sql);
}

/** Takes the secret key of the connection for the one of this database if it has none yet. @throws WrongSecretKey */
export async function checkSecretKey(sql: Sql): Promise<void> {
  const { check, origin } = secretKeyOf(sql);
  await sql`update installation set secret_key_check = ${check} where secret_key_check is null`;
  const { secret_key_check } = onlyRow(
    await sql<{ secret_key_check: Buffer }[]>`select secret_key_check from installation`,
  );
  if (!secret_key_check.equals(check))
    throw new WrongSecretKey(
      `${origin} is not the secret key by which this database's API keys are sealed: put that one into this file, or name it by PARLEY_SECRET_KEY_FILE or PARLEY_SECRET_KEY.`,
    );
}
