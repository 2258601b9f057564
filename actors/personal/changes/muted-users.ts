/** Muted users. Their messages count as read, including earlier ones. */
import type { UserId } from "../../../storage/ids.ts";
import { markRead } from "../../../storage/messages/read-state.ts";
import { findUnreadFrom } from "../../../storage/messages/unread-from.ts";
import type { MutedUserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessUser } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";

/** People whom one person mutes. Each change sends the whole list. */
const maxMuted = 1000;
/** So many of the muted user's newest messages are marked as read: as many as `unread_msgs` lists. */
const maxMarked = 50_000;

export interface MuteUserArgs {
  userId: UserId;
  mutedUserId: UserId;
}

/** The records of the register answer and of the event. */
export function mutedUserRecords(rows: Iterable<MutedUserRow>): { id: UserId; timestamp: number }[] {
  return [...rows].map((row) => ({ id: row.muted_user_id, timestamp: row.date_muted }));
}

/** Mutes a user. @throws BAD_REQUEST for the caller, an unknown user, and one who is muted already */
export const muteUser = command(async (tx: Tx, { userId, mutedUserId }: MuteUserArgs) => {
  const user = tx.user(userId);
  if (mutedUserId === userId) throw badRequest("Cannot mute self");
  const target = accessUser(tx.state, user, mutedUserId);
  if (tx.state.hasMuted(userId, target.id)) throw badRequest("User already muted");
  if (mutedRows(tx, userId).length >= maxMuted) throw badRequest(`You can mute at most ${maxMuted} people.`);
  const row = { user_id: userId, muted_user_id: target.id, realm_id: tx.realmId, date_muted: tx.now };
  tx.put("muted_users", row);
  tellMuted(tx, userId, [...mutedRows(tx, userId), row]);
  const unread = await findUnreadFrom(tx.sql, tx.realmId, userId, target.id, maxMarked);
  if (unread.length > 0) {
    tx.write((sql) => markRead(sql, tx.realmId, userId, unread));
    tx.event(
      { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages: unread, all: false },
      { to: "users", ids: [userId] },
    );
  }
  return {};
});

/** Unmutes a user. @throws BAD_REQUEST for a user who is not muted */
export const unmuteUser = command((tx: Tx, { userId, mutedUserId }: MuteUserArgs) => {
  const user = tx.user(userId);
  const target = accessUser(tx.state, user, mutedUserId);
  if (!tx.state.hasMuted(userId, target.id)) throw badRequest("User is not muted");
  tx.remove("muted_users", { user_id: userId, muted_user_id: target.id });
  tellMuted(
    tx,
    userId,
    mutedRows(tx, userId).filter((row) => row.muted_user_id !== target.id),
  );
  return {};
});

function mutedRows(tx: Tx, userId: UserId): MutedUserRow[] {
  return [...(tx.state.mutedUsers.get(userId)?.values() ?? [])];
}

function tellMuted(tx: Tx, userId: UserId, rows: readonly MutedUserRow[]): void {
  tx.event({ type: "muted_users", muted_users: mutedUserRecords(rows) }, { to: "users", ids: [userId] });
}
