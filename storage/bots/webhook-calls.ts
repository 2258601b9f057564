/** Calls of outgoing webhooks, from the message that triggers them until they are settled. */
import { onlyRow } from "../failures.ts";
import type { MessageId, RealmId, UserId, WebhookCallId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface WebhookCallRow {
  id: WebhookCallId;
  bot_id: UserId;
  message_id: MessageId;
  /** Attempts that were begun. */
  attempts: number;
  is_under_way: boolean;
  /** UNIX seconds. For a call under way: when it counts as lost. */
  due_at: number;
}

/** Adds calls for a message, except of bots that `maxWaiting` calls wait for already. */
export async function addWebhookCalls(
  sql: Sql,
  realmId: RealmId,
  call: { botIds: readonly UserId[]; messageId: MessageId; now: number; maxWaiting: number },
): Promise<void> {
  await sql`
    insert into webhook_calls (realm_id, bot_id, message_id, due_at)
    select ${realmId}, b.id, ${call.messageId}, ${call.now} from unnest(${`{${call.botIds.join(",")}}`}::text::bigint[]) as b(id)
    where (select count(*) from webhook_calls c where c.bot_id = b.id) < ${call.maxWaiting}`;
}

/** Calls of one bot under way. */
const maxAtOnce = 2;

/** The call of a realm that has been due longest, of a bot with fewer than two calls under way. */
export async function findDueWebhookCall(sql: Sql, realmId: RealmId, now: number): Promise<WebhookCallRow | undefined> {
  const rows = await sql<WebhookCallRow[]>`
    select id, bot_id, message_id, attempts, is_under_way, due_at from webhook_calls c
    where realm_id = ${realmId} and due_at <= ${now} and (
      select count(*) from webhook_calls o where o.bot_id = c.bot_id and o.is_under_way and o.due_at > ${now}) < ${maxAtOnce}
    order by due_at, id limit 1`;
  return rows[0];
}

export const hasDueWebhookCall = async (sql: Sql, realmId: RealmId, now: number): Promise<boolean> =>
  (await findDueWebhookCall(sql, realmId, now)) !== undefined;

export async function findWebhookCall(
  sql: Sql,
  realmId: RealmId,
  id: WebhookCallId,
): Promise<WebhookCallRow | undefined> {
  const rows = await sql<WebhookCallRow[]>`
    select id, bot_id, message_id, attempts, is_under_way, due_at from webhook_calls
    where realm_id = ${realmId} and id = ${id}`;
  return rows[0];
}

export async function putWebhookCall(sql: Sql, { id, attempts, is_under_way, due_at }: WebhookCallRow): Promise<void> {
  await sql`
    update webhook_calls set attempts = ${attempts}, is_under_way = ${is_under_way}, due_at = ${due_at} where id = ${id}`;
}

export async function deleteWebhookCall(sql: Sql, id: WebhookCallId): Promise<void> {
  await sql`delete from webhook_calls where id = ${id}`;
}

/** When the owner was last told of the bot's failures, in UNIX seconds. Undefined: never. */
export async function findFailureTold(sql: Sql, botId: UserId): Promise<number | undefined> {
  const rows = await sql<{ told_at: number }[]>`select told_at from webhook_failures where bot_id = ${botId}`;
  return rows[0]?.told_at;
}

export async function putFailureTold(sql: Sql, realmId: RealmId, botId: UserId, now: number): Promise<void> {
  await sql`
    insert into webhook_failures (bot_id, realm_id, told_at) values (${botId}, ${realmId}, ${now})
    on conflict (bot_id) do update set told_at = excluded.told_at`;
}

/** When the next call of any realm is due, in UNIX seconds. Null: no call waits. */
export async function findNextWebhookCall(sql: Sql): Promise<number | null> {
  const rows = await sql<{ next: number | null }[]>`select min(due_at) as next from webhook_calls`;
  return onlyRow(rows).next;
}

/** Realms with due calls. */
export async function findRealmsWithWebhookCalls(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from webhook_calls where due_at <= ${now}`;
  return rows.map((row) => row.realm_id);
}
