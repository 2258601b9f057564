/**
 * Shortening the audit log at its beginning. A row of the log says first how far, with the hash of the last row that
 * goes; then the rows go in batches. So the rest stays a chain that begins where that row says.
 */
import { deleteShortenedAudit, findExpiredAudit } from "../../storage/users/audit-log.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { auditLogExpiry } from "./policy.ts";

/** Rows of one batch: each costs PostgreSQL a look for the row that lets it go. */
const batch = 1000;

/** Notes how far the log is shortened, once the oldest row has been over for a day: a row a day is enough. */
export const shortenAuditLog = command(async (tx: Tx, _: object) => {
  const before = auditLogExpiry(tx.state, tx.now);
  const found = before === undefined ? undefined : await findExpiredAudit(tx.sql, tx.realmId, before);
  if (found) tx.audit({ type: "realm_audit_log_shortened", after: { ...found } });
  return {};
});

/** Deletes one batch of rows that the log was shortened by. */
export const dropShortenedAudit = command(async (tx: Tx, _: object) => {
  const deleted = await deleteShortenedAudit(tx.sql, tx.realmId, batch);
  return { more: deleted === batch };
});
