import type { RealmId, SnippetId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A saved snippet as on the wire. `date_created` is in UNIX seconds. */
export interface SavedSnippet {
  id: SnippetId;
  title: string;
  content: string;
  date_created: number;
}

/** A person's snippets, oldest first. */
export async function findSavedSnippets(sql: Sql, userId: UserId): Promise<SavedSnippet[]> {
  return sql<SavedSnippet[]>`
    select id, title, content, date_created from saved_snippets where user_id = ${userId} order by id`;
}

export async function findSavedSnippet(sql: Sql, userId: UserId, id: SnippetId): Promise<SavedSnippet | undefined> {
  const rows = await sql<SavedSnippet[]>`
    select id, title, content, date_created from saved_snippets where user_id = ${userId} and id = ${id}`;
  return rows[0];
}

/** Adds a snippet, or replaces the one with the same id. */
export async function putSavedSnippet(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  { id, title, content, date_created }: SavedSnippet,
): Promise<void> {
  await sql`
    insert into saved_snippets (id, realm_id, user_id, title, content, date_created)
    values (${id}, ${realmId}, ${userId}, ${title}, ${content}, ${date_created})
    on conflict (id) do update set title = excluded.title, content = excluded.content`;
}

export async function deleteSavedSnippet(sql: Sql, userId: UserId, id: SnippetId): Promise<void> {
  await sql`delete from saved_snippets where id = ${id} and user_id = ${userId}`;
}
