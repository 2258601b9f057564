import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Database } from "./postgres.ts";

const directory = fileURLToPath(new URL("./migrations/", import.meta.url));
/**
 * Any number that no other program takes in this database; two nodes starting at once then migrate one after the other.
 */
const advisoryLock = 7_275_539_911;

/** A newer program has changed this database in ways that this one does not know. Nothing was done. */
export class NewerSchema extends Error {
  override name = "NewerSchema";
  constructor(names: readonly string[]) {
    super(
      `A newer Parley has changed this database (${names.join(", ")}): start that one, or restore an older backup.`,
    );
  }
}

/**
 * Applies the numbered files of `migrations/` that this database has not seen, each once, in order. Returns their
 * names.
 *
 * @throws NewerSchema
 */
export async function migrate(database: Database): Promise<string[]> {
  const files = readdirSync(directory)
    .filter((name) => /^\d{3}_.*\.sql$/.test(name))
    .sort();
  return database.transaction(async (sql) => {
    await sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`;
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`;
    const done = new Set((await sql<{ name: string }[]>`select name from migrations`).map((row) => row.name));
    const newer = [...done].filter((name) => !files.includes(name)).sort();
    if (newer.length > 0) throw new NewerSchema(newer);
    const applied: string[] = [];
    for (const name of files.filter((file) => !done.has(file))) {
      // Unsafe: a migration is a file of several statements.
      await sql.unsafe(readFileSync(`${directory}${name}`, "utf8"));
      await sql`insert into migrations (name) values (${name})`;
      applied.push(name);
    }
    return applied;
  });
}
