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
const answerBytes = 8 * 1024 * 1024;
/** Up to so many messages are read without checking their size first. */
export const maxUncountedMessages = 50;

/** The ids around the anchor that fit one answer. @param ids ascending */
export async function cutToSize(
  sql: Sql,
  realmId: RealmId,
  ids: readonly MessageId[],
  anchor: MessageId,
): Promise<MessageId[]> {
  if (ids.length <= maxUncountedMessages) return [...ids];
  const sizes = await findMessageSizes(sql, realmId, ids);
  let last = ids.findIndex((id) => id >= anchor);
  if (last === -1) last = ids.length;
  let first = last;
  let left = answerBytes;
  const middle = last;
  /**
   * Takes the next message of a side if it fits. The first message beyond the anchor always fits, so that a client that
   * asks on makes progress.
   */
  const take = (index: number, taken: number): boolean => {
    if (index < 0 || index >= ids.length || ((sizes[index] ?? 0) > left && taken > 1)) return false;
    left -= sizes[index] ?? 0;
    return true;
  };
  for (let isAboveOpen = true, isBelowOpen = true; isAboveOpen || isBelowOpen; ) {
    isAboveOpen &&= take(last, last - middle);
    if (isAboveOpen) last++;
    isBelowOpen &&= take(first - 1, middle - first + 1);
    if (isBelowOpen) first--;
  }
  return ids.slice(first, last);
}

/** @throws BAD_REQUEST when these messages do not fit one answer */
export async function checkSize(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  if (ids.length <= maxUncountedMessages) return;
  const sizes = await findMessageSizes(sql, realmId, ids);
  if (sizes.reduce((sum, size) => sum + size, 0) > answerBytes)
    throw badRequest(`These messages are more than ${answerBytes / (1024 * 1024)} MiB; ask for fewer at a time.`);
}
