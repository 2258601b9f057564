/** A commit that PostgreSQL confirms before the standbys have it, because somebody ended its wait for them. */
import { expect, it } from "vitest";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { Writer } from "../../../actors/realm/writer.ts";
import { connect } from "../../../storage/postgres.ts";
import { beginTerm } from "../../../storage/realms.ts";
import { storedRealm } from "../../support/rooms/stored-realm.ts";
import { type Pair, startPair } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

let pair: Pair;
const stored = storedRealm(async () => {
  pair = await startPair();
  return { url: pair.url, drop: () => pair.stop() };
});
const { realmId } = stored;

it("a change is not acknowledged when somebody ends its wait for a standby", async () => {
  const said: string[] = [];
  const database = connect(pair.url, { maxConnections: 8, warn: (sentence) => said.push(sentence) });
  const ask = (text: string) => stored.database.sql.unsafe<{ pid: number }[]>(text);
  const waits = async (query: string): Promise<number | undefined> => {
    const [row] = await ask(
      `select pid from pg_stat_activity where wait_event = 'SyncRep' and query ilike '%${query}%'`,
    );
    return row?.pid;
  };
  try {
    const term = await beginTerm(stored.database, realmId, { servesReads: true });
    let failure: unknown;
    const writer = new Writer({
      audits: {},
      database,
      state: { id: realmId, position: term.position } as RealmState,
      term: { realmId, ...term },
      clock: () => Math.floor(Date.now() / 1000),
      patienceMs: 60_000,
      onFenced: () => {},
      onCommitted: () => {},
      onFailure: (error) => {
        failure = error;
      },
      onBatch: () => {},
    });
    const change = (userId: number) =>
      writer.submit({ decide: (tx) => tx.endSessions({ userId }), committed: () => {} });
    await change(1);
    await ask("alter system set synchronous_standby_names = 'nobody'");
    await ask("select pg_reload_conf()");
    let settled = true;
    let changed: Promise<unknown> = Promise.resolve();
    // PostgreSQL takes a setting over when it comes to it.
    await until("a change to wait for a standby", async () => {
      if (settled) {
        settled = false;
        changed = change(2).finally(() => {
          settled = true;
        });
        changed.catch(() => {});
      }
      return (await waits("commit")) !== undefined;
    });
    await ask(`select pg_cancel_backend(${await waits("commit")})`);
    // What closes the epoch is a commit as well. When the standbys have it, they have all that was before.
    await until("the writer to fail", () => failure !== undefined || settled);
    await until("the closing to wait as well", async () => settled || (await waits("commit")) !== undefined);
    expect(settled).toBe(false);
    await ask("alter system reset synchronous_standby_names");
    await ask("select pg_reload_conf()");
    await changed;
    expect(String(failure)).toContain("wait for a standby");
    expect(said).toEqual([expect.stringContaining("PostgreSQL warns: canceling wait for synchronous replication")]);
  } finally {
    await database.close();
  }
}, 120_000);
