import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Database, type Sql, takeTime } from "./postgres.ts";

const directory = fileURLToPath(new URL("./migrations/", import.meta.url));
/**
 * Any number that no other program uses in this database. By it two nodes that start at once migrate one after the
 * other.
 */
const advisoryLock = 7_275_539_911;

/** A newer program has migrated this database further than this one knows. Nothing was done. */
export class NewerSchema extends Error {
  override name = "NewerSchema";
  constructor(names: readonly string[]) {
    super(
      `A newer Parley has changed this database (${names.join(", ")}): start that one, or restore an older backup.`,
    );
  }
}

/** Names of all migrations, in the order in which they are applied. */
export function migrationNames(): string[] {
  return readdirSync(directory)
    .filter((name) => /^\d{3}_.*\.sql$/.test(name))
    .sort();
}

/**
 * A migration is known by its words. Some that were written side by side have got numbers of their own later, and
 * databases were migrated before.
 */
const wordsOf = (name: string): string => name.replace(/^\d+_/, "");

/** Those of `names` that are among `others`, whatever their numbers were then. */
export function migrationsAmong(names: readonly string[], others: readonly string[]): string[] {
  const words = new Set(others.map(wordsOf));
  return names.filter((name) => words.has(wordsOf(name)));
}

/** @throws NewerSchema when a database or a backup that has these needs a newer program */
export function refuseNewer(applied: readonly string[], names: readonly string[]): void {
  const known = new Set(migrationsAmong(applied, names));
  const newer = applied.filter((name) => !known.has(name)).sort();
  if (newer.length > 0) throw new NewerSchema(newer);
}

/**
 * Applies the numbered files of `migrations/` that this database has not seen, each once, in order. Returns their
 * names.
 *
 * @throws NewerSchema
 */
export async function migrate(database: Database): Promise<string[]> {
  return database.transaction(async (sql) => {
    await takeTime(sql);
    await lockMigrations(sql);
    return applyMigrations(sql, migrationNames());
  });
}

/** Makes programs that change the tables wait for each other, until their transactions end. */
export async function lockMigrations(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`;
}

/**
 * `migrate`, in the caller's transaction and as far as `names` go.
 *
 * @throws NewerSchema
 */
export async function applyMigrations(sql: Sql, names: readonly string[]): Promise<string[]> {
  await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`;
  const before = (await sql<{ name: string }[]>`select name from migrations`).map((row) => row.name);
  refuseNewer(before, names);
  const done = new Set(migrationsAmong(names, before));
  const applied: string[] = [];
  for (const name of names.filter((name) => !done.has(name))) {
    // Unsafe: a migration is a file of several statements.
    await sql.unsafe(migrationText(name));
    await sql`insert into migrations (name) values (${name})`;
    applied.push(name);
  }
  return applied;
}

const migrationText = (name: string): string => readFileSync(`${directory}${name}`, "utf8");

/** Every table and sequence that any migration makes, by name, and the list of migrations. */
export function relationsOfSchema(): { tables: string[]; sequences: string[] } {
  const text = migrationNames().map(migrationText).join("\n");
  const made = (kind: string) =>
    [...text.matchAll(new RegExp(`^create (?:unlogged )?${kind} (\\w+)`, "gm"))].map(([, name = ""]) => name);
  return { tables: ["migrations", ...made("table")], sequences: made("sequence") };
}
