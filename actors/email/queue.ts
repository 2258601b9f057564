/** Emails are put into the queue by whatever changes something, with the change; `sender.ts` sends them. */
import { insertEmails, type NewEmailRow, type PendingLink } from "../../storage/email/queue.ts";
import type { InvitationId, RealmId } from "../../storage/ids.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { Tx } from "../realm/transaction.ts";
import type { Letter } from "./letter.ts";

/** What an email is for. */
export type EmailKind =
  | "invitation"
  | "join"
  | "welcome"
  | "password"
  | "address"
  | "login"
  | "missed"
  | "digest"
  | "identity"
  | "deactivated";

export interface NewEmail {
  kind: EmailKind;
  /** The invitation. */
  aboutId?: InvitationId;
  recipient: string;
  letter: Letter;
  link?: PendingLink | undefined;
  /** UNIX seconds from when nobody needs it any more; `keptSecs` from now at most. */
  expiresAt?: number;
}

/** For so long the mail server may be away, as mail servers do for each other. */
const keptSecs = 5 * 86_400;

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** A mail server is configured: emails are queued, and sent by some node. */
    sendsEmail: boolean;
  }
}

const rowOf = (realmId: RealmId, now: number, email: NewEmail): NewEmailRow => ({
  realm_id: realmId,
  kind: email.kind,
  about_id: email.aboutId ?? null,
  recipient: email.recipient,
  letter: email.letter,
  link: email.link ?? null,
  created_at: now,
  expires_at: Math.min(email.expiresAt ?? Number.POSITIVE_INFINITY, now + keptSecs),
});

/** Puts emails into the queue, in the command's commit. Nothing is done where the server sends none. */
export function queueEmails(tx: Tx, ...emails: NewEmail[]): void {
  if (!tx.state.server.sendsEmail || emails.length === 0) return;
  const rows = emails.map((email) => rowOf(tx.realmId, tx.now, email));
  tx.write((sql) => insertEmails(sql, rows));
}

/** The same in a transaction of another kind. */
export async function insertEmailRows(sql: Sql, realmId: RealmId, now: number, emails: NewEmail[]): Promise<void> {
  if (emails.length > 0)
    await insertEmails(
      sql,
      emails.map((email) => rowOf(realmId, now, email)),
    );
}

/** The same for what changes nothing else of the organization. */
export async function queueEmailsNow(realm: RealmReader, ...emails: NewEmail[]): Promise<void> {
  if (!realm.state.server.sendsEmail || emails.length === 0) return;
  await insertEmailRows(realm.database.sql, realm.id, realm.environment.clock(), emails);
}
