/** A message as it would look if the user sent it. */
import { findMedia } from "../../storage/messages/attachments.ts";
import type { UserRow } from "../../storage/rows.ts";
import { renderMessage } from "../organization/markdown-context.ts";
import type { RealmReader } from "../realm/reader.ts";

export async function previewMessage(realm: RealmReader, user: UserRow, content: string): Promise<string> {
  const { id, state, database } = realm;
  return (await renderMessage(state, user, content, (paths) => findMedia(database.sql, id, paths))).html;
}
