import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** A stored navigation view. `name` is null for a built-in one. */
export interface NavigationView {
  fragment: string;
  is_pinned: boolean;
  name: string | null;
}

/** A person's views, oldest first. */
export async function findNavigationViews(sql: Sql, userId: UserId): Promise<NavigationView[]> {
  return sql<NavigationView[]>`
    select fragment, is_pinned, name from navigation_views where user_id = ${userId} order by position`;
}

/** Adds a view, or replaces the one with the same fragment. */
export async function putNavigationView(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  view: NavigationView,
): Promise<void> {
  await sql`
    insert into navigation_views (user_id, fragment, realm_id, is_pinned, name)
    values (${userId}, ${view.fragment}, ${realmId}, ${view.is_pinned}, ${view.name})
    on conflict (user_id, fragment) do update set is_pinned = excluded.is_pinned, name = excluded.name`;
}

export async function deleteNavigationView(sql: Sql, userId: UserId, fragment: string): Promise<void> {
  await sql`delete from navigation_views where user_id = ${userId} and fragment = ${fragment}`;
}
