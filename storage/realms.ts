import { createHmac } from "node:crypto";
import type { Installation } from "./cluster/seal.ts";
import { lockHost } from "./directory/directory.ts";
import { isServed } from "./directory/served.ts";
import { onlyRow } from "./failures.ts";
import type { LogPosition, MessageId, RealmId, RecipientId } from "./ids.ts";
import { passOverLostIds } from "./log/lost-ids.ts";
import { type BegunBy, type BegunTerm, nextTerm, positionBlock, type TermRow } from "./log/next-term.ts";
import { type Database, RealmGone, type Sql, translate } from "./postgres.ts";
import type { RealmRow } from "./rows.ts";

/** On this channel of PostgreSQL's nodes hear that organizations have come or gone. */
export const realmsChannel = "parley_realms";

/** Adds an empty organization. @throws UniqueViolation when the host is taken. */
export async function insertRealm(
  sql: Sql,
  realm: { host: string | null; name: string; now: number; settings: RealmRow["settings"]; isDeactivated?: boolean },
): Promise<RealmId> {
  try {
    await lockHost(sql, realm.host);
    // The first writer need not outlast one before it.
    const rows = await sql<{ id: RealmId }[]>`
      insert into realms (host, name, date_created, settings, is_deactivated, writer_serves_reads)
      values (${realm.host}, ${realm.name}, ${realm.now}, ${JSON.stringify(realm.settings)}::text::jsonb,
              ${realm.isDeactivated ?? false}, false)
      returning id`;
    await sql`select pg_notify(${realmsChannel}, '')`;
    return onlyRow(rows).id;
  } catch (error) {
    throw translate(error);
  }
}

/** The organizations that nodes serve. */
export async function findRealms(sql: Sql): Promise<Pick<RealmRow, "id" | "host" | "name" | "is_deactivated">[]> {
  return sql<RealmRow[]>`
    select r.id, r.host, r.name, r.is_deactivated from realms r where ${isServed(sql)} order by r.id`;
}

/** The same for a node. Of each row `isAlone` says whether there is no other, not even one that is being imported. */
export async function findHosts(sql: Sql): Promise<(Pick<RealmRow, "id" | "host"> & { isAlone: boolean })[]> {
  return sql<(RealmRow & { isAlone: boolean })[]>`
    select r.id, r.host, (select count(*) from realms where not is_arriving) = 1 as "isAlone"
    from realms r where ${isServed(sql)} order by r.id`;
}

/** Whether an organization is in this database, as something else than the copy of one that is being moved. */
export async function isHere(sql: Sql, id: RealmId): Promise<boolean> {
  return (await sql`select from realms where id = ${id} and not is_arriving`).length > 0;
}

/** Whether there is any organization, served or not. */
export async function hasRealms(sql: Sql): Promise<boolean> {
  return (await sql`select from realms limit 1`).length > 0;
}

/** Organizations whose import has not ended. */
export async function findUnfinished(sql: Sql): Promise<Pick<RealmRow, "id" | "host" | "name">[]> {
  return sql<RealmRow[]>`
    select id, host, name from realms where id in (select realm_id from imports) order by id`;
}

type RealmSummary = Pick<RealmRow, "id" | "host" | "name" | "is_deactivated"> & {
  people: number;
  is_unfinished: boolean;
};

/** Every organization, with how many people it has, and whether its import has not ended. */
export async function summarizeRealms(sql: Sql): Promise<RealmSummary[]> {
  return sql`
    select r.id, r.host, r.name, r.is_deactivated, exists (select from imports i where i.realm_id = r.id) as is_unfinished,
      (select count(*)::int from users u where u.realm_id = r.id and u.is_active and not u.is_bot) as people
    from realms r where not r.is_arriving order by r.id`;
}

/** Deletes an organization with everything that belongs to it. Commits under way are waited for; none comes after. */
export async function deleteRealm(database: Database, id: number): Promise<void> {
  await unhindered(database, async (sql) => {
    await sql`select from realms where id = ${id} for update`;
    await sql`delete from realm_log where realm_id = ${id}`;
    await sql`delete from realms where id = ${id}`;
    await sql`select pg_notify(${realmsChannel}, '')`;
  });
}

/** What its nodes call this installation where others may be, and their key; a copy of its database has others. */
export async function readInstallation(sql: Sql): Promise<Installation> {
  const rows = await sql<{ name: string; node_key: Buffer }[]>`
    select id || '.' || current_database() as name, node_key from installation`;
  const { name, node_key } = onlyRow(rows);
  return { name, key: createHmac("sha256", node_key).update(name).digest() };
}

/** Signs the addresses of other sites' media. Rendered messages keep those, so a copy of the database has the same. */
export async function readContentKey(sql: Sql): Promise<Buffer> {
  const rows = await sql<{ node_key: Buffer }[]>`select node_key from installation`;
  return createHmac("sha256", onlyRow(rows).node_key).update("external content").digest();
}

const messageIdBlock = 1000;

/** A session that has held a successor up for this long is ended: its process sleeps, or was cut off without a word. */
const holdUpMs = 1000;

/**
 * Starts a writer's term: nobody with an older epoch can commit any more. Commits under way are waited for, but not for
 * ever: a process that sleeps in the middle of a transaction loses its session.
 *
 * @throws TermOutrun, StorageUnavailable
 */
export async function beginTerm(database: Database, realmId: RealmId, by: BegunBy): Promise<BegunTerm> {
  return unhindered(database, async (sql) => {
    const [before] = await sql<TermRow[]>`
      select writer_epoch as epoch, position_reserved as reserved, writer_serves_reads as "isServed", writer_node as node,
        writer_system as system, writer_timeline as timeline
      from realms where id = ${realmId} for no key update`;
    if (!before) throw new RealmGone(`organization ${realmId} was deleted`);
    // This connection leads there: one to an older PostgreSQL ends before a newer one is known.
    const answering = database.answering;
    const { row, begun } = nextTerm(before, { ...by, answering });
    await sql`
      update realms set writer_epoch = ${row.epoch}::bigint, position_reserved = ${row.reserved}::bigint,
        writer_serves_reads = ${row.isServed}, writer_node = ${row.node},
        writer_system = ${row.system}, writer_timeline = ${row.timeline}
      where id = ${realmId}`;
    await passOverLostIds(sql, answering, begun.isLossKnown);
    return begun;
  });
}

/**
 * Sees to it that nothing more is committed under an epoch, whose writer has stopped and answers no reads. What is
 * under way is waited for, or ended. Another writer may have done so already.
 * @throws StorageUnavailable
 */
export async function closeEpoch(database: Database, realmId: RealmId, epoch: number): Promise<void> {
  await unhindered(
    database,
    (sql) => sql`
      update realms set writer_epoch = writer_epoch + 1, writer_serves_reads = false
      where id = ${realmId} and writer_epoch = ${epoch}`,
  );
}

/** Runs a transaction that nobody holds up for long: see `holdUpMs`. */
async function unhindered<T>(database: Database, body: (sql: Sql) => Promise<T>): Promise<T> {
  let watch: NodeJS.Timeout | undefined;
  try {
    return await database.transaction(async (sql) => {
      const { pid } = onlyRow(await sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
      watch = setInterval(() => void endBlockers(database.sql, pid), holdUpMs);
      return body(sql);
    });
  } finally {
    clearInterval(watch);
  }
}

/**
 * Ends the sessions that another one waits for. PostgreSQL's own limit for a transaction that idles does not count
 * while it waits for the second half of a statement. A process that stops just then would hold its locks for as long as
 * it sleeps. A commit that waits for its standby is left alone: ended, it would be seen by readers, and a promotion
 * would take it back.
 */
async function endBlockers(sql: Sql, pid: number): Promise<void> {
  await sql`
    select pg_terminate_backend(blocker.pid)
    from unnest(pg_blocking_pids(${pid})) as blocker (pid) join pg_stat_activity session using (pid)
    where session.wait_event is distinct from 'SyncRep'`.catch(() => {});
}

/** No node of this term, or of an older one, answers reads from memory any more: a successor need not wait. */
export async function endTerm(sql: Sql, realmId: RealmId, epoch: number): Promise<void> {
  await sql`
    update realms set writer_serves_reads = false
    where id = ${realmId} and writer_epoch = ${epoch} and writer_serves_reads`;
}

/** Sets aside the next block of positions. Returns the new high-water mark, or undefined when the term is over. */
export async function reservePositions(
  database: Database,
  realmId: RealmId,
  epoch: number,
): Promise<LogPosition | undefined> {
  try {
    const rows = await database.sql<{ reserved: LogPosition }[]>`
      update realms set position_reserved = position_reserved + ${positionBlock}
      where id = ${realmId} and writer_epoch = ${epoch} returning position_reserved as reserved`;
    return rows[0]?.reserved;
  } catch (error) {
    throw translate(error);
  }
}

/** No position above this one was handed out. */
export async function reservedPosition(sql: Sql, realmId: RealmId): Promise<LogPosition> {
  const rows = await sql<
    { reserved: LogPosition }[]
  >`select position_reserved as reserved from realms where id = ${realmId}`;
  return rows[0]?.reserved ?? 0;
}

/**
 * Claims positions up to `last`, and a block more, in the transaction that uses them. For a command that takes more
 * than were held in advance. The transaction holds the realm's row shared already, by its fence.
 */
export async function claimPositions(
  sql: Sql,
  realmId: RealmId,
  epoch: number,
  last: LogPosition,
): Promise<LogPosition> {
  const rows = await sql<{ reserved: LogPosition }[]>`
    update realms set position_reserved = greatest(position_reserved, ${last}) + ${positionBlock}
    where id = ${realmId} and writer_epoch = ${epoch} returning position_reserved as reserved`;
  return onlyRow(rows).reserved;
}

/** A block of message ids nobody else has: `next` is the first, `end` the one after the last. */
export async function reserveMessageIds(database: Database): Promise<{ next: MessageId; end: MessageId }> {
  try {
    const rows = await database.sql<{ next: MessageId }[]>`select nextval('message_id_blocks') as next`;
    return { next: onlyRow(rows).next, end: onlyRow(rows).next + messageIdBlock };
  } catch (error) {
    throw translate(error);
  }
}

export type IdSequence =
  | "user_ids"
  | "channel_ids"
  | "group_ids"
  | "recipient_ids"
  | "linkifier_ids"
  | "playground_ids"
  | "profile_field_ids"
  | "object_ids";

/** What an id of a sequence may be taken for. */
export type IdOf<S extends IdSequence> = S extends "recipient_ids" ? RecipientId : number;

/** The next `count` ids of a sequence. */
export async function nextIds<S extends IdSequence>(sql: Sql, sequence: S, count: number): Promise<IdOf<S>[]> {
  if (count === 0) return [];
  const rows = await sql<
    { id: IdOf<S> }[]
  >`select nextval(${sequence}::text::regclass) as id from generate_series(1, ${count}::int)`;
  return rows.map((row) => row.id);
}

/** The last start of the server that a realm's clients were told of, UNIX seconds. */
export async function readToldGeneration(sql: Sql, realmId: RealmId): Promise<number | null> {
  const rows = await sql<{ told: number | null }[]>`
    select server_generation as told from realms where id = ${realmId}`;
  return rows[0]?.told ?? null;
}

export async function writeToldGeneration(sql: Sql, realmId: RealmId, generation: number): Promise<void> {
  await sql`update realms set server_generation = ${generation} where id = ${realmId}`;
}
