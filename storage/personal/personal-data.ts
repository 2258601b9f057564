/** Personal data that only PostgreSQL holds. */
import type { UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

const personalTables = [
  "drafts",
  "saved_snippets",
  "navigation_views",
  "scheduled_messages",
  "onboarding_steps",
  "bot_storage",
  "devices",
  "push_tokens",
  "message_flags",
  "known_devices",
  "missed_messages",
  "push_notifications",
  "shown_notifications",
  "push_browsers",
  "video_call_tokens",
  "identities",
] as const;

/** Deletes the rows that only the user saw. Messages stay. */
export async function deletePersonalData(sql: Sql, userId: UserId): Promise<void> {
  // Unsafe: table and column names cannot be parameters.
  for (const table of personalTables) await sql.unsafe(`delete from ${table} where user_id = $1`, [userId]);
}
