/** Reading a realm's replica from PostgreSQL, in one snapshot. */
import type { Database } from "../../storage/postgres.ts";
import { readLogTail } from "../../storage/realm-log.ts";
import { readOverrides, readSubscriptions, readTable, stateTables } from "../../storage/tables.ts";
import type { LogEntry } from "./entry.ts";
import type { RealmState } from "./state/state.ts";
import { fromRow } from "./writer.ts";

/** What clients that come back after a restart ask for, and what they may send again. */
const newestRows = 2000;

/**
 * Fills an empty replica. A large one takes its time, and others are served meanwhile.
 * @returns the newest entries of its log, ascending, up to its position
 */
export async function loadReplica(database: Database, state: RealmState): Promise<LogEntry[]> {
  return database.transaction(async (sql) => {
    const newest = await readLogTail(sql, state.id, newestRows);
    state.position = newest.at(-1)?.position ?? 0;
    for (const table of stateTables) {
      if (table === "subscriptions") continue;
      for await (const rows of readTable(sql, table, state.id)) state.applyRows(table, rows);
    }
    for await (const people of readSubscriptions(sql, state.id))
      for (const person of people) state.subscriptions.load(person);
    state.applyRows("subscriptions", await readOverrides(sql, state.id));
    return newest.map(({ position, entry }) => fromRow(position, entry));
  }, "isolation level repeatable read read only");
}
