import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** Names of the steps that a person has seen. */
export async function findSeenSteps(sql: Sql, userId: UserId): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from onboarding_steps where user_id = ${userId}`;
  return rows.map((row) => row.name);
}

export async function addSeenStep(sql: Sql, realmId: RealmId, userId: UserId, name: string): Promise<void> {
  await sql`
    insert into onboarding_steps (user_id, name, realm_id) values (${userId}, ${name}, ${realmId}) on conflict do nothing`;
}
