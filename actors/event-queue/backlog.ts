/**
 * What a queue's client has yet to get, read back from the log: for a queue that was idle, that comes back after a crash
 * or from another node, or whose client asks again for something it had acknowledged.
 */
import type { LogEntry } from "../realm/entry.ts";
import { receivedBy } from "../realm/recipients.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { EventQueue } from "./queue.ts";

/**
 * Types whose part of the register state is read from PostgreSQL, not from the replica. The two are read at two places in
 * the log, the replica's never the earlier one; between them only events of these types are news to the client.
 */
const storedTypes = new Set([
  "message",
  "realm_bot",
  "update_message",
  "delete_message",
  "update_message_flags",
  "reaction",
  "submessage",
  "drafts",
  "saved_snippets",
  "navigation_view",
  "scheduled_messages",
  "reminders",
  "attachment",
  "invites_changed",
  "device",
  "onboarding_steps",
]);

/**
 * The entries a queue should hold.
 *
 * @param entries the log after `queue.cursor` up to `state.position`, ascending
 */
export function backlogOf(queue: EventQueue, state: RealmState, entries: readonly LogEntry[]): LogEntry[] {
  const user = state.users.get(queue.userId);
  if (!user?.is_active) return [];
  return receivedBy(state, entries, user, queue.registration.all_public_streams).filter(
    ({ position, event }) =>
      position > queue.cursor &&
      (position > queue.snapshotPosition || storedTypes.has(event!.type)) &&
      queue.filter.accepts(event!, queue.userId, state),
  );
}
