/** Reading a realm's replica from PostgreSQL, in one snapshot. */
import { AbortableDatabase } from "../../storage/abortable.ts";
import { type Database, takeTime } from "../../storage/postgres.ts";
import { readLogBack } from "../../storage/realm-log.ts";
import { readOverrides, readSubscriptions, readTable, stateTables } from "../../storage/tables.ts";
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

  /** It does not count any more. What it asks PostgreSQL ends soon, and the next one does not wait for it. */
  drop(): void {
    this.#database?.abort();
    this.#database = undefined;
  }
}

/**
 * Fills an empty replica. A large one takes its time, and others are served meanwhile.
 * @param newestBytes how much of the log is read beside it, at most
 * @returns the newest entries of its log, ascending, up to its position
 */
export async function loadReplica(database: Database, state: RealmState, newestBytes: number): Promise<LogEntry[]> {
  const pieces = <T>(rows: AsyncIterable<T>) => timelyPieces(database, pieceOverdueMs, rows);
  return database.transaction(async (sql) => {
    await timely(database, pieceOverdueMs, takeTime(sql));
    const all = { after: -1, upTo: Number.MAX_SAFE_INTEGER };
    const newest = await timely(
      database,
      pieceOverdueMs,
      readLogBack(sql, state.id, all, { rows: newestRows, bytes: newestBytes }),
    );
    state.position = newest[0]?.position ?? 0;
    for (const table of stateTables) {
      if (table === "subscriptions") continue;
      for await (const rows of pieces(readTable(sql, table, state.id))) state.applyRows(table, rows);
    }
    for await (const people of pieces(readSubscriptions(sql, state.id)))
      for (const person of people) state.subscriptions.load(person);
    state.applyRows("subscriptions", await timely(database, pieceOverdueMs, readOverrides(sql, state.id)));
    return newest.reverse().map(fromRow);
  }, "isolation level repeatable read read only");
}
