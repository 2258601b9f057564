/** Tokens of other services that are good once. */
import type { RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface SpentTokenRow {
  realm_id: RealmId;
  /** Of the name that its signer gave it. */
  token_hash: Buffer;
  /** UNIX seconds. After that it is refused anyway. */
  expires_at: number;
}

/** Notes that a token was used. Returns whether it is the first time: of many at once, on any nodes, one is. */
export async function spendToken(sql: Sql, row: SpentTokenRow): Promise<boolean> {
  const rows = await sql`
    insert into spent_tokens (realm_id, token_hash, expires_at)
    values (${row.realm_id}, ${row.token_hash}, ${row.expires_at})
    on conflict do nothing returning realm_id`;
  return rows.length > 0;
}

export async function deleteExpiredTokens(sql: Sql, now: number): Promise<void> {
  await sql`delete from spent_tokens where expires_at <= ${now}`;
}
