/** Restores a backup into a database that is empty, or whose content is given up: all of it, or nothing. */
import { copyIn } from "../copy.ts";
import { onlyRow } from "../failures.ts";
import type { FileStore } from "../files/file-store.ts";
import {
  applyMigrations,
  lockMigrations,
  migrationNames,
  migrationsAmong,
  refuseNewer,
  relationsOfSchema,
} from "../migrate.ts";
import type { Database, Sql } from "../postgres.ts";
import { WrongSecretKey } from "../secret-key.ts";
import { checkOpens, checkSecretKey, renewAllKeys } from "../users/credentials.ts";
import type { Section } from "./archive.ts";
import { type BackupCounts, readBackup } from "./backup.ts";

/** The database is not empty, or is in use. Nothing was done. */
export class NotEmpty extends Error {
  override name = "NotEmpty";
}

const namePattern = /^[a-z_][a-z0-9_]*$/;

/**
 * Restores a backup into a database, and its files into their store. The tables are made as they were when it was
 * written, filled, and then migrated, in one transaction.
 *
 * @param isForced whether an existing organization is replaced
 * @param renewsKeys whether everybody gets a new API key, for a backup whose secret key is lost
 * @throws NotEmpty, NewerSchema, DamagedArchive, WrongSecretKey
 */
export async function restoreBackup(
  database: Database,
  files: FileStore,
  path: string,
  { isForced = false, renewsKeys = false } = {},
): Promise<BackupCounts> {
  const counts: BackupCounts = { tables: 0, rows: 0, files: 0 };
  await database.transaction(async (sql) => {
    await sql`set local statement_timeout = 0`;
    await lockMigrations(sql);
    await refuseUsed(sql, isForced);
    await readBackup(path, async (archive) => {
      const { migrations } = await archive.header();
      const known = migrationNames();
      refuseNewer(migrations, known);
      await dropTables(sql);
      await applyMigrations(sql, migrationsAmong(known, migrations));
      for await (const section of archive.sections()) await restoreSection(sql, files, section, counts);
      await applyMigrations(sql, known);
      await (renewsKeys ? renewAllKeys(sql) : checkKeys(sql));
      await checkSecretKey(sql);
    });
  });
  return counts;
}

async function checkKeys(sql: Sql): Promise<void> {
  try {
    await checkOpens(sql);
  } catch (error) {
    if (!(error instanceof WrongSecretKey)) throw error;
    throw new WrongSecretKey(
      `${error.message} Name the secret key of the server that the backup is of (PARLEY_SECRET_KEY_FILE or PARLEY_SECRET_KEY), or have everybody be given a new API key (--new-keys).`,
    );
  }
}

async function refuseUsed(sql: Sql, isForced: boolean): Promise<void> {
  const others = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'parley' and pid <> pg_backend_pid()`;
  if (others.length > 0) throw new NotEmpty("A Parley is connected to this database: stop it first.");
  const realms = onlyRow(await sql<{ name: string | null }[]>`select to_regclass('realms')::text as name`);
  if (isForced || realms.name === null) return;
  const { count } = onlyRow(await sql<{ count: number }[]>`select count(*) as count from realms`);
  if (count > 0)
    throw new NotEmpty(
      `This database has ${count} organization${count === 1 ? "" : "s"}: --force removes what is there.`,
    );
}

async function dropTables(sql: Sql): Promise<void> {
  const { tables, sequences } = relationsOfSchema();
  // Unsafe: names of tables are no parameters; these are those of the migrations.
  await sql.unsafe(
    `drop table if exists ${tables.join(", ")} cascade; drop sequence if exists ${sequences.join(", ")} cascade`,
  );
}

async function restoreSection(
  sql: Sql,
  files: FileStore,
  { meta, data }: Section,
  counts: BackupCounts,
): Promise<void> {
  if (meta.kind === "file") {
    await files.put(meta.path, data);
    counts.files++;
  } else if (meta.kind === "sequences") await restoreSequences(sql, data);
  else {
    // The names may be anybody's.
    for (const name of [meta.name, ...meta.columns])
      if (!namePattern.test(name)) throw new Error(`This backup names a table or column "${name}".`);
    const list = meta.columns.map((column) => `"${column}"`).join(", ");
    // Unsafe: COPY takes no parameters; the names were looked at above.
    await copyIn(sql, `copy ${meta.name} (${list}) from stdin`, data);
    // Unsafe: a table's name is no parameter.
    const rows = await sql.unsafe<{ count: number }[]>(`select count(*) as count from ${meta.name}`);
    counts.rows += onlyRow(rows).count;
    counts.tables++;
  }
}

async function restoreSequences(sql: Sql, data: AsyncIterable<Uint8Array>): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of data) pieces.push(piece);
  const next: Record<string, unknown> = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  for (const [name, value] of Object.entries(next)) {
    if (!namePattern.test(name) || typeof value !== "number" || !Number.isSafeInteger(value))
      throw new Error(`This backup has a sequence "${name}".`);
    await sql`select setval(${name}::text::regclass, ${value}::bigint, false)`;
  }
}
