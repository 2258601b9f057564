/** Sessions of somebody else's in a server's database, which keep its statements waiting where a test wants them. */
import { connect, type Sql } from "../../../storage/postgres.ts";
import type { TestServer } from "../server/server.ts";
import { until } from "../time/until.ts";

/** A transaction that has what others wait for. */
export interface Holder {
  /** Has it do one thing more. Resolves when that is done. */
  goOn(step: (sql: Sql) => Promise<unknown>): Promise<void>;
  /** Ends it. */
  letGo(): Promise<void>;
}

/** Begins such a transaction. Resolves when it has what `lock` takes. */
export async function holdLock(server: TestServer, lock: (sql: Sql) => Promise<unknown>): Promise<Holder> {
  const session = connect(server.server.app.config.databaseUrl!, { maxConnections: 1 });
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  let transaction: Sql | undefined;
  const over = session.transaction(async (sql) => {
    await lock(sql);
    transaction = sql;
    await ended;
  });
  // It ends this early only by failing.
  over.catch(() => {});
  await Promise.race([over, until("a lock to be held", () => transaction !== undefined)]);
  return {
    async goOn(step) {
      await step(transaction!);
    },
    async letGo() {
      end();
      await over;
      await session.close();
    },
  };
}

/** The session whose statement, with these words in it, waits for a lock; once there is one. */
export async function waiterFor(server: TestServer, words: string): Promise<number> {
  let pid: number | undefined;
  await beside(server, (sql) =>
    until(`"${words}" to wait for a lock`, async () => {
      const rows = await sql<{ pid: number }[]>`
        select pid from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and strpos(query, ${words}) > 0`;
      pid = rows[0]?.pid;
      return pid !== undefined;
    }),
  );
  return pid!;
}

/** Ends a session of the server's. */
export async function endSession(server: TestServer, pid: number): Promise<void> {
  await beside(server, async (sql) => {
    await sql`select pg_terminate_backend(${pid})`;
  });
}

/** On a connection of its own: all of the server's may be waiting for what a test holds. */
async function beside(server: TestServer, work: (sql: Sql) => Promise<void>): Promise<void> {
  const session = connect(server.server.app.config.databaseUrl!, { maxConnections: 1 });
  try {
    await work(session.sql);
  } finally {
    await session.close();
  }
}
