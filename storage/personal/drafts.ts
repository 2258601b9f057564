import type { DraftId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A draft as on the wire. `timestamp` is in UNIX seconds. https://zulip.com/api/create-drafts */
export interface Draft {
  id: DraftId;
  type: "" | "stream" | "private";
  to: number[];
  topic: string;
  content: string;
  timestamp: number;
}

/** A person's drafts, newest edit first, at most `limit`. Without a limit all of them. */
export async function findDrafts(sql: Sql, userId: UserId, limit?: number): Promise<Draft[]> {
  return sql<Draft[]>`
    select id, type, "to", topic, content, timestamp::bigint as timestamp from drafts
    where user_id = ${userId} order by drafts.timestamp desc, id desc limit ${limit ?? null}`;
}

export async function hasDraft(sql: Sql, userId: UserId, id: DraftId): Promise<boolean> {
  return (await sql`select 1 from drafts where id = ${id} and user_id = ${userId}`).length > 0;
}

/** Adds drafts, and replaces those whose ids exist. */
export async function putDrafts(sql: Sql, realmId: RealmId, userId: UserId, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.map((draft) => ({ ...draft, realm_id: realmId, user_id: userId }));
  await sql`
    insert into drafts select * from json_populate_recordset(null::drafts, ${JSON.stringify(rows)}::text::json)
    on conflict (id) do update set type = excluded.type, "to" = excluded."to", topic = excluded.topic,
      content = excluded.content, timestamp = excluded.timestamp`;
}

export async function deleteDraft(sql: Sql, userId: UserId, id: DraftId): Promise<void> {
  await sql`delete from drafts where id = ${id} and user_id = ${userId}`;
}

export async function deleteDraftsOf(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from drafts where user_id = ${userId}`;
}
