/** The registration of this server at a push notification service. There is one at most. Times are UNIX seconds. */
import type { Sql } from "../postgres.ts";
import { secretKeyOf } from "../users/credentials.ts";

export interface PushServiceRow {
  /** Root of the service. */
  url: string;
  /** A UUID, by which the service knows this server. */
  org_id: string;
  /** This server's host, as the service was told. */
  hostname: string;
  contact_email: string;
  /** When the operator agreed to the service's terms. */
  agreed_at: number;
  /** When the service confirmed the registration. Null: it has not. */
  registered_at: number | null;
}

/** What requests to the service are authenticated by. */
export interface PushServiceAccount {
  url: string;
  orgId: string;
  orgKey: string;
}

const about = "key of the push notification service";

export async function findPushService(sql: Sql): Promise<PushServiceRow | undefined> {
  const rows = await sql<PushServiceRow[]>`
    select url, org_id, hostname, contact_email, agreed_at, registered_at from push_service`;
  return rows[0];
}

/**
 * Stores a registration in place of any other. It counts when the service has confirmed it. A new key that waits for
 * the service's word stays.
 */
export async function putPushService(sql: Sql, row: Omit<PushServiceRow, "registered_at">, orgKey: string) {
  const sealed = secretKeyOf(sql).seal(about, orgKey);
  await sql`
    insert into push_service (url, org_id, org_key_sealed, hostname, contact_email, agreed_at)
    values (${row.url}, ${row.org_id}, ${sealed}, ${row.hostname}, ${row.contact_email}, ${row.agreed_at})
    on conflict (is_only) do update set url = excluded.url, org_id = excluded.org_id,
      org_key_sealed = excluded.org_key_sealed, hostname = excluded.hostname,
      contact_email = excluded.contact_email, agreed_at = excluded.agreed_at,
      registered_at = case when push_service.org_id = excluded.org_id and push_service.url = excluded.url
        then push_service.registered_at end,
      new_key_sealed = case when push_service.org_id = excluded.org_id and push_service.url = excluded.url
        then push_service.new_key_sealed end`;
}

/** The service has taken a request by this key. No other waits for its word any more. */
export async function confirmPushService(sql: Sql, orgKey: string, at: number): Promise<void> {
  await sql`
    update push_service set registered_at = ${at}, org_key_sealed = ${secretKeyOf(sql).seal(about, orgKey)},
      new_key_sealed = null`;
}

/** Keeps a key that the service is about to be told. */
export async function putNewPushServiceKey(sql: Sql, newKey: string): Promise<void> {
  await sql`update push_service set new_key_sealed = ${secretKeyOf(sql).seal(about, newKey)}`;
}

/** The key that the service was told, if its answer has not been seen. @throws WrongSecretKey */
export async function findNewPushServiceKey(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ sealed: Buffer | null }[]>`select new_key_sealed as sealed from push_service`;
  return row?.sealed ? secretKeyOf(sql).open(about, row.sealed) : undefined;
}

export async function deletePushService(sql: Sql): Promise<void> {
  await sql`delete from push_service`;
}

/**
 * The account at the service of this address. Undefined: this server has none there.
 *
 * @param confirmed whether the service has to have confirmed it
 * @throws WrongSecretKey
 */
export async function findPushServiceAccount(
  sql: Sql,
  url: string,
  confirmed = true,
): Promise<PushServiceAccount | undefined> {
  const rows = await sql<{ org_id: string; org_key_sealed: Buffer }[]>`
    select org_id, org_key_sealed from push_service
    where url = ${url} and (registered_at is not null or not ${confirmed}::boolean)`;
  const [row] = rows;
  return row && { url, orgId: row.org_id, orgKey: secretKeyOf(sql).open(about, row.org_key_sealed) };
}
