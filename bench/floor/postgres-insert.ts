/**
 * The floor under sending: bare postgres.js that inserts the rows which a server wrote for its messages, and does
 * nothing else.
 *
 * The rows are copies: of each table that grew with the messages, one batch of its newest rows is read. A table of the
 * same columns, defaults and indexes (no foreign keys, no partitions) is made in a schema of its own. A batch then goes
 * in by one prepared statement, so one round trip and one flush to disk, over one connection, with fresh keys. Batches
 * follow each other.
 */
import postgres from "postgres";
import { answer } from "../harness/child.ts";

export interface Source {
  url: string;
  /** Tables that grew, with the rows that one message adds to each. */
  tables: readonly { name: string; rowsPerMessage: number }[];
  messagesPerBatch: number;
}

interface Column {
  name: string;
  type: string;
  /** An integer that a unique index needs to be fresh in every row. */
  isCounter: boolean;
}

interface Copy {
  table: string;
  columns: Column[];
  /** Values by column, as text: PostgreSQL reads them by the column's type, whatever it is. */
  values: (string | null)[][];
  rows: number;
}

const schema = "bench_floor";
let sql: postgres.Sql | undefined;
let copies: Copy[] = [];
let statement = "";
let messagesPerBatch = 0;
let batches = 0;

async function copyTable(from: postgres.Sql, name: string, index: number, rows: number): Promise<Copy> {
  const table = `${schema}.copy_${index}`;
  await from.unsafe(`create table ${table} (like ${name} including all)`);
  const described = await from<{ name: string; type: string; counter: boolean }[]>`
    select quote_ident(a.attname) as name, format_type(a.atttypid, a.atttypmod) as type,
           a.atttypid in ('int4'::regtype, 'int8'::regtype) and exists (
             select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any (i.indkey)) as counter
    from pg_attribute a
    where a.attrelid = ${name}::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`;
  const list = described.map((column) => `${column.name}::text`).join(", ");
  const sample = await from.unsafe(`select ${list} from ${name} order by ctid desc limit ${rows}`).values();
  if (sample.length < rows) throw new Error(`${name} has ${sample.length} rows, ${rows} are needed`);
  const values = described.map((_, place) => sample.map((row) => row[place] as string | null));
  const columns = described.map(({ name, type, counter }, place) => ({
    name,
    type,
    isCounter: counter && new Set(values[place]).size === rows,
  }));
  return { table, columns, values, rows };
}

/**
 * `insert into copy (a, b) select u.a::bigint, u.b::text from unnest($1::text[], $2::text[]) as u(a, b)` for each copy.
 */
function insertStatement(): string {
  let parameters = 0;
  const inserts = copies.map(({ table, columns }) => {
    const names = columns.map((column) => column.name).join(", ");
    const typed = columns.map((column) => `u.${column.name}::${column.type}`).join(", ");
    const arrays = columns.map(() => `$${++parameters}::text[]`).join(", ");
    return `insert into ${table} (${names}) select ${typed} from unnest(${arrays}) as u(${names})`;
  });
  const last = inserts.pop();
  const first = inserts.map((insert, index) => `i${index} as (${insert})`).join(", ");
  return first === "" ? last! : `with ${first} ${last}`;
}

function nextBatch(): (string | null)[][] {
  batches++;
  return copies.flatMap(({ columns, values, rows }) =>
    columns.map((column, place) =>
      column.isCounter ? values[place]!.map((_, row) => String(batches * rows + row)) : values[place]!,
    ),
  );
}

answer({
  async prepare(source: Source): Promise<void> {
    sql = postgres(source.url, { max: 1, onnotice: () => {} });
    await sql.unsafe(`drop schema if exists ${schema} cascade; create schema ${schema}`).simple();
    messagesPerBatch = source.messagesPerBatch;
    copies = [];
    for (const [index, { name, rowsPerMessage }] of source.tables.entries()) {
      copies.push(await copyTable(sql, name, index, Math.round(rowsPerMessage * messagesPerBatch)));
    }
    statement = insertStatement();
  },
  /** Inserts the rows of so many messages. Returns how long it took. */
  async insert(messages: number): Promise<{ wallMs: number }> {
    if (sql === undefined) throw new Error("not prepared");
    const startedAt = performance.now();
    for (let sent = 0; sent < messages; sent += messagesPerBatch) {
      await sql.unsafe(statement, nextBatch(), { prepare: true });
    }
    return { wallMs: performance.now() - startedAt };
  },
});
process.on("disconnect", () => process.exit());
