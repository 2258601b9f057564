/**
 * People have no unread messages in channels that they are not in: clients could neither show them nor mark them read.
 * So messages are marked read when a person leaves a channel, and when they move to a channel that the person is not
 * in.
 */
import type { MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import { findUnreadAmong, findUnreadOf, markPairsRead } from "../../../storage/messages/read-state.ts";
import type { Tx } from "../../realm/transaction.ts";

/** The most unread messages that an event names for a person. https://zulip.com/api/register-queue */
const maxUnread = 50_000;

/**
 * Marks everything read that people received in channels they leave, and tells each what was unread. Two statements,
 * however many people they are.
 *
 * @param pairs subscriptions, as they are before they end
 * @param newest the realm's newest message
 */
export async function markLeftRead(
  tx: Tx,
  pairs: readonly { user_id: UserId; recipient_id: RecipientId }[],
  newest: MessageId,
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
 * Marks messages read that move to a channel, for those recipients who are not in it. Returns a function that sends
 * each person the event. It is called after the event of the move.
 *
 * @param outsiders people who can still read them there
 */
export async function findMovedRead(
  tx: Tx,
  recipientId: RecipientId,
  outsiders: readonly UserId[],
  ids: readonly MessageId[],
): Promise<() => void> {
  const unread = await findUnreadAmong(tx.sql, recipientId, outsiders, ids);
  return () => {
    for (const group of unread) tellRead(tx, group);
  };
}

/** Messages that the same people have unread. */
interface Unread {
  ids: MessageId[];
  user_ids: UserId[];
}

function tellRead(tx: Tx, { ids: messages, user_ids }: Unread): void {
  tx.event(
    { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages, all: false },
    { to: "users", ids: user_ids },
  );
}
