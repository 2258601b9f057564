/** Rows of an organization, of every table, to compare with those of its copy. */
import { realmSettings } from "../../../actors/realm/state/settings.ts";
import { userSettings } from "../../../actors/users/settings/settings.ts";
import { allRead } from "../../../storage/messages/read-segments.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { along, columns } from "./columns.ts";

/** Every column of every table that there is: `table.column`. */
export async function columnsThereAre(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like 'realm\_log\_%'
    order by 1`;
  return rows.map(({ name }) => name);
}

/** The same of those that the list knows; of a table that stays behind those that there are. */
export function columnsKnown(there: readonly string[]): string[] {
  return Object.entries(columns)
    .flatMap(([table, of]) =>
      typeof of === "string"
        ? there.filter((name) => name.startsWith(`${table}.`))
        : Object.keys(of).map((column) => `${table}.${column}`),
    )
    .sort();
}

/** Rows by table, with the columns that come along. */
export async function rowsOf(sql: Sql, realmId: number): Promise<Record<string, Record<string, unknown>[]>> {
  const found: Record<string, Record<string, unknown>[]> = {};
  for (const [table, of] of Object.entries(columns)) {
    const names = typeof of === "string" ? [] : Object.keys(of).filter((name) => of[name] === along);
    if (names.length === 0) continue;
    const list = names.map((name) => `"${name}"`).join(", ");
    const key = table === "realms" ? "id" : "realm_id";
    // Unsafe: names of tables and columns are no parameters.
    found[table] = [...(await sql.unsafe(`select ${list} from ${table} where ${key} = $1`, [realmId]))];
  }
  const chosen = (settings: Record<string, unknown>, known: Readonly<Record<string, { default: unknown }>>) =>
    Object.fromEntries(Object.entries(settings).filter(([name, value]) => known[name]?.default !== value));
  // What somebody chose may be the default.
  for (const row of found["realms"]!)
    row["settings"] = chosen(row["settings"] as Record<string, unknown>, realmSettings);
  for (const row of found["users"]!) row["settings"] = chosen(row["settings"] as Record<string, unknown>, userSettings);
  // Sets of ids reach into the future, and may have other gaps where there are no messages. What somebody has read
  // without having received it is never unread.
  // Unsafe: a table's name is no parameter.
  for (const table of ["received", "read_states"])
    found[table] = await sql.unsafe(
      `select s.user_id, s.recipient_id, array_agg(m.id order by m.id) as messages
         ${table === "received" ? ", upper_inf(s.ids) as goes_on" : ""}
       from ${table === "received" ? table : `(select user_id, recipient_id, realm_id, ${allRead("r")} as ids from read_states r)`} s join messages m on m.recipient_id = s.recipient_id and s.ids @> m.id
       where s.realm_id = $1 and m.realm_id = $1 and (m.channel_id is null or exists (
         select from received r where r.user_id = s.user_id and r.recipient_id = s.recipient_id and r.ids @> m.id))
       group by s.user_id, s.recipient_id, s.ids`,
      [realmId],
    );
  found["direct_conversation_members"] = [
    ...(await sql`
      select m.user_id, m.recipient_id from direct_conversation_members m
      join direct_conversations c on c.recipient_id = m.recipient_id where c.realm_id = ${realmId}`),
  ];
  // Names of lists tell whether their order means something: here it does not.
  return Object.fromEntries(Object.entries(found).map(([table, rows]) => [`${table} rows`, rows]));
}

/** Columns that say the same in every row, if anything: nothing is known of these. */
export function unsaid(rows: Readonly<Record<string, readonly Record<string, unknown>[]>>): string[] {
  return Object.entries(rows).flatMap(([table, some]) =>
    [...new Set(some.flatMap((row) => Object.keys(row)))]
      .filter((name) => some.every((row) => isNothing(row[name])))
      .map((name) => `${table.replace(/ rows$/, "")}.${name}`)
      .concat(some.length === 0 ? [table] : []),
  );
}

const isNothing = (value: unknown): boolean =>
  value === null || value === "" || value === false || ["[]", "{}"].includes(JSON.stringify(value));

/**
 * Puts something into every column that the API left as it began. Servers that have the organization in memory do not
 * hear of it.
 */
export async function sayEverything(sql: Sql, realmId: number): Promise<void> {
  const [bob, cy, dee] = await sql<{ id: number }[]>`
    select id from users where realm_id = ${realmId} and full_name in ('Bob', 'Cy', 'Dee') order by full_name`;
  await sql`update users set first_login_at = 1700000000, has_unconfirmed_email = true where id = ${bob!.id}`;
  await sql`update users set is_imported_stub = true where id = ${cy!.id}`;
  await sql`update users set is_deleted = true where id = ${dee!.id}`;
  await sql`update channels set is_web_public = true where realm_id = ${realmId} and name = 'open'`;
  await sql`update channels set message_retention_days = 30 where realm_id = ${realmId} and name = 'plans'`;
  await sql`
    update subscriptions set is_muted = true, desktop_notifications = true, audible_notifications = true,
      push_notifications = true, email_notifications = true, wildcard_mentions_notify = true
    where user_id = ${bob!.id} and channel_id in (select id from channels where name = 'plans')`;
  await sql`update user_groups set deactivated = true where realm_id = ${realmId} and name = 'all of them'`;
  await sql`update channel_folders set is_archived = true where realm_id = ${realmId}`;
  await sql`
    update linkifiers set example_input = '#7', reverse_template = '#{id}', alternative_url_templates = '["https://x.example.com/{id}"]'
    where realm_id = ${realmId}`;
  await sql`
    update custom_profile_fields set type = 3, field_data = '{"Ulm":{"text":"Ulm","order":"1"}}', required = true,
      display_in_profile_summary = true, use_for_user_matching = true
    where realm_id = ${realmId} and name = 'Town'`;
  await sql`update realm_emoji set deactivated = true where realm_id = ${realmId}`;
  await sql`
    update messages set has_image = true, topic_wildcard = true, topic_participants = array[${bob!.id}::bigint]
    where realm_id = ${realmId} and has_reaction`;
  await sql`update message_flags set collapsed = true where realm_id = ${realmId} and starred`;
  await sql`update scheduled_messages set failed = true, read_by_sender = true where realm_id = ${realmId} and type = 'stream'`;
  await sql`update attachments set image = '{"width": 1, "height": 2, "type": "image/png", "frames": 1}' where realm_id = ${realmId} and message_ids <> '{}'`;
  await sql`
    insert into presence (user_id, realm_id, active_at, idle_at, update_id)
    values (${bob!.id}, ${realmId}, 1700000001, 1700000002, 7) on conflict do nothing`;
}
