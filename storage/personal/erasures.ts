/** Erasures of people's data: how far each is, and what went. */
import type { MessageId, RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** What an erasure takes away, by kind, and what it leaves since a legal hold is on it. */
export type ErasedKind =
  | "messages"
  | "mentions"
  | "reactions"
  | "votes"
  | "files"
  | "rows"
  | "held_mentions"
  | "held_files";
export type ErasedCounts = Partial<Record<ErasedKind, number>>;

export interface Erasure {
  user_id: UserId;
  deletes_messages: boolean;
  /** What the person was called, until the erasure has ended. */
  names: string[];
  /** UNIX seconds */
  begun_at: number;
  finished_at: number | null;
  /** Messages up to this one name the person no more. */
  mentions_to: MessageId;
  reactions_to: MessageId;
  counts: ErasedCounts;
}

export async function findErasure(sql: Sql, realmId: RealmId, userId: UserId): Promise<Erasure | undefined> {
  const rows = await sql<Erasure[]>`
    select user_id, deletes_messages, names, begun_at, finished_at, mentions_to, reactions_to, counts
    from erasures where realm_id = ${realmId} and user_id = ${userId}`;
  return rows[0];
}

/** Begins one, or has one that has ended begin anew: what it counted stays. */
export async function putErasure(
  sql: Sql,
  realmId: RealmId,
  { userId, deletesMessages, names }: { userId: UserId; deletesMessages: boolean; names: readonly string[] },
  now: number,
): Promise<void> {
  await sql`
    insert into erasures (realm_id, user_id, deletes_messages, names, begun_at, touched_at)
    values (${realmId}, ${userId}, ${deletesMessages}, ${JSON.stringify(names)}::text::jsonb, ${now}, ${now})
    on conflict (realm_id, user_id) do update
      set deletes_messages = excluded.deletes_messages, names = erasures.names || excluded.names, touched_at = ${now},
          mentions_to = case when erasures.finished_at is null then erasures.mentions_to else 0 end,
          reactions_to = case when erasures.finished_at is null then erasures.reactions_to else 0 end,
          finished_at = null`;
}

/** Adds to what went, and notes how far it is. */
export async function noteErased(
  sql: Sql,
  realmId: RealmId,
  userId: UserId,
  now: number,
  { counts = {}, mentionsTo, reactionsTo }: { counts?: ErasedCounts; mentionsTo?: MessageId; reactionsTo?: MessageId },
): Promise<void> {
  await sql`
    update erasures set touched_at = ${now},
      mentions_to = greatest(mentions_to, ${mentionsTo ?? 0}::bigint),
      reactions_to = greatest(reactions_to, ${reactionsTo ?? 0}::bigint),
      counts = counts || (
        select coalesce(jsonb_object_agg(key, coalesce((counts ->> key)::bigint, 0) + value::bigint), '{}')
        from jsonb_each_text(${JSON.stringify(counts)}::text::jsonb))
    where realm_id = ${realmId} and user_id = ${userId}`;
}

export async function finishErasure(sql: Sql, realmId: RealmId, userId: UserId, now: number): Promise<void> {
  await sql`
    update erasures set finished_at = ${now}, touched_at = ${now}, names = '[]'
    where realm_id = ${realmId} and user_id = ${userId}`;
}

/** Erasures that nobody has gone on with since before a time (UNIX seconds). A legal hold on the person stops one. */
export async function findLeftErasures(sql: Sql, realmId: RealmId, before: number): Promise<UserId[]> {
  const rows = await sql<{ user_id: UserId }[]>`
    select e.user_id from erasures e where e.realm_id = ${realmId} and e.finished_at is null and e.touched_at <= ${before}
      and not exists (select from legal_holds h where h.realm_id = e.realm_id and h.user_id = e.user_id)
    order by e.begun_at, e.user_id`;
  return rows.map(({ user_id }) => user_id);
}

export async function findRealmsWithLeftErasures(sql: Sql, before: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct e.realm_id from erasures e where e.finished_at is null and e.touched_at <= ${before}
      and not exists (select from legal_holds h where h.realm_id = e.realm_id and h.user_id = e.user_id)`;
  return rows.map(({ realm_id }) => realm_id);
}
