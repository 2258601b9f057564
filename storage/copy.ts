import { finished } from "node:stream/promises";
import { messageOf } from "./failures.ts";
import type { Sql } from "./postgres.ts";

/**
 * Sends pieces to a statement `copy … from stdin`, in the caller's transaction.
 *
 * @throws what PostgreSQL says about the rows
 */
export async function copyIn(
  sql: Sql,
  statement: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  // Unsafe: COPY takes no parameters.
  const into = await sql.unsafe(statement).writable();
  const ended = finished(into);
  // It is waited for below, unless a piece fails.
  ended.catch(() => {});
  try {
    for await (const piece of pieces)
      await new Promise<void>((resolve, reject) => into.write(piece, (error) => (error ? reject(error) : resolve())));
  } catch (error) {
    into.destroy(error instanceof Error ? error : new Error(messageOf(error)));
    throw error;
  }
  into.end();
  // The driver tells nobody when PostgreSQL refuses rows at their end. A statement behind them is refused then, too.
  await new Promise(setImmediate);
  await Promise.all([ended, sql`select 1`]);
}
