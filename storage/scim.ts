/** What directories that provision accounts (SCIM) know of an organization. */
import type { GroupId, RealmId, ScimTokenId, UserId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

/** By what a directory comes. Only a hash of it is stored. Times are UNIX seconds. */
export interface ScimTokenRow {
  id: ScimTokenId;
  realm_id: RealmId;
  token_hash: Buffer;
  name: string;
  creator_id: UserId;
  date_created: number;
  expires_at: number;
  /** Behind by up to `usedEverySecs`; 0: never. */
  last_used: number;
}

/** A token in use is noted as used this often, so that requests write nothing. */
const usedEverySecs = 3600;

/** How a directory calls an account. */
export interface ScimUserRow {
  user_id: UserId;
  realm_id: RealmId;
  user_name: string;
  /** `user_name` in lower case. */
  user_name_key: string;
  external_id: string | null;
  /** Names and addresses as the directory wrote them. */
  attributes: Record<string, unknown>;
  is_removed: boolean;
}

export async function insertScimToken(sql: Sql, row: Omit<ScimTokenRow, "last_used">): Promise<void> {
  await sql`
    insert into scim_tokens (id, realm_id, token_hash, name, creator_id, date_created, expires_at)
    values (${row.id}, ${row.realm_id}, ${row.token_hash}, ${row.name}, ${row.creator_id}, ${row.date_created},
      ${row.expires_at})`;
}

/** A token that is still valid. */
export async function findScimToken(
  sql: Sql,
  realmId: RealmId,
  tokenHash: Buffer,
  now: number,
): Promise<ScimTokenRow | undefined> {
  const rows = await sql<ScimTokenRow[]>`
    select * from scim_tokens where token_hash = ${tokenHash} and realm_id = ${realmId} and expires_at > ${now}`;
  return rows[0];
}

/** An organization's tokens that are valid, the newest first. */
export function findScimTokens(sql: Sql, realmId: RealmId, now: number): Promise<ScimTokenRow[]> {
  return sql<ScimTokenRow[]>`
    select * from scim_tokens where realm_id = ${realmId} and expires_at > ${now} order by id desc`;
}

/** Notes that a token is in use, unless that is known. */
export async function noteScimTokenUsed(sql: Sql, id: ScimTokenId, now: number): Promise<void> {
  await sql`update scim_tokens set last_used = ${now} where id = ${id} and last_used <= ${now - usedEverySecs}`;
}

export async function deleteScimToken(sql: Sql, realmId: RealmId, id: ScimTokenId): Promise<void> {
  await sql`delete from scim_tokens where realm_id = ${realmId} and id = ${id}`;
}

export async function deleteExpiredScimTokens(sql: Sql, now: number): Promise<void> {
  await sql`delete from scim_tokens where expires_at <= ${now}`;
}

/** What is known of these accounts. */
export function findScimUsers(sql: Sql, userIds: readonly UserId[]): Promise<ScimUserRow[]> {
  return sql<ScimUserRow[]>`select * from scim_users where user_id = any(${userIds}::bigint[])`;
}

/** @param key in lower case */
export async function findScimUserByName(sql: Sql, realmId: RealmId, key: string): Promise<ScimUserRow | undefined> {
  return (await sql<ScimUserRow[]>`select * from scim_users where realm_id = ${realmId} and user_name_key = ${key}`)[0];
}

/** Ids of the accounts that a directory knows under this id of its own. */
export async function findScimUserIdsByExternalId(sql: Sql, realmId: RealmId, externalId: string): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    select user_id from scim_users where realm_id = ${realmId} and external_id = ${externalId}`;
  return rows.map(({ user_id }) => user_id);
}

/** Ids of the accounts that a directory has deleted. */
export async function findRemovedScimUserIds(sql: Sql, realmId: RealmId): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    select user_id from scim_users where realm_id = ${realmId} and is_removed`;
  return rows.map(({ user_id }) => user_id);
}

export async function putScimUser(sql: Sql, row: ScimUserRow): Promise<void> {
  await sql`
    insert into scim_users (user_id, realm_id, user_name, user_name_key, external_id, attributes, is_removed)
    values (${row.user_id}, ${row.realm_id}, ${row.user_name}, ${row.user_name_key}, ${row.external_id},
      ${JSON.stringify(row.attributes)}::text::jsonb, ${row.is_removed})
    on conflict (user_id) do update set user_name = excluded.user_name, user_name_key = excluded.user_name_key,
      external_id = excluded.external_id, attributes = excluded.attributes, is_removed = excluded.is_removed`;
}

/** The ids by which a directory knows these groups. */
export async function findScimGroupNames(sql: Sql, groupIds: readonly GroupId[]): Promise<Map<GroupId, string>> {
  const rows = await sql<{ group_id: GroupId; external_id: string }[]>`
    select group_id, external_id from scim_groups where group_id = any(${groupIds}::bigint[])`;
  return new Map(rows.map(({ group_id, external_id }) => [group_id, external_id]));
}

/** Ids of the groups that a directory knows under this id of its own. */
export async function findScimGroupIds(sql: Sql, realmId: RealmId, externalId: string): Promise<GroupId[]> {
  const rows = await sql<{ group_id: GroupId }[]>`
    select group_id from scim_groups where realm_id = ${realmId} and external_id = ${externalId}`;
  return rows.map(({ group_id }) => group_id);
}

/** Notes by which id a directory knows a group; undefined: by none. */
export async function putScimGroup(
  sql: Sql,
  realmId: RealmId,
  groupId: GroupId,
  externalId: string | undefined,
): Promise<void> {
  if (externalId === undefined) await sql`delete from scim_groups where group_id = ${groupId}`;
  else
    await sql`
      insert into scim_groups (group_id, realm_id, external_id) values (${groupId}, ${realmId}, ${externalId})
      on conflict (group_id) do update set external_id = excluded.external_id`;
}
