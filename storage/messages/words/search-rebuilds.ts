/** Messages that are found by the words of the version before, until a job gives them those of this one. */
import { lastOf } from "../../failures.ts";
import type { MessageId, RealmId } from "../../ids.ts";
import type { Sql } from "../../postgres.ts";

/** Organizations with such messages. */
export async function findRealmsWithOldWords(sql: Sql): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`select realm_id from search_rebuilds`;
  return rows.map(({ realm_id }) => realm_id);
}

/** The newest ids of such messages, descending. */
export async function findOldWords(sql: Sql, realmId: RealmId, limit: number): Promise<MessageId[]> {
  const rows = await sql<{ id: MessageId }[]>`
    select id from messages
    where realm_id = ${realmId} and id <= (select up_to from search_rebuilds where realm_id = ${realmId})
    order by id desc limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Gives messages their words anew. @param ids the newest ones that have old words, descending */
export async function renewWords(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<void> {
  // A trigger makes the words.
  await sql`
    update messages set search = null
    where realm_id = ${realmId} and id in (select unnest(${`{${ids.join(",")}}`}::text::bigint[]))`;
  await sql`update search_rebuilds set up_to = ${lastOf(ids) - 1} where realm_id = ${realmId}`;
}

/** Notes that the organization has no such messages any more. */
export async function endRebuild(sql: Sql, realmId: RealmId): Promise<void> {
  await sql`delete from search_rebuilds where realm_id = ${realmId}`;
}
