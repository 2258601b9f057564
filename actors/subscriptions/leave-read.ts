/**
 * Nobody has anything unread in a channel that they are not in: clients could neither show it nor mark it read. So it
 * is marked when a person leaves a channel, and when messages leave for a channel that a person is not in.
 */
import { findUnreadAmong, findUnreadOf, markPairsRead } from "../../storage/messages/read-state.ts";
import type { Tx } from "../realm/transaction.ts";

/** Unread messages that are told of each person. https://zulip.com/api/register-queue */
const maxUnread = 50_000;

/**
 * Marks all read that people received in channels they leave, and tells them what of it was unread. Two statements,
 * however many they are.
 *
 * @param pairs as they stand before the subscriptions end
 * @param newest the realm's newest message
 */
export async function markLeftRead(
  tx: Tx,
  pairs: readonly { user_id: number; recipient_id: number }[],
  newest: number,
): Promise<void> {
  const unread = await findUnreadOf(tx.sql, pairs, newest, maxUnread);
  if (unread.length === 0) return;
  const read = unread.flatMap(({ recipient_id, user_ids }) => user_ids.map((user_id) => ({ user_id, recipient_id })));
  tx.write((sql) => markPairsRead(sql, tx.realmId, read, newest));
  // People who leave several channels are told of all of them at once.
  const byPeople = new Map<string, Unread>();
  for (const { user_ids, ids } of unread) {
    const key = user_ids.join();
    const group = byPeople.get(key);
    byPeople.set(key, { user_ids, ids: group ? [...group.ids, ...ids] : ids });
  }
  for (const { user_ids, ids } of byPeople.values()) tellRead(tx, { user_ids, ids: ids.sort((a, b) => a - b) });
}

/**
 * For messages that go to a channel which some of those who received them are not in, and are read there. Returns what
 * tells each what of it was unread: for after they are told where it went.
 *
 * @param outsiders people who can still read them there
 */
export async function findMovedRead(
  tx: Tx,
  recipientId: number,
  outsiders: readonly number[],
  ids: readonly number[],
): Promise<() => void> {
  const unread = await findUnreadAmong(tx.sql, recipientId, outsiders, ids);
  return () => {
    for (const group of unread) tellRead(tx, group);
  };
}

/** Messages that the same people have unread. */
interface Unread {
  ids: number[];
  user_ids: number[];
}

function tellRead(tx: Tx, { ids: messages, user_ids }: Unread): void {
  tx.event(
    { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages, all: false },
    { to: "users", ids: user_ids },
  );
}
