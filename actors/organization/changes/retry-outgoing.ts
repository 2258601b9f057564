/** Has what a mail server, a push service or a webhook's service did not take tried again now. */
import type { UserId } from "../../../storage/ids.ts";
import { type OutgoingQueue, retryNow } from "../../../storage/operations.ts";
import { requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";

/** @throws UNAUTHORIZED_PRINCIPAL */
export const retryOutgoing = command((tx: Tx, { userId, queue }: { userId: UserId; queue: OutgoingQueue }) => {
  requireOwner(tx.user(userId));
  tx.write((sql) => retryNow(sql, queue, tx.now, tx.realmId));
  return {};
});
