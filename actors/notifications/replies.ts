/** How people answer emails about missed messages, and how these emails make threads. */
import { createHmac } from "node:crypto";
import { insertReplyAddress } from "../../storage/email/mail-addresses.ts";
import type { MessageId, RealmId, UserId } from "../../storage/ids.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { newMailToken, replyAddress } from "../email/mail-address.ts";
import { hashToken } from "../email/one-time-token.ts";
import type { RealmReader } from "../realm/reader.ts";

/** Seconds for which an email can be answered: half a year. */
const answeredWithinSecs = 182 * 86_400;

/**
 * An address of which the mail is posted as this person's, where the message is by then. Undefined: no mail comes in.
 *
 * @param sql of the transaction that queues the email
 */
export async function newReplyAddress(
  { environment, id }: RealmReader,
  sql: Sql,
  user: UserRow,
  messageId: MessageId,
): Promise<string | undefined> {
  const pattern = environment.mailInAddress;
  if (pattern === undefined) return undefined;
  const token = newMailToken();
  await insertReplyAddress(sql, {
    token_hash: hashToken(token),
    realm_id: id,
    user_id: user.id,
    message_id: messageId,
    expires_at: environment.clock() + answeredWithinSecs,
  });
  return replyAddress(pattern, token);
}

/** A name for one person's emails about one conversation. It tells nobody which one that is. */
export const threadOf = (realmId: RealmId, userId: UserId, conversation: string, key: Buffer): string =>
  createHmac("sha256", key).update(`thread:${realmId}:${userId}:${conversation}`).digest("hex").slice(0, 32);
