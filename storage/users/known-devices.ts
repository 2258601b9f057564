/** What people have logged in with. */
import { onlyRow } from "../failures.ts";
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** Of one person; one more is one forgotten. */
const devicesKept = 100;

export interface KnownDeviceRow {
  user_id: UserId;
  realm_id: RealmId;
  device_hash: Buffer;
  /** UNIX seconds */
  seen_at: number;
}

export async function isRemembered(sql: Sql, userId: UserId | undefined, deviceHash: Buffer): Promise<boolean> {
  const rows = await sql`
    select from known_devices where user_id = ${userId ?? null} and device_hash = ${deviceHash}`;
  return rows.length > 0;
}

/** Notes what somebody logs in with. Returns whether it is the first time. */
export async function rememberDevice(sql: Sql, row: KnownDeviceRow): Promise<boolean> {
  const rows = await sql<{ is_new: boolean }[]>`
    insert into known_devices (user_id, device_hash, realm_id, seen_at)
    values (${row.user_id}, ${row.device_hash}, ${row.realm_id}, ${row.seen_at})
    on conflict (user_id, device_hash) do update set seen_at = excluded.seen_at
    returning xmax = 0 as is_new`;
  const isNew = onlyRow(rows).is_new;
  if (isNew)
    await sql`delete from known_devices where user_id = ${row.user_id} and device_hash in (
      select device_hash from known_devices where user_id = ${row.user_id} order by seen_at desc offset ${devicesKept})`;
  return isNew;
}
