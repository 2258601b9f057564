/**
 * PostgreSQL's sessions have to be this server's own. It listens by one of them, ends by number those that hold it up,
 * and prepares statements in each. A pooler that lends a session for one transaction keeps none of it. Nobody
 * would notice but by errors now and then. So a server does not start behind one.
 */
import { codeOf, messageOf, onlyRow } from "../failures.ts";
import type { Database } from "../postgres.ts";

/** `DATABASE_URL` leads to a pooler that cannot be used as it is set up. */
export class UnusablePooler extends Error {
  override name = "UnusablePooler";
}

/** What each connection asks for as it begins (`postgres.ts`), which a pooler has to let pass. */
const startupParameters = "max_parallel_workers_per_gather, jit, statement_timeout";
const protocolViolation = "08P01";
/** Where a pooler is busy with others, two connections need not share a session at once. */
const looks = 3;

/**
 * Looks at two connections, before any other is open. With fewer connections than have a vital part it looks at none.
 * @throws UnusablePooler, and what PostgreSQL says when it lets nobody in
 */
export async function checkSessions(database: Database): Promise<void> {
  const numberOf = async ({ sql }: Database) => {
    // Unsafe: a constant, which is not prepared, as a tagged template would be.
    const rows = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
    return onlyRow(rows).pid;
  };
  const first = await numberOf(database).catch((error: unknown) => {
    throw inWords(error);
  });
  if (database.vital === database) return;
  const second = await numberOf(database.vital);
  for (let look = 0; look < looks; look++) {
    // A session keeps its number, and no two have the same.
    if (first !== second && (await numberOf(database)) === first && (await numberOf(database.vital)) === second)
      continue;
    throw new UnusablePooler(
      "DATABASE_URL leads to a pooler that lends PostgreSQL's sessions to others after each transaction, as PgBouncer " +
        "does with pool_mode = transaction: name PostgreSQL itself, or set pool_mode = session.",
    );
  }
}

function inWords(error: unknown): unknown {
  const message = messageOf(error);
  if (codeOf(error) !== protocolViolation || !message.includes("startup parameter")) return error;
  return new UnusablePooler(
    `DATABASE_URL leads to a pooler that refuses what Parley sets for its sessions (${message}): name PostgreSQL itself, ` +
      `or PgBouncer with pool_mode = session and ignore_startup_parameters = ${startupParameters}.`,
  );
}
