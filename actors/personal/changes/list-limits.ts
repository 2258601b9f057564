/** Limits of personal lists. Clients fetch these lists whole. */
import type { UserId } from "../../../storage/ids.ts";
import { findListSize, type ListName } from "../../../storage/personal/personal-lists.ts";
import { badRequest } from "../../errors.ts";
import type { Tx } from "../../realm/transaction.ts";

const megabytes = 4;
export const listed = {
  // A register answer has the newest 1000.
  drafts: { name: "drafts", max: 2000 },
  snippets: { name: "saved snippets", max: 1000 },
  scheduled: { name: "scheduled messages", max: 1000 },
  reminders: { name: "reminders", max: 1000 },
  devices: { name: "devices", max: 100 },
  tokens: { name: "push tokens", max: 100 },
} satisfies Record<ListName, { name: string; max: number }>;

/**
 * @param texts the texts to add, or to replace those of the item `instead` with
 * @param added by how many items the list grows
 * @throws BAD_REQUEST when the list would exceed its limit
 */
export async function checkRoom(
  tx: Tx,
  list: ListName,
  userId: UserId,
  texts: readonly string[],
  { added = 1, instead }: { added?: number; instead?: number } = {},
): Promise<void> {
  const { name, max } = listed[list];
  const before = await findListSize(tx.sql, list, userId, instead);
  if (added > 0 && before.items + added > max) throw badRequest(`You can have at most ${max} ${name}.`);
  let { bytes } = before;
  for (const text of texts) bytes += Buffer.byteLength(text);
  if (texts.length > 0 && bytes > megabytes * 1024 * 1024)
    throw badRequest(`Your ${name} are too large together (limit: ${megabytes} MB).`);
}
