/** What the push notification service is told of organizations, and what it says of them. Times are UNIX seconds. */

import { isServed } from "../directory/served.ts";
import type { RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { RealmRow } from "../rows.ts";

/** Whether the service sends notifications of an organization, and until when, if that is known. */
export interface PushStatus {
  can_push: boolean;
  end_timestamp: number | null;
}

export interface ReportedRealm extends Pick<RealmRow, "id" | "host" | "name" | "date_created" | "uuid" | "settings"> {
  is_deactivated: boolean;
  /** Active people by role, and active bots. */
  humans: Record<string, number>;
  bots: number;
  /** What was told before, as JSON. */
  told_counts: string | null;
}

/** Takes the report that is due, for `leaseSecs`. Of many nodes one gets it. */
export async function claimReport(sql: Sql, now: number, leaseSecs: number): Promise<boolean> {
  const rows = await sql`
    update push_service set next_report_at = ${now + leaseSecs}
    where registered_at is not null and next_report_at <= ${now} returning 1`;
  return rows.length > 0;
}

export async function scheduleReport(sql: Sql, at: number): Promise<void> {
  await sql`update push_service set next_report_at = ${at} where next_report_at <> ${at}`;
}

export async function readReportedRealms(sql: Sql): Promise<ReportedRealm[]> {
  return sql<ReportedRealm[]>`
    select r.id, r.host, r.name, r.date_created, r.uuid, r.settings, r.is_deactivated, s.role_counts as told_counts,
      coalesce((select json_object_agg(c.role, c.people) from (
        select u.role, count(*)::int as people from users u
        where u.realm_id = r.id and u.is_active and not u.is_bot group by u.role) c), '{}'::json) as humans,
      (select count(*)::int from users u where u.realm_id = r.id and u.is_active and u.is_bot) as bots
    from realms r left join push_service_realms s on s.realm_id = r.id where ${isServed(sql)} order by r.id`;
}

/** @param counts as the service was told them; left out, it was told none */
export async function storeStatus(sql: Sql, realmId: RealmId, status: PushStatus, counts?: string): Promise<void> {
  const { can_push, end_timestamp } = status;
  await sql`
    insert into push_service_realms as s (realm_id, can_push, end_timestamp, role_counts)
    select id, ${can_push}, ${end_timestamp}, ${counts ?? null} from realms where id = ${realmId}
    on conflict (realm_id) do update set can_push = excluded.can_push, end_timestamp = excluded.end_timestamp,
      role_counts = coalesce(excluded.role_counts, s.role_counts)
    where s.can_push <> excluded.can_push or s.end_timestamp is distinct from excluded.end_timestamp
      or excluded.role_counts is not null`;
}

/** The service has sent a notification. It is noted once a minute. */
export async function noteWorking(sql: Sql, now: number): Promise<void> {
  await sql`update push_service set working_at = ${now} where working_at < ${now - 60}`;
}

/** The service takes nothing of this server's, unless it did after `since`. */
export async function stopUnlessWorking(sql: Sql, since: number): Promise<void> {
  await sql`
    update push_service_realms set can_push = false, end_timestamp = null
    where can_push and not exists (select from push_service where working_at > ${since})`;
}

export async function findStatus(sql: Sql, realmId: RealmId): Promise<PushStatus | undefined> {
  const rows = await sql<PushStatus[]>`
    select can_push, end_timestamp from push_service_realms where realm_id = ${realmId}`;
  return rows[0];
}

/** Realms whose people are to be told another status, and one that makes the report that is due. */
export async function findRealmsWithStatus(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ id: RealmId }[]>`
    select r.id from push_service_realms s join realms r on r.id = s.realm_id
    where s.can_push <> coalesce((r.settings ->> 'push_notifications_enabled')::boolean, false)
      or s.end_timestamp is distinct from (r.settings ->> 'push_notifications_enabled_end_timestamp')::bigint
    union select min(r.id) from realms r where ${isServed(sql)} and exists (
      select from push_service where registered_at is not null and next_report_at <= ${now}) having min(r.id) is not null`;
  return rows.map(({ id }) => id);
}
