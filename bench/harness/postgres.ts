/**
 * PostgreSQL for one bench: the server that Parley embeds, with the settings that Parley gives it. The bench starts it,
 * so that it is nobody's child but the bench's. Empty at the start and durable (`fsync` and `synchronous_commit` on).
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";
import { ProcessTreeCpu } from "./cpu.ts";
import type { Setup } from "./setup.ts";

/** Not the temporary folder, which may be memory: a bench of durable writes is about a disk. */
const parent = fileURLToPath(new URL("../../../var/bench", import.meta.url));

export class BenchPostgres {
  private constructor(
    readonly url: string,
    readonly sql: postgres.Sql,
    /** Process id of the postmaster: the parent of every backend. */
    readonly pid: number,
  ) {}

  static async start(setup: Setup): Promise<BenchPostgres> {
    mkdirSync(parent, { recursive: true });
    removeStale();
    const dataDir = join(parent, `postgres-${process.pid}`);
    const server = await startEmbeddedPostgres({ dataDir, notify: (line) => setup.log(line) });
    setup.atEnd(async () => {
      await server.stop();
      rmSync(server.dataDir, { recursive: true, force: true });
      rmSync(dataDir, { recursive: true, force: true });
    });
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    setup.atEnd(() => sql.end({ timeout: 2 }));
    return new BenchPostgres(server.url, sql, server.pid);
  }

  /** Another database with the same in it, on the same PostgreSQL. Nobody else may be connected to this one. */
  async copy(setup: Setup, name: string): Promise<BenchPostgres> {
    const url = new URL(this.url);
    await this.sql`create database ${this.sql(name)} template ${this.sql(url.pathname.slice(1))}`;
    url.pathname = `/${name}`;
    const sql = postgres(url.href, { max: 1, onnotice: () => {} });
    setup.atEnd(() => sql.end({ timeout: 2 }));
    return new BenchPostgres(url.href, sql, this.pid);
  }

  /** Begins to count the CPU time of all of PostgreSQL's processes. */
  countCpu(): ProcessTreeCpu {
    return new ProcessTreeCpu(this.pid);
  }

  /** Log position: the difference of two is the bytes written ahead in between. */
  async walPosition(): Promise<bigint> {
    const [row] = await this.sql<{ bytes: string }[]>`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`;
    return BigInt(row!.bytes);
  }

  /**
   * Rows inserted, updated and deleted so far, by table of the public schema; a partition counts for the table it is
   * part of. Backends report late (an idle one after 10 s). So this waits until as many inserts into `witness` are
   * reported as it has rows. Nothing may be deleted from that table. @throws Error when that does not come about
   */
  async rowsWritten(witness: string): Promise<Map<string, number>> {
    await this.sql`select pg_stat_force_next_flush()`;
    const givenUpAt = performance.now() + reportingMs;
    while (performance.now() < givenUpAt) {
      const rows = await this.sql<{ name: string; rows: string; inserted: string }[]>`
        select coalesce(pg_partition_root(relid)::text, relid::regclass::text) as name,
               sum(n_tup_ins + n_tup_upd + n_tup_del) as rows, sum(n_tup_ins) as inserted
        from pg_stat_user_tables where schemaname = 'public' group by 1`;
      const [{ count } = { count: "0" }] = await this.sql<
        { count: string }[]
      >`select count(*) from ${this.sql(witness)}`;
      if (rows.find((row) => row.name === witness)?.inserted === count) {
        return new Map(rows.map((row) => [row.name, Number(row.rows)]));
      }
      await sleep(reportPeriodMs);
    }
    throw new Error(`PostgreSQL did not report the rows of ${witness} within ${reportingMs} ms`);
  }
}

/** Removes the databases of benches that were killed. */
function removeStale(): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^postgres-(\d+)$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isRunning(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const reportingMs = 20_000;
const reportPeriodMs = 200;

/** A TCP port that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve((address as { port: number }).port));
    });
  });
}
