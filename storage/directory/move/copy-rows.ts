/** Rows on their way from one database to another. */
import { copyIn } from "../../copy.ts";
import { onlyRow } from "../../failures.ts";
import type { RealmId } from "../../ids.ts";
import type { Sql } from "../../postgres.ts";
import type { RealmTable } from "./realm-tables.ts";

const quoted = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ");

/** Rows of a query, in COPY's text format. */
async function* rowsOut(sql: Sql, query: string): AsyncGenerator<Uint8Array> {
  // Unsafe: COPY takes no parameters; the names are PostgreSQL's own, and the numbers ours.
  const rows = await sql.unsafe(`copy (${query}) to stdout`).readable();
  yield* rows;
  // The driver pauses its socket while rows wait here. What follows the last rows would never be read.
  rows._read(0);
}

/** Copies the rows that fulfil a condition into the same table, or into another of its columns. */
export async function copyRows(
  from: Sql,
  into: Sql,
  { name, columns }: Pick<RealmTable, "name" | "columns">,
  where: string,
  as = name,
): Promise<void> {
  const list = quoted(columns);
  await copyIn(
    into,
    `copy "${as}" (${list}) from stdin`,
    rowsOut(from, `select ${list} from "${name}" where ${where}`),
  );
}

/** A transaction id of the source: rows that it or a later one wrote may be newer than a copy. */
const newerThan = (transaction: string): string => `age(xmin) <= age('${transaction}'::xid)`;

/**
 * Brings a copy of a large table up to date: rows written since, and rows that are gone. The source takes no changes
 * meanwhile.
 */
export async function renewRows(
  from: Sql,
  into: Sql,
  table: RealmTable,
  { realmId, since }: { realmId: RealmId; since: string },
): Promise<void> {
  const { name, columns, key } = table;
  const own = table.of(realmId);
  const fresh = `${own} and ${newerThan(since)}`;
  if (key.length === 0) return addNewest(from, into, table, own);
  const renewed = `renewed_${name}`;
  // Unsafe: names of tables and columns are no parameters.
  const run = (statement: string) => into.unsafe(statement);
  await run(`create temp table "${renewed}" on commit drop as select ${quoted(columns)} from "${name}" limit 0`);
  await copyRows(from, into, table, fresh, renewed);
  const matches = key.map((column) => `t."${column}" = r."${column}"`).join(" and ");
  // While others have a transaction open, rows that the copy has count as newer, too: here they are the same.
  const add = `insert into "${name}" (${quoted(columns)}) select ${quoted(columns)} from "${renewed}"`;
  if (table.isOnlyAdded) return void (await run(`${add} on conflict do nothing`));
  await run(`delete from "${name}" t using "${renewed}" r where ${matches}`);
  await run(add);
  // The copy has each row that there is now. If it has as many, it has no other.
  if ((await countRows(from, name, own)) === (await countRows(into, name, own))) return;
  await run(`create temp table "kept_${name}" on commit drop as select ${quoted(key)} from "${name}" limit 0`);
  await copyRows(from, into, { name, columns: key }, own, `kept_${name}`);
  await run(`delete from "${name}" t where ${own} and not exists (select from "kept_${name}" r where ${matches})`);
}

/** The log has no key. Its rows come in the order of their positions, and go by days, which nobody minds. */
async function addNewest(from: Sql, into: Sql, table: RealmTable, own: string): Promise<void> {
  // Unsafe: a table's name is no parameter.
  const rows = await into.unsafe<{ last: number }[]>(
    `select coalesce(max(position), 0) as last from "${table.name}" where ${own}`,
  );
  await copyRows(from, into, table, `${own} and position > ${onlyRow(rows).last}`);
}

async function countRows(sql: Sql, name: string, where: string): Promise<number> {
  // Unsafe: a table's name is no parameter.
  const rows = await sql.unsafe<{ count: number }[]>(`select count(*) as count from "${name}" where ${where}`);
  return onlyRow(rows).count;
}
