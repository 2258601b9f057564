/** What `parley push-relay` keeps: servers, their organizations, and phones. Times are UNIX seconds. */
import { onlyRow } from "../failures.ts";
import type { Sql } from "../postgres.ts";
import { secretKeyOf } from "../users/credentials.ts";

export interface RelayServer {
  /** A UUID. */
  id: string;
  /** SHA-256. */
  key_hash: Buffer;
  hostname: string;
  last_audit_row: number;
}

export interface RelayPhone {
  kind: "fcm" | "apns";
  token: string;
  appid: string | null;
  /** Null: a phone without a key. */
  token_id: string | null;
}

export async function findRelayServer(sql: Sql, id: string): Promise<RelayServer | undefined> {
  return (await sql<RelayServer[]>`select * from relay_servers where id = ${id}`)[0];
}

/** Adds a server or changes it. Returns undefined if another has its host. */
export async function putRelayServer(
  sql: Sql,
  row: Omit<RelayServer, "last_audit_row"> & { contact_email: string; registered_at: number },
): Promise<{ created: boolean } | undefined> {
  const taken = await sql`select from relay_servers where hostname = ${row.hostname} and id <> ${row.id}`;
  if (taken.length > 0) return undefined;
  const rows = await sql<{ created: boolean }[]>`
    insert into relay_servers (id, key_hash, hostname, contact_email, registered_at)
    values (${row.id}, ${row.key_hash}, ${row.hostname}, ${row.contact_email}, ${row.registered_at})
    on conflict (id) do update set key_hash = excluded.key_hash, hostname = excluded.hostname,
      contact_email = excluded.contact_email
    returning xmax = 0 as created`;
  return rows[0];
}

export async function deleteRelayServer(sql: Sql, id: string): Promise<void> {
  await sql`delete from relay_servers where id = ${id}`;
}

/** @param audit the newest row of the server's audit log that it has told of */
export async function putRelayRealms(
  sql: Sql,
  serverId: string,
  uuids: readonly string[],
  audit: number,
): Promise<void> {
  await sql`
    insert into relay_realms (uuid, server_id)
    select uuid, ${serverId}::uuid from json_array_elements_text(${JSON.stringify(uuids)}::text::json) j(t),
      lateral (select t::uuid as uuid) u
    on conflict do nothing`;
  await sql`update relay_servers set last_audit_row = greatest(last_audit_row, ${audit}) where id = ${serverId}`;
}

/** Whether it is an organization that this server has told of. */
export async function isRelayRealm(sql: Sql, serverId: string, uuid: string): Promise<boolean> {
  return (await sql`select from relay_realms where uuid = ${uuid} and server_id = ${serverId}`).length > 0;
}

/** Adds a phone unless its owner has `most` others. Returns whether it is there. */
export async function putRelayPhone(
  sql: Sql,
  phone: RelayPhone & { server_id: string; owner: string; registered_at: number },
  most: number,
): Promise<boolean> {
  const rows = await sql`
    insert into relay_phones (server_id, owner, token_id, kind, token, appid, registered_at)
    select ${phone.server_id}::uuid, ${phone.owner}::uuid, ${phone.token_id}, ${phone.kind}, ${phone.token},
      ${phone.appid}, ${phone.registered_at}::bigint
    where (select count(*) from relay_phones
      where server_id = ${phone.server_id} and owner = ${phone.owner} and token <> ${phone.token}) < ${most}
    on conflict (server_id, owner, kind, token) do update
      set token_id = excluded.token_id, appid = excluded.appid, registered_at = excluded.registered_at
    returning 1`;
  return rows.length > 0;
}

/** Phones without a key of a person. */
export async function findRelayPhones(sql: Sql, serverId: string, owner: string): Promise<RelayPhone[]> {
  return sql<RelayPhone[]>`
    select kind, token, appid, token_id from relay_phones
    where server_id = ${serverId} and owner = ${owner} and token_id is null order by registered_at, token`;
}

/** Devices of an organization by the names of their tokens. */
export async function findRelayDevices(
  sql: Sql,
  serverId: string,
  realmUuid: string,
  tokenIds: readonly string[],
): Promise<RelayPhone[]> {
  return sql<RelayPhone[]>`
    select kind, token, appid, token_id from relay_phones
    where server_id = ${serverId} and owner = ${realmUuid}
      and token_id in (select json_array_elements_text(${JSON.stringify(tokenIds)}::text::json))`;
}

export async function deleteRelayPhone(
  sql: Sql,
  { server_id, owner, kind, token }: Pick<RelayPhone, "kind" | "token"> & { server_id: string; owner: string },
): Promise<boolean> {
  const rows = await sql`
    delete from relay_phones where server_id = ${server_id} and owner = ${owner} and kind = ${kind}
      and (token = ${token} or kind = 'apns' and lower(token) = lower(${token})) returning 1`;
  return rows.length > 0;
}

export async function deleteRelayPhonesOf(sql: Sql, serverId: string, owner: string): Promise<void> {
  await sql`delete from relay_phones where server_id = ${serverId} and owner = ${owner} and token_id is null`;
}

/** Apple or Google has said that this application is gone from the phone, whoever told of it. */
export async function deleteDeadToken(
  sql: Sql,
  { kind, token, appid }: Pick<RelayPhone, "kind" | "token" | "appid">,
): Promise<void> {
  await sql`
    delete from relay_phones where kind = ${kind} and token = ${token} and appid is not distinct from ${appid}::text`;
}

/** Base64. */
export interface RelayKeys {
  publicKey: string;
  privateKey: string;
}

/** The key pair to which devices seal their tokens. The first call stores the pair that `make` returns. */
export async function readRelayKeys(sql: Sql, make: () => RelayKeys): Promise<RelayKeys> {
  const about = "private key of the push relay";
  const made = make();
  await sql`
    insert into relay_keys (public_key, private_key_sealed)
    values (${made.publicKey}, ${secretKeyOf(sql).seal(about, made.privateKey)}) on conflict do nothing`;
  const rows = await sql<{ public_key: string; private_key_sealed: Buffer }[]>`select * from relay_keys`;
  const { public_key, private_key_sealed } = onlyRow(rows);
  return { publicKey: public_key, privateKey: secretKeyOf(sql).open(about, private_key_sealed) };
}
