/** Passkeys of people: public keys, by the names that authenticators gave them. */
import type { PasskeyId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface PasskeyRow {
  id: PasskeyId;
  user_id: UserId;
  realm_id: RealmId;
  credential_id: Buffer;
  /** In the form of COSE. */
  public_key: Buffer;
  /** What the authenticator last counted. 0: it does not count. */
  sign_count: number;
  /** How browsers reach the authenticator: words with a space between them. */
  transports: string;
  /** Whether its provider copies it to other devices of the person. */
  is_synced: boolean;
  name: string;
  /** UNIX seconds */
  date_created: number;
  /** null: never. */
  last_used: number | null;
  is_blocked: boolean;
}

/** A person's passkeys, the oldest first. */
export function findPasskeysOf(sql: Sql, userId: UserId): Promise<PasskeyRow[]> {
  return sql<PasskeyRow[]>`select * from passkeys where user_id = ${userId} order by id`;
}

export async function findPasskey(sql: Sql, realmId: RealmId, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const rows = await sql<PasskeyRow[]>`
    select * from passkeys where realm_id = ${realmId} and credential_id = ${credentialId}`;
  return rows[0];
}

export async function insertPasskey(sql: Sql, row: Omit<PasskeyRow, "last_used" | "is_blocked">): Promise<void> {
  await sql`
    insert into passkeys
      (id, user_id, realm_id, credential_id, public_key, sign_count, transports, is_synced, name, date_created)
    values (${row.id}, ${row.user_id}, ${row.realm_id}, ${row.credential_id}, ${row.public_key}, ${row.sign_count},
      ${row.transports}, ${row.is_synced}, ${row.name}, ${row.date_created})`;
}

/** Notes that a passkey was used. Returns false for one that counts, and has counted as far or further before. */
export async function notePasskeyUse(sql: Sql, id: PasskeyId, count: number, now: number): Promise<boolean> {
  const rows = await sql`
    update passkeys set sign_count = ${count}, last_used = ${now}
    where id = ${id} and not is_blocked and (sign_count < ${count} or (sign_count = 0 and ${count} = 0))
    returning id`;
  return rows.length > 0;
}

export async function renamePasskey(sql: Sql, id: PasskeyId, name: string): Promise<void> {
  await sql`update passkeys set name = ${name} where id = ${id}`;
}

export async function blockPasskey(sql: Sql, id: PasskeyId): Promise<void> {
  await sql`update passkeys set is_blocked = true where id = ${id}`;
}

export async function deletePasskey(sql: Sql, id: PasskeyId): Promise<void> {
  await sql`delete from passkeys where id = ${id}`;
}
