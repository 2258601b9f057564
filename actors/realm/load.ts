/** Reading a realm's replica from PostgreSQL, in one snapshot. */
import { AbortableDatabase } from "../../storage/abortable.ts";
import { type Database, takeTime } from "../../storage/postgres.ts";
import { readLogBack } from "../../storage/realm-log.ts";
import { readFewRows, readOverrides, readSubscriptions, readTable, stateTables } from "../../storage/tables.ts";
import { timely, timelyPieces } from "../../storage/timely.ts";
import type { LogEntry } from "./entry.ts";
import { fromRow } from "./log-row.ts";
import type { RealmState } from "./state/state.ts";

/** Enough for clients that return after a restart: for their queues, and to recognize repeated sends. */
const newestRows = 2000;
/** A query for a piece of a table that takes longer counts as lost. */
const pieceOverdueMs = 5000;

/** The load of a realm that counts, if one is under way. */
export class CurrentLoad {
  #database: AbortableDatabase | undefined;

  begin(whole: Database): { database: Database; isDropped(): boolean } {
    const database = new AbortableDatabase(whole);
    this.#database = database;
    return { database, isDropped: () => this.#database !== database };
  }

  /** It does not count any more. What it asks PostgreSQL ends at once, and the next one does not wait for it. */
  drop(): void {
    this.#database?.abort();
    this.#database = undefined;
  }
}

/** Tables that are read by themselves, in the order in which they are applied. */
const tables = stateTables.filter((table) => table !== "subscriptions");

/**
 * Fills an empty replica. What is small is asked for at once, in one round trip: all nodes load again after a
 * promotion. A large table takes its time, and others are served meanwhile.
 * @param newestBytes how much of the log is read beside it, at most
 * @returns the newest entries of its log, ascending, up to its position
 */
export async function loadReplica(database: Database, state: RealmState, newestBytes: number): Promise<LogEntry[]> {
  const pieces = <T>(rows: AsyncIterable<T>) => timelyPieces(database, pieceOverdueMs, rows);
  return database.transaction(async (sql) => {
    const all = { after: -1, upTo: Number.MAX_SAFE_INTEGER };
    const asked = Promise.all([
      takeTime(sql),
      Promise.all(tables.map((table) => readFewRows(sql, table, state.id))),
      readLogBack(sql, state.id, all, { rows: newestRows, bytes: newestBytes }),
    ]);
    const [, small, newest] = await timely(database, pieceOverdueMs, asked);
    state.position = newest[0]?.position ?? 0;
    for (const [index, table] of tables.entries()) {
      const rows = small[index];
      if (rows) state.applyRows(table, rows);
      else for await (const batch of pieces(readTable(sql, table, state.id))) state.applyRows(table, batch);
    }
    for await (const people of pieces(readSubscriptions(sql, state.id)))
      for (const person of people) state.subscriptions.load(person);
    state.applyRows("subscriptions", await timely(database, pieceOverdueMs, readOverrides(sql, state.id)));
    return newest.reverse().map(fromRow);
  }, "isolation level repeatable read read only");
}
