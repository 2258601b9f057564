/** What people's applications at services for video calls let this server in by. */
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export type CallService = "zoom" | "webex";

export interface CallToken {
  access_token: string;
  /** null: nothing follows when it is over. */
  refresh_token: string | null;
  /** UNIX seconds */
  expires_at: number;
}

export async function findCallToken(sql: Sql, userId: UserId, service: CallService): Promise<CallToken | undefined> {
  const rows = await sql<CallToken[]>`
    select access_token, refresh_token, expires_at from video_call_tokens
    where user_id = ${userId} and service = ${service}`;
  return rows[0];
}

export async function putCallToken(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  service: CallService,
  token: CallToken,
): Promise<void> {
  await sql`
    insert into video_call_tokens (user_id, service, realm_id, access_token, refresh_token, expires_at)
    values (${userId}, ${service}, ${realmId}, ${token.access_token}, ${token.refresh_token}, ${token.expires_at})
    on conflict (user_id, service) do update set access_token = excluded.access_token,
      refresh_token = excluded.refresh_token, expires_at = excluded.expires_at`;
}

export async function deleteCallToken(sql: Sql, userId: UserId, service: CallService): Promise<void> {
  await sql`delete from video_call_tokens where user_id = ${userId} and service = ${service}`;
}
