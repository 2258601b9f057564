/** Whose lists an entry of the log changes, of those that a register tells: drafts, stars, devices and the like. */
import type { UserId } from "../../storage/ids.ts";
import { listTypes, type RealmEvent } from "../events/events.ts";
import type { LogEntry } from "../realm/entry.ts";

/** Lists that an entry makes unknown. */
export interface ListChanges {
  /** Null: everybody's. */
  of: readonly UserId[] | null;
}

/**
 * The lists that are not known any more after an entry. Undefined: none. Stars, and direct messages that come, are not
 * in it: `ReaderStates` sees to them.
 */
export function listChanges({ changes, event, audience }: LogEntry): ListChanges | undefined {
  const of: UserId[] = [];
  for (const change of changes ?? []) {
    if (change.table !== "users") continue;
    // An administrator's list has all bots. What else an account's row says may have emptied its own lists.
    if ((change.remove?.length ?? 0) > 0 || change.put?.some((row) => row.is_bot)) return { of: null };
    for (const row of change.put ?? []) of.push(row.id);
  }
  if (event && isAboutList(event)) {
    if (audience?.to !== "users") return { of: null };
    of.push(...audience.ids);
  }
  return of.length > 0 ? { of } : undefined;
}

function isAboutList(event: RealmEvent): boolean {
  // The direct conversation may have another newest message.
  if (event.type === "delete_message") return event.message_type === "private";
  return listTypes.has(event.type);
}
