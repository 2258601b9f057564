/**
 * An organization moves to another database, with the ids and everything else that it has.
 *
 * | Step     | What happens                                                                     |
 * | announce | The directory lists the move.                                                    |
 * | copy     | Most rows are copied, while people chat.                                         |
 * | stop     | Its row in the source is locked. Changes wait, reads go on.                      |
 * | renew    | What changed since is copied, and all small tables. The target commits.          |
 * | delete   | The source deletes the organization and commits. From here on it has moved.      |
 * | arrive   | The target serves it, and the directory says so.                                 |
 *
 * Whether it is in the source decides where it is. While it is there, the copy in the target counts for nothing, and is
 * removed when a move ends early (`settle.ts`). The lock is the source's transaction, so a process that dies gives
 * everything back. Writers are fenced as by any other deletion: those that waited find no row to commit under.
 */
import { firstOf, onlyRow } from "../../failures.ts";
import type { RealmId } from "../../ids.ts";
import { type Database, type Sql, StorageConflict, takeTime } from "../../postgres.ts";
import { makeLogDays } from "../../realm-log.ts";
import { realmsChannel } from "../../realms.ts";
import { type MoveRow, movesChannel } from "../directory.ts";
import { passIds, readIdEnds } from "../membership.ts";
import { copyRows, renewRows } from "./copy-rows.ts";
import { type RealmTable, readRealmTables } from "./realm-tables.ts";
import { arrive, dropCopy, holdCopy, holdMove } from "./settle.ts";

/** Nothing was done, or all of it was undone: why, in a sentence. */
export class NotMoved extends Error {
  override name = "NotMoved";
}

export type MoveStep = "announce" | "copy" | "stop" | "renew" | "delete" | "arrive";

export interface MoveParts {
  /** It has the directory. */
  first: Database;
  source: Database;
  target: Database;
  /** Called before each step, and waited for. */
  onStep(step: MoveStep): void | Promise<void>;
}

/**
 * @returns for how many milliseconds nothing could be changed
 * @throws NotMoved, StorageUnavailable; if the process dies nodes end the move
 */
export async function moveToDatabase(parts: MoveParts, move: MoveRow): Promise<number> {
  const { first, source, target, onStep } = parts;
  return holdMove(first, move.realm_id, async () => {
    await onStep("announce");
    const [earlier] = await first.sql`select from realm_moves where realm_id = ${move.realm_id}`;
    if (earlier) throw new NotMoved("A move that ended early is being undone: try again in a moment.");
    await first.sql`
      insert into realm_moves (realm_id, host, source, target)
      values (${move.realm_id}, ${move.host}, ${move.source}, ${move.target})`;
    await first.sql`select pg_notify(${movesChannel}, '')`;
    let began = performance.now();
    try {
      await onStep("copy");
      const since = await copyMost(source, target, move.realm_id);
      await insist(() => replace(parts, move.realm_id, since, () => (began = performance.now())));
    } catch (error) {
      // Nobody may know whether the deletion was stored. The source says so; nodes ask it if this process cannot.
      const isThere = await dropCopy(first, source, target, move).catch(() => true);
      if (isThere) throw error;
    }
    await onStep("arrive");
    await arrive(first, target, move);
    return performance.now() - began;
  });
}

/** Returns what tells rows that are newer than the copy. */
async function copyMost(source: Database, target: Database, realmId: RealmId): Promise<string> {
  return source.transaction(async (from) => {
    await takeTime(from);
    const { oldest } = onlyRow(
      await from<{ oldest: string }[]>`
      select (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text as oldest`,
    );
    const tables = await readRealmTables(from);
    await checkColumns(tables, target);
    const days = await from<{ day: number }[]>`
      select distinct logged_at / 86400 as day from realm_log where realm_id = ${realmId}`;
    await makeLogDays(
      target,
      days.map(({ day }) => day),
    );
    await target.transaction(async (into) => {
      await takeTime(into);
      await copyRealmRow(from, into, firstOf(tables), realmId);
      for (const table of tables.filter(({ isLarge }) => isLarge)) await copyRows(from, into, table, table.of(realmId));
    });
    return oldest;
  }, "isolation level repeatable read read only");
}

/** @throws NotMoved: a newer Parley has changed one of the two */
async function checkColumns(tables: readonly RealmTable[], target: Database): Promise<void> {
  const theirs = new Map(
    (await readRealmTables(target.sql)).map(({ name, columns }) => [name, columns.toSorted().join()]),
  );
  const other = tables.find(({ name, columns }) => theirs.get(name) !== columns.toSorted().join());
  if (other) throw new NotMoved(`The tables of both databases differ (${other.name}): run parley migrate.`);
}

/** Copies the organization's own row, so that nobody serves it. The new writer begins on another PostgreSQL. */
async function copyRealmRow(from: Sql, into: Sql, table: RealmTable, realmId: RealmId): Promise<void> {
  await into`create temp table arriving_realm on commit drop as select * from realms limit 0`;
  await copyRows(from, into, table, table.of(realmId), "arriving_realm");
  await into`update arriving_realm set is_arriving = true, writer_system = null, writer_timeline = null`;
  const columns = table.columns.map((column) => `"${column}"`).join(", ");
  const renewed = table.columns.map((column) => `"${column}" = excluded."${column}"`).join(", ");
  // Unsafe: names of columns are no parameters.
  await into.unsafe(
    `insert into realms (${columns}) select ${columns} from arriving_realm on conflict (id) do update set ${renewed}`,
  );
}

/** What nodes work on without the fence of the organization's row. */
const workTables = new Set([
  "emails",
  "missed_messages",
  "notification_cursors",
  "push_notifications",
  "push_registrations",
  "sessions",
  "webhook_calls",
]);

/** Whoever is at a piece of work has it, and is waited for; afterwards nobody finds it here. */
async function lockWork(from: Sql, tables: readonly RealmTable[], realmId: RealmId): Promise<void> {
  for (const { name, of } of tables) {
    if (!workTables.has(name)) continue;
    // Unsafe: a table's name is no parameter.
    await from.unsafe(`select from "${name}" where ${of(realmId)} for update`);
  }
}

/** How often a stop is tried that others were in the way of. */
const attempts = 3;

/** Nodes may hold such a row and wait for another: PostgreSQL ends one of both, and nothing was done. */
async function insist(work: () => Promise<void>): Promise<void> {
  for (let left = attempts - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageConflict) || left === 0) throw error;
    }
  }
}

/** The part in which the organization stands still. @param onStop called when it begins */
async function replace(
  { source, target, onStep }: MoveParts,
  realmId: RealmId,
  since: string,
  onStop: () => void,
): Promise<void> {
  await source.transaction(async (from) => {
    await takeTime(from);
    await onStep("stop");
    onStop();
    const tables = await readRealmTables(from);
    await lockWork(from, tables, realmId);
    const [locked] = await from`select from realms where id = ${realmId} for update`;
    if (!locked) throw new NotMoved("The organization was deleted meanwhile.");
    await onStep("renew");
    const ends = await readIdEnds(from);
    await target.transaction(async (into) => {
      await takeTime(into);
      await passIds(into, ends);
      if (!(await holdCopy(into, realmId)))
        throw new NotMoved("The copy was removed meanwhile, as of a move that ended early.");
      await copyRealmRow(from, into, firstOf(tables), realmId);
      for (const table of tables.slice(1))
        await (table.isLarge
          ? renewRows(from, into, table, { realmId, since })
          : copyRows(from, into, table, table.of(realmId)));
    });
    await onStep("delete");
    await from`delete from realm_log where realm_id = ${realmId}`;
    await from`delete from realms where id = ${realmId}`;
    await from`select pg_notify(${realmsChannel}, '')`;
  });
}
