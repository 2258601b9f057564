/** An account as it sees itself. https://zulip.com/api/get-own-user */
import { findMaxMessageId } from "../../storage/register.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { RealmReader } from "../realm/reader.ts";
import { avatarUrl, renderUser } from "./record.ts";

/** The account's own record, with the id of the newest message that it received. */
export async function readOwnUser({ database, state }: RealmReader, user: UserRow) {
  const max_message_id = await findMaxMessageId(database.sql, user.id);
  const record = renderUser(state, user, user, { clientGravatar: false, includeProfileData: true });
  return { ...record, avatar_url: avatarUrl(state, user, user), max_message_id };
}
