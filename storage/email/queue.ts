/** Emails that wait to be sent. */
import type { EmailId, IdentityId, InvitationId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A link that is made when the email is sent, so that its secret is stored nowhere. */
export interface PendingLink {
  purpose: LinkPurpose;
  /** Below the organization's address; the secret follows it. */
  path: string;
  /** On the button. */
  label: string;
  /** From when the email is sent. */
  validSecs: number;
  /** undefined: the active account that has the recipient's address by then, if there is one. */
  userId?: UserId | undefined;
  /** Of a link for joining: the invitation, which any address may use. */
  invitationId?: InvitationId;
  /** Of a link that shows whose account it is: what is linked with the account. */
  identityId?: IdentityId;
}

/** What a one-time link is good for. */
export type LinkPurpose = "password" | "address" | "join" | "identity";

/** An email as it is put into the queue. Times are UNIX seconds. */
export interface NewEmailRow {
  realm_id: RealmId;
  kind: string;
  /** What it is about, for `dropEmails`; what that is, the kind says. */
  about_id: InvitationId | null;
  recipient: string;
  /** What `actors/email/letter.ts` makes an email of. */
  letter: object;
  link: PendingLink | null;
  created_at: number;
  /** It is of no use to anybody any more. */
  expires_at: number;
}

export interface EmailRow extends NewEmailRow {
  id: EmailId;
  /** The same with each attempt: whoever gets it twice can tell. */
  message_id: string;
  attempts: number;
  next_attempt_at: number;
}

export async function insertEmails(sql: Sql, rows: readonly NewEmailRow[]): Promise<void> {
  await sql`
    insert into emails (realm_id, kind, about_id, recipient, letter, link, created_at, expires_at, next_attempt_at)
    select realm_id, kind, about_id, recipient, letter, nullif(link, 'null'::jsonb), created_at, expires_at, created_at
    from json_populate_recordset(null::emails, ${JSON.stringify(rows)}::text::json)`;
}

/**
 * The email that has been due for longest, and that nobody else is sending. It is the caller's as long as its
 * transaction lasts: of a process that dies, the next one takes it at once.
 */
export async function claimDueEmail(sql: Sql, now: number): Promise<EmailRow | undefined> {
  const rows = await sql<EmailRow[]>`
    select * from emails where next_attempt_at <= ${now} order by next_attempt_at, id limit 1 for update skip locked`;
  return rows[0];
}

export async function deleteEmail(sql: Sql, id: EmailId): Promise<void> {
  await sql`delete from emails where id = ${id}`;
}

/** Has an email that could not be sent wait until `at`, UNIX seconds. */
export async function postponeEmail(sql: Sql, id: EmailId, at: number): Promise<void> {
  await sql`update emails set attempts = attempts + 1, next_attempt_at = ${at} where id = ${id}`;
}

/** Whether an email still is what somebody waits for: one that was being sent could not be taken back. */
export async function isWanted(sql: Sql, { kind, about_id }: Pick<EmailRow, "kind" | "about_id">): Promise<boolean> {
  if (kind !== "invitation") return true;
  return (await sql`select from invitations where id = ${about_id} and state = 'open'`).length > 0;
}

/** Takes back what was not sent yet. What is being sent at the moment is not waited for. */
export async function dropEmails(
  sql: Sql,
  realmId: RealmId,
  kind: string,
  aboutIds: readonly InvitationId[],
): Promise<void> {
  await sql`
    delete from emails where id in (
      select id from emails
      where realm_id = ${realmId} and kind = ${kind}
        and about_id in (select unnest(${`{${aboutIds.join(",")}}`}::text::bigint[]))
      for update skip locked)`;
}
