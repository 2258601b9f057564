/**
 * People have no unread messages in channels that they are not in: clients could neither show them nor mark them read.
 * So messages are marked read when a person leaves a channel, and when they move to a channel that the person is not
 * in.
 */
import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import { findUnreadAmong, findUnreadOf, markPairsRead, markReadByAll } from "../../storage/messages/read-state.ts";
import type { Tx } from "../realm/transaction.ts";

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
  const unread = await findUnreadOf(tx.sql, pairs, maxUnread);
  if (unread.length === 0) return;
  tx.write((sql) => markPairsRead(sql, tx.realmId, unread, newest));
  // People of one channel mostly have the same unread messages, and share an event.
  const byMessages = new Map<string, Unread>();
  for (const [userId, ids] of byUser(unread)) {
    const key = ids.join();
    const group = byMessages.get(key);
    if (group) group.user_ids.push(userId);
    else byMessages.set(key, { ids, user_ids: [userId] });
  }
  for (const group of byMessages.values()) tellRead(tx, group);
}

/**
 * Marks messages read that move to a channel which some of their recipients are not in. It is written for the old
 * place, and moves with the messages.
 *
 * @param outsiders people who can still read them there
 * @returns a function that tells each what was unread, to be called after the move was told
 */
export async function markMovedRead(
  tx: Tx,
  recipientId: RecipientId,
  outsiders: readonly UserId[],
  ids: readonly MessageId[],
): Promise<() => void> {
  const unread = await findUnreadAmong(tx.sql, recipientId, outsiders, ids);
  const userIds = unread.flatMap(({ user_ids }) => user_ids);
  if (userIds.length > 0) tx.write((sql) => markReadByAll(sql, tx.realmId, recipientId, userIds, ids));
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

function byUser(rows: readonly { user_id: UserId; ids: MessageId[] }[]): Map<UserId, MessageId[]> {
  const lists = new Map<UserId, MessageId[]>();
  for (const { user_id, ids } of rows) lists.set(user_id, [...(lists.get(user_id) ?? []), ...ids]);
  for (const ids of lists.values()) ids.sort((a, b) => a - b);
  return lists;
}
