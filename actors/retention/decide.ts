/** Deciding for how long each kind is kept. */
import type { UserId } from "../../storage/ids.ts";
import { requireOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { type RetentionPolicy, retentionKey, retentionOf } from "./policy.ts";

interface DecideArgs {
  actorId: UserId;
  /** What is to be otherwise. */
  change: Partial<RetentionPolicy>;
}

/** Decides for how long the organization keeps what, as an owner. @throws UNAUTHORIZED_PRINCIPAL */
export const decideRetention = command((tx: Tx, { actorId, change }: DecideArgs) => {
  requireOwner(tx.user(actorId));
  const { row } = tx.state;
  const next: RetentionPolicy = { ...retentionOf(tx.state), ...change };
  tx.put("realms", { ...row, settings: { ...row.settings, [retentionKey]: next } });
  return next;
});
