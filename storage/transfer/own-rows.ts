/** What one person wrote and keeps, in the caller's snapshot, row by row. */
import type { UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { keysOf } from "../rows.ts";

/** Nothing else may be asked on the connection before the rows of one of these end. */
const queries = {
  messages: `select m.id, m.sent_at, c.name as channel, m.topic, case when m.channel_id is null then (
       select json_agg(u.full_name order by u.id) from direct_conversations d
       join users u on u.id = any(d.user_ids) where d.recipient_id = m.recipient_id) end as people,
       m.content, m.last_edit_at, m.edit_history
     from messages m left join channels c on c.id = m.channel_id where m.sender_id = $1 order by m.id`,
  reactions: `select message_id, emoji_name from reactions where user_id = $1 order by message_id, emoji_name`,
  message_flags: `select message_id, starred, collapsed from message_flags
     where user_id = $1 and (starred or collapsed) order by message_id`,
  drafts: `select type, "to", topic, content, timestamp from drafts where user_id = $1 order by id`,
  saved_snippets: `select title, content, date_created from saved_snippets where user_id = $1 order by id`,
  scheduled_messages: `select type, "to", topic, content, scheduled_delivery_timestamp, reminder_target_message_id, note
     from scheduled_messages where user_id = $1 order by id`,
  navigation_views: `select fragment, is_pinned, name from navigation_views where user_id = $1 order by position`,
  subscriptions: `select c.name as channel, s.is_active, s.color, s.is_muted, s.pin_to_top, s.desktop_notifications,
       s.audible_notifications, s.push_notifications, s.email_notifications, s.wildcard_mentions_notify
     from subscriptions s join channels c on c.id = s.channel_id where s.user_id = $1 order by s.channel_id`,
  topics: `select c.name as channel, t.topic_name as topic, t.visibility_policy, t.last_updated
     from user_topics t join channels c on c.id = t.channel_id where t.user_id = $1 order by t.channel_id, t.topic_key`,
  muted_people: `select u.full_name, m.date_muted from muted_users m join users u on u.id = m.muted_user_id
     where m.user_id = $1 order by u.id`,
  groups: `select g.name from user_group_members m join user_groups g on g.id = m.group_id where m.user_id = $1 order by g.id`,
  sessions: `select date_created, last_seen, user_agent, ip_address, expires_at from sessions where user_id = $1 order by expires_at`,
  devices: `select date_created, push_token_kind from devices where user_id = $1 order by id`,
  uploads: `select file_name, path_id, size, content_type, create_time, message_ids, quarantined_at from attachments
     where owner_id = $1 order by id`,
} as const;
export type OwnTable = keyof typeof queries;
export const ownTables = keysOf(queries);

const rowsAtOnce = 200;

export async function* readOwnRows(sql: Sql, table: OwnTable, userId: UserId): AsyncGenerator<Record<string, unknown>> {
  // Unsafe: the text is one of those above.
  const all = sql.unsafe(queries[table], [userId]);
  for await (const rows of all.cursor(rowsAtOnce)) yield* rows;
}
