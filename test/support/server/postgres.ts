import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { inject } from "vitest";
import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";
import { until } from "../time/until.ts";
import { dataFolder } from "./folder.ts";

/** A database that only its maker knows. */
export interface TestDatabase {
  /** How to connect. */
  url: string;
  /** Closes every connection to it and removes it. */
  drop(): Promise<void>;
}

/**
 * Makes a new database on this run's PostgreSQL: empty, or a copy of `template`. That is the `url` of another one, to
 * which nobody may be connected at that moment. A copy costs a tenth of migrating again.
 */
export function createTestDatabase(template?: string): Promise<TestDatabase> {
  return createDatabase(inject("databaseUrl"), template);
}

/** `createTestDatabase` on the PostgreSQL at `server`, a URL. */
export async function createDatabase(server: string, template?: string): Promise<TestDatabase> {
  const name = `parley_test_${randomUUID().replaceAll("-", "")}`;
  const source = template === undefined ? "template0" : databaseOf(template);
  await administer(server, `CREATE DATABASE "${name}" TEMPLATE "${source}" STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(server, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

/** A PostgreSQL of one test's own, which it may restart. */
export interface TestPostgres {
  /** How to connect; the same after `restart`. */
  readonly url: string;
  /**
   * Ends it as `pg_ctl restart -m` does, and resolves when it runs again: `immediate` recovers from its log like after
   * a crash.
   */
  restart(mode: "fast" | "immediate"): Promise<void>;
  /** Says of every change, as far as the log of a realm goes, what it says for that reason. */
  refuseChanges(why: "full disk" | "read-only"): Promise<void>;
  takeChanges(): Promise<void>;
  /** What it wrote into its log. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const dataDir = await dataFolder("postgres");
  const server = await startEmbeddedPostgres({ dataDir, isDurable: false, notify: () => {} });
  return {
    url: server.url,
    async restart(mode) {
      const before = server.pid;
      process.kill(before, mode === "fast" ? "SIGINT" : "SIGQUIT");
      // A busy machine takes its time to recover.
      await until("PostgreSQL to run again", () => server.pid !== before && canConnect(server.url), 120_000);
    },
    refuseChanges: (why) => administer(server.url, ...refusing[why]),
    takeChanges: () => administer(server.url, ...taking),
    log: () => readFile(join(server.dataDir, "postgres.log"), "utf8"),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A disk is not filled: what PostgreSQL says of one that is, it says from a trigger. */
const refusing = {
  "full disk": [
    `create or replace function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
    "create trigger full_disk before insert on realm_log for each statement execute function full_disk()",
  ],
  "read-only": ["alter system set default_transaction_read_only = on", "select pg_reload_conf()"],
};
const taking = [
  "set default_transaction_read_only = off",
  "alter system reset default_transaction_read_only",
  "select pg_reload_conf()",
  "drop trigger if exists full_disk on realm_log",
];

async function canConnect(url: string): Promise<boolean> {
  try {
    await administer(url, "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

async function administer(server: string, ...statements: string[]): Promise<void> {
  // Asked for the types of arrays, a connection that is lost meanwhile ends the process.
  const sql = postgres(server, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
