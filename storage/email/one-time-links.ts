/** Links by which whoever has them does one thing, once. */
import type { IdentityId, InvitationId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { LinkPurpose } from "./queue.ts";

/** Only a hash of its secret is stored. */
export interface OneTimeLinkRow {
  token_hash: Buffer;
  realm_id: RealmId;
  /** null: whoever joins has no account yet. */
  user_id: UserId | null;
  /** Only of a link by which somebody joins. */
  invitation_id: InvitationId | null;
  /** Only of a link that shows whose account it is. */
  identity_id: IdentityId | null;
  purpose: LinkPurpose;
  /** Of a password: the account's when it was made. Else the one that is to be confirmed. */
  email: string;
  /** UNIX seconds */
  expires_at: number;
}

/** Adds a link, which ends those that the person had for the same purpose. */
export async function insertOneTimeLink(sql: Sql, row: OneTimeLinkRow): Promise<void> {
  if (row.user_id === null) await deleteJoiningLinks(sql, row.realm_id, row.email);
  else await deleteOneTimeLinks(sql, row.user_id, row.purpose);
  await sql`
    insert into one_time_links (token_hash, realm_id, user_id, invitation_id, identity_id, purpose, email, expires_at)
    values (${row.token_hash}, ${row.realm_id}, ${row.user_id}, ${row.invitation_id}, ${row.identity_id},
      ${row.purpose}, ${row.email}, ${row.expires_at})`;
}

/** Ends the links by which an address joins. */
export async function deleteJoiningLinks(sql: Sql, realmId: RealmId, email: string): Promise<void> {
  await sql`
    delete from one_time_links
    where user_id is null and purpose = 'join' and realm_id = ${realmId} and lower(email) = ${email.toLowerCase()}`;
}

/** A link that is not over. */
export async function findOneTimeLink(
  sql: Sql,
  realmId: RealmId,
  purpose: LinkPurpose,
  tokenHash: Buffer,
  now: number,
): Promise<OneTimeLinkRow | undefined> {
  const rows = await sql<OneTimeLinkRow[]>`
    select * from one_time_links
    where token_hash = ${tokenHash} and realm_id = ${realmId} and purpose = ${purpose} and expires_at > ${now}`;
  return rows[0];
}

/** Ends a person's links of a kind, or all of them. */
export async function deleteOneTimeLinks(sql: Sql, userId: UserId, purpose?: LinkPurpose): Promise<void> {
  await sql`
    delete from one_time_links
    where user_id = ${userId} and (${purpose ?? null}::text is null or purpose = ${purpose ?? null})`;
}

export async function deleteExpiredLinks(sql: Sql, now: number): Promise<void> {
  await sql`delete from one_time_links where expires_at <= ${now}`;
}

/** The active person whom a link for an address would be for, by that address or by id. */
export async function findLinkHolder(
  sql: Sql,
  realmId: RealmId,
  by: { email: string; userId: UserId | undefined },
): Promise<{ id: UserId; email: string } | undefined> {
  const rows = await sql<{ id: UserId; email: string }[]>`
    select id, delivery_email as email from users
    where realm_id = ${realmId} and is_active and not is_bot and not is_deleted
      and (${by.userId ?? null}::bigint is null and lower(delivery_email) = ${by.email.toLowerCase()}
           or id = ${by.userId ?? null})`;
  return rows[0];
}
