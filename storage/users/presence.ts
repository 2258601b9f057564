import type { LogPosition, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** When somebody was last online. Times are UNIX seconds, 0 for never. */
export interface PresenceRow {
  user_id: UserId;
  /** Last seen using a device. */
  active_at: number;
  /** Last seen connected, active or not. */
  idle_at: number;
  /** Position in the realm's log at which this became known. */
  update_id: LogPosition;
}

/** All stored presence of a realm, oldest update first. */
export async function readPresence(sql: Sql, realmId: RealmId): Promise<PresenceRow[]> {
  return sql<PresenceRow[]>`
    select user_id, coalesce(active_at, 0) as active_at, coalesce(idle_at, 0) as idle_at, update_id
    from presence where realm_id = ${realmId} order by update_id, user_id`;
}

/** Stores a batch. Later updates by another node stay. Of deleted accounts nothing is stored. */
export async function savePresence(sql: Sql, realmId: RealmId, rows: readonly PresenceRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into presence (user_id, realm_id, active_at, idle_at, update_id)
    select r.user_id, ${realmId}::int, r.active_at, r.idle_at, r.update_id
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(user_id bigint, active_at bigint, idle_at bigint, update_id bigint)
    where not exists (select from users u where u.id = r.user_id and u.is_deleted)
    on conflict (user_id) do update
      set active_at = excluded.active_at, idle_at = excluded.idle_at, update_id = excluded.update_id
      where presence.update_id < excluded.update_id`;
}
