/**
 * The directory: which organization is in which database. It is in the first database, and lists what is elsewhere; an
 * organization that it does not list is in the first one. Hosts are given out here, so two databases never have one.
 */
import type { RealmId } from "../ids.ts";
import { type Database, type Sql, UniqueViolation } from "../postgres.ts";

/** On this channel of the first database nodes hear that a move has begun. */
export const movesChannel = "parley_moves";

const hostsLock = 7_275_539_919;

/** An organization that is not in the first database. */
export interface DirectoryEntry {
  host: string;
  database: string;
  /** Null: it is being made. */
  realm_id: RealmId | null;
}

/** A move that is not over. */
export interface MoveRow {
  realm_id: RealmId;
  host: string;
  source: string;
  target: string;
}

export const readDirectory = (sql: Sql): Promise<DirectoryEntry[]> =>
  sql<DirectoryEntry[]>`select host, database, realm_id from directory`;

export const readMoves = (sql: Sql): Promise<MoveRow[]> =>
  sql<MoveRow[]>`select realm_id, host, source, target from realm_moves`;

/** Nobody else gives a host out until the transaction ends. @throws UniqueViolation when somebody has it */
export async function lockHost(sql: Sql, host: string | null, besides?: RealmId): Promise<void> {
  await sql`select pg_advisory_xact_lock(${hostsLock}::bigint)`;
  if (host === null) return;
  const holders = await sql`
    select from realms where host = ${host} and id is distinct from ${besides ?? null}
    union all select from directory where host = ${host} and (realm_id is null or realm_id <> ${besides ?? 0})`;
  if (holders.length > 0) throw new UniqueViolation("directory_host");
}

/**
 * Makes an organization in another database. A host whose organization never came to be, since a process was killed, is
 * free again for that database.
 * @param make returns its id
 * @throws UniqueViolation when somebody has the host
 */
export async function makeElsewhere<T extends { realmId: RealmId }>(
  first: Database,
  { host, database, other }: { host: string; database: string; other: Database },
  make: (sql: Sql) => Promise<T>,
): Promise<T> {
  await first.transaction(async (sql) => {
    await sql`delete from directory where host = ${host} and database = ${database} and realm_id is null`;
    await lockHost(sql, host);
    await sql`insert into directory (host, database) values (${host}, ${database})`;
  });
  try {
    const made = await other.transaction(make);
    await listIn(first.sql, { host, database, realm_id: made.realmId });
    return made;
  } catch (error) {
    await first.sql`delete from directory where host = ${host} and realm_id is null`.catch(() => {});
    throw error;
  }
}

/** An organization is in another database than the first. */
export async function listIn(sql: Sql, { host, database, realm_id }: DirectoryEntry): Promise<void> {
  await sql`delete from directory where realm_id = ${realm_id}`;
  await sql`
    insert into directory (host, database, realm_id) values (${host}, ${database}, ${realm_id})
    on conflict (host) do update set database = excluded.database, realm_id = excluded.realm_id`;
}

/** An organization, if it is not in the first database, answers to another host. */
export async function rehost(sql: Sql, realmId: RealmId, host: string): Promise<void> {
  await sql`update directory set host = ${host} where realm_id = ${realmId}`;
}

/** An organization is in the first database, or nowhere any more. */
export async function unlist(sql: Sql, realmId: RealmId): Promise<void> {
  await sql`delete from directory where realm_id = ${realmId}`;
}
