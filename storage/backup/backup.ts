/** Writes a backup while servers serve: all of the database as it was at one moment, then the uploaded files. */
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { syncFolder } from "../durable-file.ts";
import { onlyRow } from "../failures.ts";
import { type FileStore, piecesOf } from "../files/file-store.ts";
import { migrationNames, refuseNewer, relationsOfSchema } from "../migrate.ts";
import type { Database, Sql } from "../postgres.ts";
import { ArchiveReader, type SectionToWrite, writeArchive } from "./archive.ts";

/**
 * Tables that a backup leaves out. `migrations` is in its header, `letters` between nodes are short-lived. Queues end
 * with a restore. Events that their clients got since the backup are not in it, so they register anew. The log is for
 * queues only. Exports are copies of what is in it. Nodes know an installation by its name and key, and a restored one
 * must get new ones.
 */
const leftOut = new Set(["migrations", "event_queues", "realm_log", "installation", "letters", "realm_exports"]);

/** Files that are left out with their table. */
const exportsFolder = "exports/";

export interface BackupCounts {
  tables: number;
  rows: number;
  files: number;
}

/**
 * Writes a backup of the database, and of the files if any are given, to `path`, whole or not at all. Reads it again.
 * Only this process's account may read it, since it holds everybody's keys.
 * @throws Error when `path` is there already
 */
export async function writeBackup(
  database: Database,
  files: FileStore | undefined,
  path: string,
): Promise<BackupCounts> {
  const unfinished = `${path}.part`;
  const counts: BackupCounts = { tables: 0, rows: 0, files: 0 };
  await refuseExisting(path);
  try {
    await database.transaction(async (sql) => {
      await sql`set local statement_timeout = 0`;
      const header = { made_at: new Date().toISOString(), migrations: await migrationsOf(sql) };
      await pipeline(
        writeArchive(header, sections(sql, files, counts)),
        createGzip(),
        createWriteStream(unfinished, { flags: "w", mode: 0o600, flush: true }),
      );
    }, "isolation level repeatable read read only");
    await verifyBackup(unfinished);
    await refuseExisting(path);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return counts;
}

/** @throws Error for a database that has none, NewerSchema for one whose tables this program may not know */
async function migrationsOf(sql: Sql): Promise<string[]> {
  const table = onlyRow(await sql<{ name: string | null }[]>`select to_regclass('migrations')::text as name`);
  if (table.name === null) throw new Error("There is nothing of Parley in this database.");
  const names = (await sql<{ name: string }[]>`select name from migrations order by name`).map(({ name }) => name);
  refuseNewer(names, migrationNames());
  return names;
}

async function refuseExisting(path: string): Promise<void> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return;
  await file.close();
  throw new Error(`${path} is there already: choose another name, or remove it.`);
}

/** Reads a backup to its end. @throws DamagedArchive */
export async function verifyBackup(path: string): Promise<void> {
  await readBackup(path, async (archive) => {
    await archive.header();
    for await (const { data } of archive.sections()) for await (const _ of data);
  });
}

/** Has `body` read a backup. @throws the errors of `body`, and DamagedArchive if it is no gzip stream */
export async function readBackup(path: string, body: (archive: ArchiveReader) => Promise<void>): Promise<void> {
  await pipeline(createReadStream(path), createGunzip(), (bytes: AsyncIterable<Uint8Array>) =>
    body(new ArchiveReader(bytes)),
  );
}

async function* sections(sql: Sql, files: FileStore | undefined, counts: BackupCounts): AsyncGenerator<SectionToWrite> {
  for (const name of await tablesInOrder(sql)) {
    const columns = await columnsOf(sql, name);
    const list = columns.map((column) => `"${column}"`).join(", ");
    // Unsafe: COPY takes no parameters; the names are those of the migrations.
    const rows = await sql.unsafe(`copy ${name} (${list}) to stdout`).readable();
    yield { meta: { kind: "table", name, columns }, data: counted(rows, counts) };
    counts.tables++;
  }
  // After the tables, whose snapshot gets no further rows: so the sequences' next values are above all ids in them.
  const next = Buffer.from(JSON.stringify(await readSequences(sql)));
  yield { meta: { kind: "sequences" }, data: [next] };
  if (files === undefined) return;
  for await (const { path } of files.list()) {
    // A file that was removed meanwhile went with its message.
    const file = path.startsWith(exportsFolder) ? undefined : await files.open(path);
    if (file === undefined) continue;
    yield { meta: { kind: "file", path }, data: piecesOf(file) };
    counts.files++;
  }
}

/** A row is a line: its values have no line breaks. */
async function* counted(rows: Readable, counts: BackupCounts): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterable<Buffer> = rows;
  for await (const piece of pieces) {
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) counts.rows++;
    yield piece;
  }
  // The driver pauses its socket while rows wait here, and resumes it when more are asked for. After the last rows
  // nobody asks, so what follows them would never be read.
  rows._read(0);
}

/** The tables of a backup, each after those that it refers to. */
async function tablesInOrder(sql: Sql): Promise<string[]> {
  const references = await sql<{ name: string; target: string }[]>`
    select conrelid::regclass::text as name, confrelid::regclass::text as target from pg_constraint where contype = 'f'`;
  const existing = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`;
  const names = new Set(existing.map(({ name }) => name));
  const ordered = new Set<string>();
  const add = (name: string): void => {
    if (ordered.has(name) || leftOut.has(name) || !names.has(name)) return;
    for (const { target } of references.filter((one) => one.name === name && one.target !== name)) add(target);
    ordered.add(name);
  };
  for (const name of relationsOfSchema().tables) add(name);
  return [...ordered];
}

/** Made of the others by a trigger, and as long as they are. */
const madeColumns = ["messages.search"];

/** A table's columns, without those that are made of others. */
async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;
  return rows.map(({ name }) => name).filter((name) => !madeColumns.includes(`${table}.${name}`));
}

async function readSequences(sql: Sql): Promise<Record<string, number>> {
  const next: Record<string, number> = {};
  const existing = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'S' and relnamespace = current_schema()::regnamespace`;
  const names = new Set(existing.map(({ name }) => name));
  // An older Parley's database has not all of them.
  for (const name of relationsOfSchema().sequences.filter((one) => names.has(one))) {
    // Unsafe: a sequence is read like a table; the names are those of the migrations.
    const rows = await sql.unsafe<{ next: number }[]>(
      `select last_value + case when is_called then (select seqincrement from pg_sequence where seqrelid = '${name}'::regclass)
         else 0 end as next from ${name}`,
    );
    next[name] = onlyRow(rows).next;
  }
  return next;
}
