/**
 * How much one answer about messages may hold. A few thousand messages are a megabyte; made large on purpose they would
 * be gigabytes. A stretch around an anchor is cut at its far ends, and the answer says that there is more; ids that
 * were named one by one are refused.
 */
import type { MessageId, RealmId } from "../../storage/ids.ts";
import { findMessageSizes } from "../../storage/messages/sizes.ts";
import type { Sql } from "../../storage/postgres.ts";
import { badRequest } from "../errors.ts";

/** Bytes of text in one answer; one message on each side of the anchor is given whatever its size. */
const answerBytes = 8 * 1024 * 1024;
/** So few messages are read without asking for their size first. */
export const maxUncountedMessages = 50;

/** What of these ids one answer may hold: a stretch around the anchor. @param ids ascending */
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
   * Takes the next message of a side if it fits, or nothing but the anchor was taken there: whoever asks on must get
   * on.
   */
  const take = (index: number, taken: number): boolean => {
    if (index < 0 || index >= ids.length || (sizes[index]! > left && taken > 1)) return false;
    left -= sizes[index]!;
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

/** @throws BAD_REQUEST when these messages are more than one answer may hold */
export async function checkSize(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  if (ids.length <= maxUncountedMessages) return;
  const sizes = await findMessageSizes(sql, realmId, ids);
  if (sizes.reduce((sum, size) => sum + size, 0) > answerBytes)
    throw badRequest(`These messages are more than ${answerBytes / (1024 * 1024)} MiB; ask for fewer at a time.`);
}
