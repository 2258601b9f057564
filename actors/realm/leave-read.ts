/** Whoever leaves a channel has nothing unread in it any more: clients could neither show it nor mark it read. */
import { findUnreadOf, markPairsRead } from "../../storage/read-state.ts";
import type { Tx } from "./tx.ts";

/** Unread messages that are told of each person. Source: spec/clients.md, 12 (unread considered). */
const maxUnread = 50_000;

/**
 * Marks all read that people received in channels they leave, and tells each what of it was unread. Two statements, however
 * many they are.
 *
 * @param pairs as they stand before the subscriptions end
 * @param newest the realm's newest message
 */
export async function markLeftRead(
  tx: Tx,
  pairs: readonly { user_id: number; recipient_id: number }[],
  newest: number,
): Promise<void> {
  const unread = await findUnreadOf(tx.sql, pairs, maxUnread);
  if (unread.length === 0) return;
  tx.write((sql) => markPairsRead(sql, tx.realmId, unread, newest));
  // People of one channel mostly have the same messages unread: they share an event.
  const byMessages = new Map<string, { messages: number[]; ids: number[] }>();
  for (const [userId, messages] of byUser(unread)) {
    const key = messages.join();
    const group = byMessages.get(key);
    if (group) group.ids.push(userId);
    else byMessages.set(key, { messages, ids: [userId] });
  }
  for (const { messages, ids } of byMessages.values()) {
    tx.event(
      { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages, all: false },
      { to: "users", ids },
    );
  }
}

function byUser(rows: readonly { user_id: number; ids: number[] }[]): Map<number, number[]> {
  const lists = new Map<number, number[]>();
  for (const { user_id, ids } of rows) lists.set(user_id, [...(lists.get(user_id) ?? []), ...ids]);
  for (const ids of lists.values()) ids.sort((a, b) => a - b);
  return lists;
}
