/** Reactions to messages, and the parts of widgets. */

import type { MessageId, RealmId, SubmessageId, UserId } from "../ids.ts";
import type { Sql, Statement } from "../postgres.ts";
import type { ReactionType } from "../rows.ts";

export interface ReactionRow {
  message_id: MessageId;
  user_id: UserId;
  emoji_name: string;
  emoji_code: string;
  reaction_type: ReactionType;
}

/** Reactions to a message, oldest first. */
export async function reactionsTo(sql: Sql, messageId: MessageId): Promise<ReactionRow[]> {
  return sql<ReactionRow[]>`
    select message_id, user_id, emoji_name, emoji_code, reaction_type from reactions
    where message_id = ${messageId} order by id`;
}

/** Adds a reaction, and notes on the message that it has reactions: one statement, unsent. */
export const insertReaction = (sql: Sql, realmId: RealmId, reaction: ReactionRow): Statement => sql`
  with added as (insert into reactions ${sql({ ...reaction, realm_id: realmId })})
  update messages set has_reaction = true
  where realm_id = ${realmId} and id = ${reaction.message_id} and not has_reaction`;

/** Removes a reaction: one statement, unsent. It sees the reactions as they were before. */
export function deleteReaction(sql: Sql, realmId: RealmId, reaction: ReactionRow): Statement {
  const { message_id, user_id, emoji_code, reaction_type } = reaction;
  return sql`
    with gone as (
      delete from reactions where message_id = ${message_id} and user_id = ${user_id}
        and emoji_code = ${emoji_code} and reaction_type = ${reaction_type} returning id)
    update messages m set has_reaction = false where m.realm_id = ${realmId} and m.id = ${message_id}
      and not exists (
        select 1 from reactions r where r.message_id = m.id and r.id not in (select gone.id from gone))`;
}

export interface SubmessageRow {
  id: SubmessageId;
  message_id: MessageId;
  sender_id: UserId;
  msg_type: string;
  content: string;
}

/** The first part of a widget, which defines it. */
export async function firstSubmessage(sql: Sql, messageId: MessageId): Promise<SubmessageRow | undefined> {
  const rows = await sql<SubmessageRow[]>`
    select id, message_id, sender_id, msg_type, content from submessages where message_id = ${messageId} order by id limit 1`;
  return rows[0];
}

/** Whether a message is a widget. */
export async function hasSubmessages(sql: Sql, messageId: MessageId): Promise<boolean> {
  return (await sql`select 1 from submessages where message_id = ${messageId} limit 1`).length > 0;
}

/** The statement, unsent. */
export const insertSubmessage = (sql: Sql, realmId: RealmId, row: SubmessageRow): Statement =>
  sql`insert into submessages ${sql({ ...row, realm_id: realmId })}`;
