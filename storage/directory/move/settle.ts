/**
 * The end of a move, however it ended. Where the organization is in the source, the move did not happen, and its copy
 * goes. Where it is not, the move happened, and the copy is served.
 */
import { onlyRow } from "../../failures.ts";
import type { RealmId } from "../../ids.ts";
import { type Database, type Sql, takeTime } from "../../postgres.ts";
import { realmsChannel } from "../../realms.ts";
import { firstDatabase } from "../database-list.ts";
import { listIn, type MoveRow, unlist } from "../directory.ts";

const moveLock = 1_727_553_991;

/** An organization is being moved by a process that lives. */
export class BeingMoved extends Error {
  override name = "BeingMoved";
}

/** Runs `body` as the only one that moves an organization: others know by a lock that it lives. @throws BeingMoved */
export async function holdMove<T>(first: Database, realmId: RealmId, body: () => Promise<T>): Promise<T> {
  return first.transaction(async (sql) => {
    const all = onlyRow(
      await sql<{ isHeld: boolean }[]>`
      select pg_try_advisory_xact_lock_shared(${moveLock}::int, 0) as "isHeld"`,
    );
    if (!all.isHeld) throw new BeingMoved("A backup of all databases is being written: try again after it.");
    const own = onlyRow(
      await sql<{ isHeld: boolean }[]>`
      select pg_try_advisory_xact_lock(${moveLock}::int, ${realmId}::int) as "isHeld"`,
    );
    if (!own.isHeld) throw new BeingMoved("The organization is being moved already.");
    return body();
  });
}

/** Runs `body` while nothing moves between databases. Moves under way are waited for. */
export async function withoutMoves<T>(first: Database, body: () => Promise<T>): Promise<T> {
  return first.transaction(async (sql) => {
    await takeTime(sql);
    await sql`select pg_advisory_xact_lock(${moveLock}::int, 0)`;
    return body();
  });
}

/** The organization is in the target alone: it is served there. */
export async function arrive(first: Database, target: Database, move: MoveRow): Promise<void> {
  const { realm_id: realmId, host } = move;
  if (move.target === firstDatabase) await unlist(first.sql, realmId);
  else await listIn(first.sql, { host, database: move.target, realm_id: realmId });
  await target.transaction(async (sql) => {
    await sql`update realms set is_arriving = false where id = ${realmId}`;
    await sql`select pg_notify(${realmsChannel}, '')`;
  });
  await first.sql`delete from realm_moves where realm_id = ${realmId}`;
}

/** The epoch of a copy that may not become the organization any more. */
const givenUp = -1;

/** Whether a copy is there that may become the organization. It stays until the transaction ends. */
export async function holdCopy(sql: Sql, realmId: RealmId): Promise<boolean> {
  const rows = await sql`
    select from realms where id = ${realmId} and is_arriving and writer_epoch <> ${givenUp}::bigint for update`;
  return rows.length > 0;
}

/** Removes the copy, if the organization is still in the source. Returns whether it is. */
export async function dropCopy(first: Database, source: Database, target: Database, move: MoveRow): Promise<boolean> {
  const { realm_id: realmId } = move;
  // The lock waits for a mover that was cut off in the middle. One that goes on finds that its copy was given up.
  const isThere = await source.transaction(async (sql) => {
    const [row] = await sql`select from realms where id = ${realmId} for update`;
    if (row)
      await target.sql`update realms set writer_epoch = ${givenUp}::bigint where id = ${realmId} and is_arriving`;
    return row !== undefined;
  });
  if (!isThere) return false;
  await target.transaction(async (into) => {
    await takeTime(into);
    await into`delete from realm_log where realm_id = ${realmId}`;
    await into`delete from realms where id = ${realmId} and is_arriving`;
  });
  await first.sql`delete from realm_moves where realm_id = ${realmId}`;
  return true;
}

/**
 * Ends a move whose process died. Does nothing while one lives that is at it.
 * @throws StorageUnavailable: nobody knows, so nothing was done
 */
export async function settleMove(first: Database, source: Database, target: Database, move: MoveRow): Promise<void> {
  try {
    await holdMove(first, move.realm_id, async () => {
      if (!(await dropCopy(first, source, target, move))) await arrive(first, target, move);
    });
  } catch (error) {
    if (!(error instanceof BeingMoved)) throw error;
  }
}
