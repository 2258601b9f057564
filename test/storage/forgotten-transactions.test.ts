/**
 * The fate of a commit without an answer, after PostgreSQL crashed. It may give the id of a transaction that had not
 * reached the disk to another, which ends otherwise.
 */
import { describe, expect, it } from "vitest";
import { isCommitted } from "../../storage/log/commit-fate.ts";
import type { Sql } from "../../storage/postgres.ts";
import { appendLog, type Fenced, fence } from "../../storage/realm-log.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";
import { startPostgres, type TestPostgres } from "../support/server/postgres.ts";
import { until } from "../support/time/until.ts";

/** PostgreSQL's own upkeep may have taken the id, or written to the disk that it is taken. */
const mostCrashes = 10;
let pg: TestPostgres;
const stored = storedRealm(async () => {
  pg = await startPostgres();
  return { url: pg.url, drop: () => pg.stop() };
});
const { realmId, now } = stored;

const begin = async (sql: Sql): Promise<Fenced> => {
  const [row] = await sql<Fenced[]>`
    select pg_backend_pid() as pid, pg_current_xact_id()::text as transaction, now()::text as "begunAt"`;
  return row!;
};
const append = (position: number) => (sql: Sql) => appendLog(sql, realmId, [{ position, json: "{}" }], now);

/** A transaction that a crash ended, and whose id another one has, which did `body` and was committed. */
async function forgotten(body: (sql: Sql) => Promise<unknown>): Promise<Fenced> {
  for (let crashes = 0; crashes < mostCrashes; crashes++) {
    let lost: Fenced | undefined;
    const ended = stored.database.transaction(async (sql) => {
      lost = await begin(sql);
      await pg.restart("immediate");
      await sql`select 1`;
    });
    await expect(ended).rejects.toThrow();
    let other: Fenced | undefined;
    await until("PostgreSQL to take transactions again", async () => {
      other = await stored.database
        .transaction(async (sql) => {
          const begun = await begin(sql);
          await body(sql);
          return begun;
        })
        .catch(() => undefined);
      return other !== undefined;
    });
    if (other!.transaction === lost!.transaction) return lost!;
  }
  throw new Error(`no id was given twice in ${mostCrashes} crashes`);
}

describe("a transaction that is over", () => {
  it("was committed if the log has what it wrote there, or PostgreSQL says so", async () => {
    let kept: Fenced | undefined;
    await stored.database.transaction(async (sql) => {
      kept = await fence(sql, { realmId, epoch: 0 });
      await append(1)(sql);
    });
    expect(await isCommitted(stored.database.sql, realmId, kept!, [1])).toBe(true);
    expect(await isCommitted(stored.database.sql, realmId, kept!, [])).toBe(true);
    let undone: Fenced | undefined;
    const ended = stored.database.transaction(async (sql) => {
      undone = await fence(sql, { realmId, epoch: 0 });
      await append(2)(sql);
      throw new Error("undone");
    });
    await expect(ended).rejects.toThrow("undone");
    expect(await isCommitted(stored.database.sql, realmId, undone!, [2])).toBe(false);
    expect(await isCommitted(stored.database.sql, realmId, undone!, [])).toBe(false);
  });

  it("was not committed because another one was that got its id, or its place in the log", async () => {
    const lost = await forgotten(append(10));
    expect(await isCommitted(stored.database.sql, realmId, lost, [11])).toBe(false);
    await stored.database.transaction(append(11));
    expect(await isCommitted(stored.database.sql, realmId, lost, [11])).toBe(false);
  });

  it("is one of which nobody knows when it wrote nothing there and its id may be another's", async () => {
    expect(await isCommitted(stored.database.sql, realmId, await forgotten(append(20)), [])).toBeUndefined();
  });

  it("was not committed when its id is nobody's yet", async () => {
    let lost: Fenced | undefined;
    const ended = stored.database.transaction(async (sql) => {
      lost = await begin(sql);
      throw new Error("undone");
    });
    await expect(ended).rejects.toThrow("undone");
    const future = String(BigInt(lost!.transaction) + 1_000_000n);
    expect(await isCommitted(stored.database.sql, realmId, { ...lost!, transaction: future }, [])).toBe(false);
  });
});
