/** The flags that an edited message's readers have, in the form of `update_message` events. */

import type { UserId } from "../../../storage/ids.ts";
import { flagsOn, unreadBy } from "../../../storage/messages/changes.ts";
import type { MessageRow } from "../../../storage/messages/messages.ts";
import type { FlagsNow } from "../../events/messages.ts";
import type { Tx } from "../../realm/transaction.ts";

/** @param message as it will be; its read states are looked up where it is now */
export async function flagsNow(tx: Tx, message: MessageRow, participants: readonly UserId[] | null): Promise<FlagsNow> {
  const user_flags: Record<string, string[]> = {};
  const flag = (userId: UserId, name: string) => {
    (user_flags[userId] ??= []).push(name);
  };
  for (const row of await flagsOn(tx.sql, message.id)) {
    for (const name of ["starred", "collapsed", "historical"] as const) if (row[name]) flag(row.user_id, name);
  }
  for (const id of message.mentioned ?? []) flag(id, "mentioned");
  for (const id of message.topic_participants ?? []) {
    flag(id, "topic_wildcard_mentioned");
    if (!message.channel_wildcard) flag(id, "wildcard_mentioned");
  }
  for (const id of message.alerted ?? []) flag(id, "has_alert_word");
  const common_flags = message.channel_wildcard ? ["stream_wildcard_mentioned", "wildcard_mentioned"] : [];
  const unread = await unreadBy(tx.sql, message, participants);
  const people =
    participants ??
    (message.channel_id === null ? [] : tx.state.subscriptions.subscribers(message.channel_id).values());
  if (unread.length * 2 <= people.length) return { user_flags, common_flags, unread_by: unread };
  const isUnread = new Set(unread);
  return { user_flags, common_flags, read_by: [...people].filter((id) => !isUnread.has(id)) };
}
