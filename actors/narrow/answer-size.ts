/**
 * The size of one answer about messages. A few thousand messages are usually a megabyte, but hostile ones could be
 * gigabytes. Messages around an anchor are cut at the far ends, and the answer says that there are more. A list of ids
 * is refused when its messages are too large.
 */
import type { MessageId, RealmId } from "../../storage/ids.ts";
import { findMessageSizes } from "../../storage/messages/sizes.ts";
import type { Sql } from "../../storage/postgres.ts";
import { badRequest } from "../errors.ts";

/** Bytes of text in one answer. One message on each side of the anchor is included whatever its size. */
export const answerBytes = 8 * 1024 * 1024;
/** Up to so many messages are read by their ids without checking their size first. */
const maxUncountedMessages = 50;

/** @throws BAD_REQUEST when these messages do not fit one answer */
export async function checkSize(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  if (ids.length <= maxUncountedMessages) return;
  const sizes = await findMessageSizes(sql, realmId, ids);
  if (sizes.reduce((sum, size) => sum + size, 0) > answerBytes)
    throw badRequest(`These messages are more than ${answerBytes / (1024 * 1024)} MiB; ask for fewer at a time.`);
}
