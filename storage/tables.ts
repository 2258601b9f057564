import { firstOf } from "./failures.ts";
import type { RealmId, UserId } from "./ids.ts";
import { readInt32s } from "./integers.ts";
import type { Sql, Statement } from "./postgres.ts";
import {
  type Change,
  type ChangeOf,
  keysOf,
  type PackedSubscriptions,
  type StateRows,
  type StateTable,
  subscriptionBits,
  subscriptionNotificationSettings,
} from "./rows.ts";

/** Key columns of each replicated table; `realms` is updated, never inserted, by a change. */
const keys: { [T in StateTable]: (keyof StateRows[T] & string)[] } = {
  realms: ["id"],
  users: ["id"],
  channels: ["id"],
  subscriptions: ["user_id", "channel_id"],
  user_groups: ["id"],
  user_group_members: ["group_id", "user_id"],
  user_group_subgroups: ["group_id", "subgroup_id"],
  channel_folders: ["id"],
  linkifiers: ["id"],
  playgrounds: ["id"],
  realm_domains: ["id"],
  custom_profile_fields: ["id"],
  realm_emoji: ["id"],
  default_channels: ["channel_id"],
  user_topics: ["user_id", "channel_id", "topic_key"],
  muted_users: ["user_id", "muted_user_id"],
};

/** The order in which a realm's tables are read. A table comes after those that it refers to. */
export const stateTables = keysOf(keys);

const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");

/** A change that puts no row twice: the first of each key is put. */
export function withoutRepeats<T extends StateTable>(change: ChangeOf<T>): ChangeOf<T> {
  const key: readonly string[] = keys[change.table];
  const seen = new Set<string>();
  const isNew = (row: object): boolean => {
    const own = key.map((column) => Reflect.get(row, column)).join(" ");
    return !seen.has(own) && seen.add(own).has(own);
  };
  return change.put ? { ...change, put: change.put.filter(isNew) } : change;
}

/** Writes the changes, in order, in the caller's transaction. */
export async function writeChanges(sql: Sql, changes: readonly Change[]): Promise<void> {
  for (const change of changes) for (const statement of writesOf(sql, change)) await statement;
}

/** The statements that write a change, unsent. Rows go in as one JSON document for each. */
export function writesOf(sql: Sql, change: Change): Statement[] {
  const { table } = change;
  const key: readonly string[] = keys[table];
  const statements: Statement[] = [];
  const write = (text: string, rows: readonly object[]) =>
    // Unsafe: names of tables and columns are no parameters.
    statements.push(sql.unsafe(text, [JSON.stringify(rows)], { prepare: true }));
  if (change.remove?.length) {
    write(
      `delete from ${table} t using json_populate_recordset(null::${table}, $1::text::json) r
       where ${key.map((column) => `t."${column}" = r."${column}"`).join(" and ")}`,
      change.remove,
    );
  }
  if (change.put?.length) {
    const columns = Object.keys(firstOf<object>(change.put));
    const rest = columns.filter((column) => !key.includes(column));
    const update = rest.map((column) => `"${column}" = excluded."${column}"`).join(", ");
    write(
      table === "realms"
        ? `update realms t set ${rest.map((column) => `"${column}" = r."${column}"`).join(", ")}
           from json_populate_recordset(null::realms, $1::text::json) r where t.id = r.id`
        : `insert into ${table} (${quoted(columns)})
           select ${quoted(columns)} from json_populate_recordset(null::${table}, $1::text::json)
           on conflict (${quoted(key)}) do ${update ? `update set ${update}` : "nothing"}`,
      change.put,
    );
  }
  return statements;
}

const realmColumns = ["id", "host", "name", "date_created", "is_deactivated", "uuid", "settings"];

/**
 * Copies a row into an object literal. The driver sets columns one by one, which makes a hash table of any row with
 * more than a dozen. A literal has the shape that all rows of the table share: a quarter of the memory, and fast reads.
 */
const compact = <Row extends object>(row: Row): Row => ({ ...row });

/** People read at a time, and rows of other tables: a few milliseconds of work. */
const peoplePerBatch = 400;
const rowsPerBatch = 1000;

/** Resolves in the next turn but one of the event loop. The driver sends its queries in the next. */
const turns = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/**
 * Reads a cursor's batches so that PostgreSQL prepares the next one while this one is worked on, and the event loop
 * turns before each.
 */
async function* ahead<Batch>(cursor: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const batches = cursor[Symbol.asyncIterator]();
  let coming = batches.next();
  for (let batch = await coming; batch.done !== true; batch = await coming) {
    coming = batches.next();
    // The consumer may have failed by then.
    coming.catch(() => {});
    await turns();
    yield batch.value;
  }
}

/**
 * Reads everybody's subscriptions, a row for each person. Taking millions of rows out of the driver one by one would
 * take most of a realm's start. Overrides of notifications, which few have, come with `readOverrides`.
 */
export async function* readSubscriptions(sql: Sql, realmId: RealmId): AsyncGenerator<PackedSubscriptions[]> {
  const { muted, pinned, ended } = subscriptionBits;
  const cursor = sql<{ user_id: UserId; channel_ids: Buffer; words: Buffer }[]>`
    select user_id, string_agg(int4send(channel_id::int), '' order by channel_id) as channel_ids,
           string_agg(int4send((color << 8) | (is_muted::int * ${muted}::int) | (pin_to_top::int * ${pinned}::int)
             | ((not is_active)::int * ${ended}::int)), '' order by channel_id) as words
    from subscriptions where realm_id = ${realmId} group by user_id`.cursor(peoplePerBatch);
  for await (const rows of ahead(cursor)) {
    yield rows.map((row) => ({
      userId: row.user_id,
      channelIds: readInt32s(row.channel_ids),
      words: readInt32s(row.words),
    }));
  }
}

/** The subscriptions that override a person's own notification settings. */
export async function readOverrides(sql: Sql, realmId: RealmId): Promise<StateRows["subscriptions"][]> {
  const isOverridden = subscriptionNotificationSettings.map((name) => `${name} is not null`).join(" or ");
  // Unsafe: names of tables and columns are no parameters.
  return sql.unsafe(`select * from subscriptions where realm_id = $1 and (${isOverridden})`, [realmId]);
}

/** Reads one table of a realm in batches, so that a realm of millions of rows is never in memory twice. */
export async function* readTable<T extends StateTable>(
  sql: Sql,
  table: T,
  realmId: RealmId,
): AsyncGenerator<StateRows[T][]> {
  const columns = table === "realms" ? quoted(realmColumns) : "*";
  const where = table === "realms" ? "id = $1" : "realm_id = $1";
  // Unsafe: names of tables and columns are no parameters.
  const all = sql.unsafe<StateRows[T][]>(`select ${columns} from ${table} where ${where}`, [realmId]);
  for await (const rows of ahead(all.cursor(rowsPerBatch))) {
    yield rows.map(compact);
  }
}
