/** Addresses by which mail becomes messages: those of channels, and those to which people answer emails. */
import { onlyRow } from "../failures.ts";
import type { ChannelId, MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A channel's address, as one person asked for it. Whoever has the token may use it. */
export interface ChannelMailAddress {
  token: string;
  realm_id: RealmId;
  channel_id: ChannelId;
  /** The person who asked for it. Mail is posted as long as they may post. */
  creator_id: UserId;
  /** The account that posts it. Null: the organization's own bot. */
  sender_id: UserId | null;
  /** UNIX seconds */
  created_at: number;
}

/** Stores an address, unless there is one for the same channel, person and sender. Returns the token that counts. */
export async function ensureChannelMailAddress(sql: Sql, row: ChannelMailAddress): Promise<string> {
  const rows = await sql<{ token: string }[]>`
    insert into channel_mail_addresses as a (token, realm_id, channel_id, creator_id, sender_id, created_at)
    values (${row.token}, ${row.realm_id}, ${row.channel_id}, ${row.creator_id}, ${row.sender_id}, ${row.created_at})
    on conflict (channel_id, creator_id, sender_id) do update set created_at = a.created_at
    returning token`;
  return onlyRow(rows).token;
}

export async function findChannelMailAddress(sql: Sql, token: string): Promise<ChannelMailAddress | undefined> {
  return (await sql<ChannelMailAddress[]>`select * from channel_mail_addresses where token = ${token}`)[0];
}

/** Where one person answers one email about missed messages. */
export interface ReplyAddress {
  token_hash: Buffer;
  realm_id: RealmId;
  user_id: UserId;
  /** A message of the conversation. The answer goes to where this message is by then. */
  message_id: MessageId;
  /** UNIX seconds */
  expires_at: number;
}

export async function insertReplyAddress(sql: Sql, row: ReplyAddress): Promise<void> {
  await sql`
    insert into reply_addresses (token_hash, realm_id, user_id, message_id, expires_at)
    values (${row.token_hash}, ${row.realm_id}, ${row.user_id}, ${row.message_id}, ${row.expires_at})`;
}

export async function findReplyAddress(sql: Sql, tokenHash: Buffer, now: number): Promise<ReplyAddress | undefined> {
  return (
    await sql<ReplyAddress[]>`
      select * from reply_addresses where token_hash = ${tokenHash} and expires_at > ${now}`
  )[0];
}

export async function deleteExpiredReplyAddresses(sql: Sql, now: number): Promise<void> {
  await sql`delete from reply_addresses where expires_at <= ${now}`;
}

/** Where a message is: its channel and topic, or the people of its conversation. */
export interface MailedConversation {
  channel_id: ChannelId | null;
  topic: string;
  participants: UserId[] | null;
}

export async function findConversationOf(
  sql: Sql,
  realmId: RealmId,
  messageId: MessageId,
): Promise<MailedConversation | undefined> {
  return (
    await sql<MailedConversation[]>`
      select m.channel_id, m.topic, d.user_ids as participants
      from messages m left join direct_conversations d on m.channel_id is null and d.recipient_id = m.recipient_id
      where m.realm_id = ${realmId} and m.id = ${messageId}`
  )[0];
}
