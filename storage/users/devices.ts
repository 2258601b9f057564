import type { DeviceId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A device as its clients see it. Times are UNIX seconds. */
export interface DeviceRecord {
  push_key_id: number | null;
  push_token_id: string | null;
  pending_push_token_id: string | null;
  push_token_last_updated_timestamp: number | null;
  push_registration_error_code: string | null;
}

/** A client's device, and what it needs to get notifications that nobody else can read. */
export interface DeviceRow extends DeviceRecord {
  id: DeviceId;
  realm_id: RealmId;
  user_id: UserId;
  date_created: number;
  /** Base64. */
  push_key: string | null;
  push_token_kind: "fcm" | "apns" | null;
  /** The relay's key to which `encrypted_push_registration` is sealed. */
  bouncer_public_key: string | null;
  encrypted_push_registration: string | null;
}

/** Somebody's devices, oldest first. */
export async function findDevices(sql: Sql, userId: UserId): Promise<DeviceRow[]> {
  return sql<DeviceRow[]>`select * from devices where user_id = ${userId} order by id`;
}

export async function findDevice(sql: Sql, userId: UserId, id: DeviceId): Promise<DeviceRow | undefined> {
  return (await sql<DeviceRow[]>`select * from devices where id = ${id} and user_id = ${userId}`)[0];
}

/** Adds a device, or replaces the one of that id. */
export async function putDevice(sql: Sql, row: DeviceRow): Promise<void> {
  await sql`
    insert into devices select r.* from json_populate_record(null::devices, ${JSON.stringify(row)}::text::json) r
    on conflict (id) do update set push_key_id = excluded.push_key_id, push_key = excluded.push_key,
      push_token_id = excluded.push_token_id, pending_push_token_id = excluded.pending_push_token_id,
      push_token_kind = excluded.push_token_kind,
      push_token_last_updated_timestamp = excluded.push_token_last_updated_timestamp,
      push_registration_error_code = excluded.push_registration_error_code,
      bouncer_public_key = excluded.bouncer_public_key,
      encrypted_push_registration = excluded.encrypted_push_registration`;
}

export async function deleteDevice(sql: Sql, userId: UserId, id: DeviceId): Promise<void> {
  await sql`delete from devices where id = ${id} and user_id = ${userId}`;
}

/** Deletes what a user's phones are told by: devices, and tokens of the older kind. */
export async function deletePhones(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from devices where user_id = ${userId}`;
  await sql`delete from push_tokens where user_id = ${userId}`;
}

/** A device token of the older kind, for notifications that the relay can read. */
export interface PushTokenRow {
  kind: "fcm" | "apns";
  token: string;
  appid: string | null;
}

export async function findPushTokens(sql: Sql, userId: UserId): Promise<PushTokenRow[]> {
  return sql<PushTokenRow[]>`
    select kind, token, appid from push_tokens where user_id = ${userId} order by date_created, token`;
}

/** Of these, those that the push notification service has been told of. */
export async function findRegisteredTokens(sql: Sql, userId: UserId): Promise<PushTokenRow[]> {
  return sql<PushTokenRow[]>`
    select k.kind, k.token, k.appid from push_tokens k where k.user_id = ${userId} and not exists (
      select from push_registrations r where r.user_id = k.user_id and r.kind = k.kind and r.token = k.token)
    order by k.date_created, k.token`;
}

export async function putPushToken(
  sql: Sql,
  row: PushTokenRow & { user_id: UserId; realm_id: RealmId; date_created: number },
): Promise<void> {
  await sql`
    insert into push_tokens (user_id, kind, token, realm_id, appid, date_created)
    values (${row.user_id}, ${row.kind}, ${row.token}, ${row.realm_id}, ${row.appid}, ${row.date_created})
    on conflict (user_id, kind, token) do update set appid = excluded.appid`;
}

/** Whether there was such a token. */
export async function hasPushToken(sql: Sql, userId: UserId, kind: string, token: string): Promise<boolean> {
  const rows = await sql`select 1 from push_tokens where user_id = ${userId} and kind = ${kind} and token = ${token}`;
  return rows.length > 0;
}

/** Deletes tokens. Those of Apple's are hexadecimal digits, of either case. */
export async function deletePushTokens(
  sql: Sql,
  userId: UserId,
  tokens: readonly Pick<PushTokenRow, "kind" | "token">[],
): Promise<void> {
  await sql`
    delete from push_tokens k using json_to_recordset(${JSON.stringify(tokens)}::text::json) as g(kind text, token text)
    where k.user_id = ${userId} and k.kind = g.kind
      and (k.token = g.token or k.kind = 'apns' and lower(k.token) = lower(g.token))`;
}

export async function deletePushToken(sql: Sql, userId: UserId, kind: string, token: string): Promise<void> {
  await sql`delete from push_tokens where user_id = ${userId} and kind = ${kind} and token = ${token}`;
}
