/** Who has read a message, of the people who share their read receipts. */
import type { MessageId, UserId } from "../../storage/ids.ts";
import { findReaders } from "../../storage/messages/read-state.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import { userSetting } from "../users/settings/settings.ts";
import { accessMessage } from "./access.ts";

/**
 * Ids of the active users who have read a message, ascending. Its sender, people who do not send read receipts, and
 * people who muted the caller or whom the caller muted are left out.
 *
 * @throws BAD_REQUEST when there is no such message as far as the caller may know, or receipts are switched off
 */
export async function readReceipts(realm: RealmReader, user: UserRow, id: MessageId): Promise<UserId[]> {
  const { state, database } = realm;
  const message = await accessMessage(state, database.sql, user, id);
  if (!state.setting("enable_read_receipts")) throw badRequest("Read receipts are disabled in this organization.");
  const readers = await findReaders(database.sql, message);
  return readers.filter((readerId) => {
    const reader = state.users.get(readerId);
    return (
      reader?.is_active === true &&
      readerId !== message.sender_id &&
      userSetting(reader, "send_read_receipts") === true &&
      !state.hasMuted(readerId, user.id) &&
      !state.hasMuted(user.id, readerId)
    );
  });
}
