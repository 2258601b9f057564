/** Who people are at providers of identities. */
import type { IdentityId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** What names somebody for ever: an address is no part of it, since somebody else may have it tomorrow. */
export interface IdentityKey {
  /** The provider, as it calls itself. */
  issuer: string;
  /** The person, as the provider calls them. */
  subject: string;
}

/** Times are UNIX seconds. */
export interface IdentityRow extends IdentityKey {
  id: IdentityId;
  realm_id: RealmId;
  /** The provider, as the settings call it. */
  provider: string;
  /** Whose account it is; while it is pending, whose it is said to be. */
  user_id: UserId;
  state: "pending" | "linked" | "unlinked";
  /** As the provider told it last. */
  email: string | null;
  date_created: number;
  /** null: nobody has logged in by it. */
  last_used: number | null;
}

/** Somebody of a directory, and since when it has them no more; null: it has them. */
export type KnownIdentityRow = Pick<IdentityRow, "id" | "subject" | "user_id"> & { missing_since: number | null };

/** Identities of one account that wait to be linked. Beyond that the oldest is forgotten. */
const pendingKept = 5;

export async function findIdentity(
  sql: Sql,
  realmId: RealmId,
  { issuer, subject }: IdentityKey,
): Promise<IdentityRow | undefined> {
  const rows = await sql<IdentityRow[]>`
    select * from identities where realm_id = ${realmId} and issuer = ${issuer} and subject = ${subject}`;
  return rows[0];
}

export async function findIdentityById(sql: Sql, realmId: RealmId, id: IdentityId): Promise<IdentityRow | undefined> {
  return (await sql<IdentityRow[]>`select * from identities where realm_id = ${realmId} and id = ${id}`)[0];
}

/** An account's identities that are linked or wait to be; of every account, those that wait. The newest come first. */
export function findIdentities(
  sql: Sql,
  realmId: RealmId,
  of: { userId: UserId } | "pending",
): Promise<(IdentityRow & { state: "pending" | "linked" })[]> {
  const userId = of === "pending" ? null : of.userId;
  return sql<(IdentityRow & { state: "pending" | "linked" })[]>`
    select * from identities
    where realm_id = ${realmId} and state <> 'unlinked'
      and (${userId}::bigint is null and state = 'pending' or user_id = ${userId})
    order by id desc limit 1000`;
}

/** Those of these accounts that come in by one provider and by nothing else: no password, passkey or other provider. */
export async function findOwnersByIssuerAlone(
  sql: Sql,
  realmId: RealmId,
  userIds: readonly UserId[],
  { issuer, others }: { issuer: string; others: readonly string[] },
): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    select distinct i.user_id from identities i
    where i.realm_id = ${realmId} and i.issuer = ${issuer} and i.state = 'linked'
      and i.user_id = any(${userIds}::bigint[])
      and not exists (select from credentials c where c.user_id = i.user_id and c.password_hash is not null)
      and not exists (select from passkeys p where p.user_id = i.user_id and not p.is_blocked)
      and not exists (select from identities o where o.user_id = i.user_id and o.state = 'linked'
        and o.issuer = any(${others}::text[]))
    order by i.user_id`;
  return rows.map(({ user_id }) => user_id);
}

/** All identities of a directory that are linked. */
export function findLinkedIdentities(sql: Sql, realmId: RealmId, issuer: string): Promise<KnownIdentityRow[]> {
  return sql<KnownIdentityRow[]>`
    select id, subject, user_id, missing_since from identities
    where realm_id = ${realmId} and issuer = ${issuer} and state = 'linked'`;
}

/** Who of these organizations is linked with somebody in a directory, by an account that is active. */
export function findLinkedAmong(
  sql: Sql,
  realmIds: readonly RealmId[],
): Promise<Pick<IdentityRow & KnownIdentityRow, "realm_id" | "issuer" | "subject" | "missing_since">[]> {
  return sql`
    select i.realm_id, i.issuer, i.subject, i.missing_since
    from identities i join users u on u.id = i.user_id
    where i.realm_id = any(${realmIds}::bigint[]) and i.state = 'linked' and u.is_active`;
}

/** Notes since when a directory has people no more; null: it has them. */
export async function noteIdentitiesMissing(
  sql: Sql,
  realmId: RealmId,
  ids: readonly IdentityId[],
  since: number | null,
): Promise<void> {
  await sql`
    update identities set missing_since = ${since} where realm_id = ${realmId} and id = any(${ids})`;
}

/** Adds an identity, or says anew whose it is. */
export async function putIdentity(sql: Sql, row: IdentityRow): Promise<void> {
  await sql`
    insert into identities (id, realm_id, issuer, subject, provider, user_id, state, email, date_created, last_used)
    values (${row.id}, ${row.realm_id}, ${row.issuer}, ${row.subject}, ${row.provider}, ${row.user_id}, ${row.state},
      ${row.email}, ${row.date_created}, ${row.last_used})
    on conflict (realm_id, issuer, subject) do update set
      provider = excluded.provider, user_id = excluded.user_id, state = excluded.state, email = excluded.email,
      last_used = excluded.last_used, missing_since = null`;
  if (row.state === "pending")
    await sql`
      delete from identities where id in (
        select id from identities
        where user_id = ${row.user_id} and state = 'pending' order by id desc offset ${pendingKept})`;
}

/** Notes that somebody logged in, and which address the provider told. */
export async function noteIdentityUsed(sql: Sql, id: IdentityId, email: string | null, now: number): Promise<void> {
  await sql`update identities set last_used = ${now}, email = ${email}, missing_since = null where id = ${id} and state = 'linked'`;
}
