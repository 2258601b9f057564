import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";

/** A database that only its maker knows. */
export interface TestDatabase {
  /** How to connect. */
  url: string;
  /** Closes every connection to it and removes it. */
  drop(): Promise<void>;
}

/**
 * Makes a new database on this run's PostgreSQL: empty, or a copy of `template` (the `url` of another one, to which nobody may be
 * connected at that moment; copying beats migrating again).
 */
export async function createTestDatabase(template?: string): Promise<TestDatabase> {
  const server = inject("databaseUrl");
  const name = `parley_test_${randomUUID().replaceAll("-", "")}`;
  const source = template === undefined ? "template0" : databaseOf(template);
  await administer(server, `CREATE DATABASE "${name}" TEMPLATE "${source}"`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

async function administer(server: string, statement: string): Promise<void> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
