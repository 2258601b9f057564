/** Messages that are to be sent later, and reminders of messages: one table, a reminder names its target. */
import { onlyRow } from "../failures.ts";
import type { MessageId, RealmId, ScheduledId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface ScheduledRow {
  id: ScheduledId;
  user_id: UserId;
  type: "stream" | "private";
  /** A channel's id, or the other people's. */
  to: number | number[];
  topic: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds */
  scheduled_delivery_timestamp: number;
  failed: boolean;
  reminder_target_message_id: MessageId | null;
  note: string | null;
  read_by_sender: boolean;
  client: string;
}

const columns = `id, user_id, type, "to", topic, content, rendered_content, scheduled_delivery_timestamp, failed,
  reminder_target_message_id, note, read_by_sender, client`;

/** A person's scheduled messages or reminders, soonest first. */
export async function findScheduled(sql: Sql, userId: UserId, kind: "messages" | "reminders"): Promise<ScheduledRow[]> {
  // Unsafe: a part of the text is shared with other statements.
  return sql.unsafe<ScheduledRow[]>(
    `select ${columns} from scheduled_messages where user_id = $1 and (reminder_target_message_id is not null) = $2
     order by scheduled_delivery_timestamp, id`,
    [userId, kind === "reminders"],
  );
}

/** One item by id, of any person. */
export async function findScheduledById(
  sql: Sql,
  realmId: RealmId,
  id: ScheduledId,
): Promise<ScheduledRow | undefined> {
  // Unsafe: a part of the text is shared with other statements.
  const rows = await sql.unsafe<ScheduledRow[]>(
    `select ${columns} from scheduled_messages where realm_id = $1 and id = $2`,
    [realmId, id],
  );
  return rows[0];
}

/** Adds one, or replaces what its id holds. */
export async function putScheduled(sql: Sql, realmId: RealmId, row: ScheduledRow): Promise<void> {
  const fields = { ...row, realm_id: realmId };
  const names = Object.keys(fields).filter((name) => name !== "id");
  // Unsafe: a part of the text is shared with other statements.
  await sql.unsafe(
    `insert into scheduled_messages (id, ${names.map((name) => `"${name}"`).join(", ")})
     select id, ${names.map((name) => `"${name}"`).join(", ")} from json_populate_record(null::scheduled_messages, $1::text::json)
     on conflict (id) do update set ${names.map((name) => `"${name}" = excluded."${name}"`).join(", ")}`,
    [JSON.stringify(fields)],
  );
}

export async function deleteScheduled(sql: Sql, id: ScheduledId): Promise<void> {
  await sql`delete from scheduled_messages where id = ${id}`;
}

/** Ids of the due items of a realm, the longest due first. */
export async function findDue(sql: Sql, realmId: RealmId, now: number, limit: number): Promise<number[]> {
  const rows = await sql<{ id: ScheduledId }[]>`
    select id from scheduled_messages where realm_id = ${realmId} and not failed and scheduled_delivery_timestamp <= ${now}
    order by scheduled_delivery_timestamp, id limit ${limit}`;
  return rows.map((row) => row.id);
}

/** When the next item of any realm is due, UNIX seconds; null: there is none. */
export async function findNextDue(sql: Sql): Promise<number | null> {
  const rows = await sql<{ next: number | null }[]>`
    select min(scheduled_delivery_timestamp) as next from scheduled_messages where not failed`;
  return onlyRow(rows).next;
}

/** Realms with due items. */
export async function findRealmsWithDue(sql: Sql, now: number): Promise<number[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from scheduled_messages where not failed and scheduled_delivery_timestamp <= ${now}`;
  return rows.map((row) => row.realm_id);
}
