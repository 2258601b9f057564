import { command } from "../realm/command.ts";
import type { AuditFact } from "../realm/commit/audit.ts";
import { defineNoun } from "../realm/noun.ts";
import type { Tx } from "../realm/transaction.ts";
import { auditedTables } from "./tables.ts";

/** Tells the audit log of what no command of its own does, such as a log-in that was refused. */
const recordAudit = command((tx: Tx, { fact }: { fact: AuditFact }) => {
  tx.audit(fact);
  return {};
});

export const auditNoun = defineNoun({ commands: { recordAudit }, audits: auditedTables });
