/**
 * Reads from the log the entries that a queue's client has yet to get. The queue was idle, is revived after a crash or
 * from another node, or its client asks again for events it had acknowledged.
 */

import { lastOf } from "../../storage/failures.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import { readLogBack } from "../../storage/realm-log.ts";
import { timely } from "../../storage/timely.ts";
import { storedTypes } from "../events/events.ts";
import { bytesOf, type LogEntry } from "../realm/entry.ts";
import type { RealmEnvironment } from "../realm/environment.ts";
import { fromRow } from "../realm/log-row.ts";
import type { RecentLog } from "../realm/recent.ts";
import { receivedBy, WalkBack } from "../realm/recipients.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { EventQueue } from "./queue.ts";

/**
 * The entries a queue should hold.
 *
 * @param entries the log after `queue.cursor` up to `state.position`, ascending
 */
export function backlogOf(queue: EventQueue, state: RealmState, entries: readonly LogEntry[]): LogEntry[] {
  const user = state.users.get(queue.userId);
  if (!user?.is_active) return [];
  return receivedBy(state, entries, user, queue.registration.all_public_streams).filter((entry) =>
    isWanted(queue, state, entry),
  );
}

const isWanted = (queue: EventQueue, state: RealmState, { position, event }: LogEntry): boolean =>
  position > queue.cursor &&
  (position > queue.snapshotPosition || storedTypes.has(event!.type)) &&
  queue.filter.accepts(event!, queue.userId, state);

/** The realm whose log is read. */
export interface LoggedRealm {
  readonly id: RealmId;
  readonly state: RealmState;
  readonly recent: RecentLog;
  readonly database: Database;
  readonly environment: RealmEnvironment;
}

/** Entries read from PostgreSQL at a time. Decoding so many takes a few milliseconds. */
const slice = { rows: 1000, bytes: 1024 * 1024 };
/** A slice that takes longer was lost on the way. */
const sliceOverdueMs = 5000;
/** Entries looked at for a queue, as a multiple of what it may hold: most entries of a large realm are for others. */
const entriesLookedAt = 10;
const bytesLookedAt = 4;

/**
 * The same for everything in the log after `queue.cursor`: from memory as far as that reaches, then from PostgreSQL in
 * slices, the newest first. Undefined: more than a queue may hold, or more than may be looked at for one.
 */
export async function readBacklog(realm: LoggedRealm, queue: EventQueue): Promise<LogEntry[] | undefined> {
  for (;;) {
    const backlog = await readBacklogOnce(realm, queue);
    // The log grew faster than it was read.
    if (backlog !== "again") return backlog;
  }
}

async function readBacklogOnce(realm: LoggedRealm, queue: EventQueue): Promise<LogEntry[] | "again" | undefined> {
  const { state, recent } = realm;
  const { maxBacklogEvents, maxBacklogBytes } = realm.environment.limits;
  if (!state.users.get(queue.userId)?.is_active) return [];
  const walk = new WalkBack(state, queue.userId, queue.registration.all_public_streams);
  let lookedAt = 0;
  let lookedAtBytes = 0;
  let heldBytes = 0;
  let isTooMuch = false;
  const keep = (entries: readonly LogEntry[], received: readonly LogEntry[]): LogEntry[] => {
    const kept = received.filter((entry) => isWanted(queue, state, entry));
    lookedAt += entries.length;
    lookedAtBytes += bytesOf(entries);
    heldBytes += bytesOf(kept);
    isTooMuch ||=
      lookedAt > maxBacklogEvents * entriesLookedAt ||
      lookedAtBytes > maxBacklogBytes * bytesLookedAt ||
      heldBytes > maxBacklogBytes;
    return kept;
  };
  let top = state.position;
  let bottom = Math.max(queue.cursor, recent.floor);
  const inMemory = recent.after(bottom);
  const newest = keep(inMemory, walk.over(inMemory));
  const older: LogEntry[][] = [];
  while (bottom > queue.cursor && !isTooMuch) {
    const { database } = realm;
    const reading = readLogBack(database.sql, realm.id, { after: queue.cursor, upTo: bottom }, slice);
    const rows = await timely(database, sliceOverdueMs, reading);
    if (top < recent.floor) return "again";
    const since = recent.after(top);
    top = state.position;
    newest.push(...keep(since, walk.overNewer(since)));
    if (rows.length === 0) break;
    bottom = lastOf(rows).position - 1;
    const entries = rows.reverse().map(fromRow);
    older.push(keep(entries, walk.over(entries)));
  }
  const backlog = [...older.reverse().flat(), ...newest];
  return isTooMuch || backlog.length > maxBacklogEvents ? undefined : backlog;
}
