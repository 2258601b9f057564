/** The tables that have rows of organizations, as PostgreSQL itself lists them: a new one needs no line anywhere. */
import type { RealmId } from "../../ids.ts";
import type { Sql } from "../../postgres.ts";

export interface RealmTable {
  name: string;
  /** Without those that PostgreSQL makes of others. */
  columns: readonly string[];
  /** Columns of the primary key; none: its rows are added, and go by days. */
  key: readonly string[];
  /** It grows with what is said. Most of its rows are copied before an organization stops. */
  isLarge: boolean;
  /** Its rows stay as they are until their organization goes: PostgreSQL refuses any change. */
  isOnlyAdded: boolean;
  /** Which rows are an organization's: a condition. */
  of(realmId: RealmId): string;
}

const large = new Set([
  "messages",
  "reactions",
  "message_flags",
  "received",
  "read_states",
  "read_segments",
  "attachments",
  "audit_log",
  "realm_log",
  "held_messages",
]);

const onlyAdded = new Set(["audit_log"]);

interface Described {
  name: string;
  columns: string[];
  key: string[];
}
interface Reference {
  name: string;
  column: string;
  target: string;
  targetColumn: string;
}

/** Each after those that it refers to, `realms` first. */
export async function readRealmTables(sql: Sql): Promise<RealmTable[]> {
  const tables = (await describeTables(sql)).filter(({ name }) => !ofServer.includes(name));
  const references = await sql<Reference[]>`
    select c.conrelid::regclass::text as name, a.attname::text as column, c.confrelid::regclass::text as target,
      f.attname::text as "targetColumn"
    from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_attribute f on f.attrelid = c.confrelid and f.attnum = c.confkey[1]
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and c.conparentid = 0`;
  const described = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Map<string, RealmTable>();
  const add = (name: string): RealmTable | undefined => {
    const table = described.get(name);
    if (!table || ordered.has(name)) return ordered.get(name);
    const own = references.filter((each) => each.name === name && each.target !== name);
    const before = own.flatMap((each) => ({ each, table: add(each.target) }));
    const of = conditionOf(table, before);
    if (!of) return undefined;
    ordered.set(name, { ...table, isLarge: large.has(name), isOnlyAdded: onlyAdded.has(name), of });
    return ordered.get(name);
  };
  add("realms");
  for (const { name } of tables) add(name);
  return [...ordered.values()];
}

function conditionOf(
  { name, columns }: Described,
  before: readonly { each: Reference; table: RealmTable | undefined }[],
): RealmTable["of"] | undefined {
  if (name === "realms") return (realmId) => `id = ${realmId}`;
  if (columns.includes("realm_id")) return (realmId) => `realm_id = ${realmId}`;
  const [found] = before.flatMap(({ each, table }) => (table ? [{ each, table }] : []));
  if (!found) return undefined;
  const { each, table } = found;
  return (realmId) =>
    `"${each.column}" in (select "${each.targetColumn}" from "${each.target}" where ${table.of(realmId)})`;
}

/** Those of the server, and the directory's, name organizations that may be elsewhere. */
const ofServer = ["realm_moves", "directory"];

const describeTables = (sql: Sql) => sql<Described[]>`
  select c.relname::text as name,
    (select json_agg(attname order by attnum) from pg_attribute
      where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
    (select coalesce(json_agg(a.attname order by place), '[]') from pg_index i
      cross join unnest(i.indkey::int2[]) with ordinality as k(attnum, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary) as key
  from pg_class c
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
    and c.relpersistence = 'p'
  order by c.relname`;
