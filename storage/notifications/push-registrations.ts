/** What the push notification service is still to be told of phones. Times are UNIX seconds. */
import type { DeviceId, PushRegistrationId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A token is added or removed, all tokens of a user's are removed, or a device with a key has another token. */
export type RegistrationTask = "add" | "remove" | "remove_all" | "device";

export interface RegistrationRow {
  id: PushRegistrationId;
  user_id: UserId;
  task: RegistrationTask;
  /** Of the token that is added or removed. */
  kind: "fcm" | "apns" | null;
  token: string | null;
  appid: string | null;
  device_id: DeviceId | null;
  /** This one included. */
  attempts: number;
  expires_at: number;
}

/** The service drops what it is told too late, or never. */
const keptSecs = 86_400;

type Told = Pick<RegistrationRow, "user_id" | "task"> &
  Partial<Pick<RegistrationRow, "kind" | "token" | "appid" | "device_id">> & { realm_id: RealmId };

/** Has the service told. What it was to be told before of the same phone, or of all, it is not told any more. */
export async function insertRegistration(sql: Sql, told: Told, now: number): Promise<void> {
  const row = { kind: null, token: null, appid: null, device_id: null, ...told };
  await sql`
    with older as (
      delete from push_registrations where user_id = ${row.user_id} and task <> 'remove_all' and (
        ${row.task} = 'remove_all' or kind = ${row.kind} and token = ${row.token} or device_id = ${row.device_id}))
    insert into push_registrations
      (realm_id, user_id, task, kind, token, appid, device_id, next_attempt_at, expires_at)
    values (${row.realm_id}, ${row.user_id}, ${row.task}, ${row.kind}, ${row.token}, ${row.appid}, ${row.device_id},
      ${now}, ${now + keptSecs})`;
}

/** Has the service told of all tokens: it knows none of them yet. */
export async function insertAllRegistrations(sql: Sql, now: number): Promise<number> {
  const result = await sql`
    insert into push_registrations (realm_id, user_id, task, kind, token, appid, next_attempt_at, expires_at)
    select k.realm_id, k.user_id, 'add', k.kind, k.token, k.appid, ${now}::bigint, ${now + keptSecs}::bigint
    from push_tokens k where not exists (
      select from push_registrations r where r.user_id = k.user_id and r.kind = k.kind and r.token = k.token)`;
  return result.count;
}

/** Takes what has been due for longest, for `leaseSecs`. Nothing overtakes the `remove_all` of its user. */
export async function claimRegistrations(
  sql: Sql,
  realmId: RealmId,
  { now, limit, leaseSecs }: { now: number; limit: number; leaseSecs: number },
): Promise<RegistrationRow[]> {
  return sql<RegistrationRow[]>`
    with due as (
      select id from push_registrations r where realm_id = ${realmId} and next_attempt_at <= ${now} and not exists (
        select from push_registrations e where e.user_id = r.user_id and e.task = 'remove_all' and e.id < r.id)
      order by next_attempt_at, id limit ${limit} for update skip locked)
    update push_registrations p set attempts = p.attempts + 1, next_attempt_at = ${now + leaseSecs}::bigint
    from due where p.id = due.id
    returning p.id, p.user_id, p.task, p.kind, p.token, p.appid, p.device_id, p.attempts, p.expires_at`;
}

export async function deleteRegistration(sql: Sql, id: PushRegistrationId): Promise<void> {
  await sql`delete from push_registrations where id = ${id}`;
}

export async function postponeRegistration(sql: Sql, id: PushRegistrationId, at: number): Promise<void> {
  await sql`update push_registrations set next_attempt_at = ${at} where id = ${id}`;
}

/** The service is away: it is told nothing of a realm before `at`. */
export async function postponeRegistrations(sql: Sql, realmId: RealmId, at: number): Promise<void> {
  await sql`
    update push_registrations set next_attempt_at = ${at} where realm_id = ${realmId} and next_attempt_at < ${at}`;
}

/** Realms about whose phones a service that has confirmed this server is to be told now. */
export async function findRealmsWithRegistrations(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from push_registrations
    where next_attempt_at <= ${now} and exists (select from push_service where registered_at is not null)`;
  return rows.map((row) => row.realm_id);
}
