/** What a fault of a rehearsal is, and what faults are made of. */
import { setTimeout as pause } from "node:timers/promises";
import postgresJs from "postgres";
import { connect } from "../../../storage/postgres.ts";
import type { SmallDisk } from "../../support/alerts/small-disk.ts";
import type { TestCluster } from "../../support/faults/cluster.ts";
import { secondOrganization } from "../../support/people/second-organization.ts";
import type { TestRedis } from "../../support/server/redis.ts";
import type { Pair } from "../../support/server/standby.ts";
import { testSecretKey } from "../../support/server/template.ts";

export interface Stage {
  cluster: TestCluster;
  redis: TestRedis;
  /** The nodes use its primary. */
  pair: Pair;
  /** That primary, past the nodes' own wires. */
  databaseUrl: string;
  /** Whether the collector of traces takes what it is sent. */
  setCollecting(is: boolean): void;
  /** Where the nodes' data folder is. */
  disk: SmallDisk | undefined;
}

export interface Fault {
  name: string;
  /** Alerts that ring while it lasts. */
  rings: readonly string[];
  /** It lasts beside the mild faults that follow, until these have rung as well. */
  ringsLater?: readonly string[];
  /** Why it cannot be made here. Undefined: it can. */
  lacks?(stage: Stage): string | undefined;
  /** Begins it. What it resolves with ends it. */
  happen(stage: Stage): Promise<() => Promise<void>>;
}

/** Does something again and again, with pauses, until what it returns is called. */
export function again(pauseMs: number, act: (round: number) => Promise<unknown>): () => Promise<void> {
  const stop = new AbortController();
  const ended = (async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      await act(round);
      await pause(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return async () => {
    stop.abort();
    await ended;
  };
}

export const connectTo = (url: string, max = 1) =>
  postgresJs(url, { max, fetch_types: false, connection: { application_name: "parley" }, onnotice: () => {} });

/** Another organization, which answers to "localhost" on every node. */
export async function anotherOrganization(databaseUrl: string, url: string) {
  const storage = connect(databaseUrl, { maxConnections: 1, secretKey: testSecretKey });
  try {
    return await secondOrganization(storage, url);
  } finally {
    await storage.close();
  }
}

/** Somebody locks a table by hand, and perhaps rows, and keeps the lock. What it resolves with gives the lock back. */
export async function lockTable(url: string, lock: string, rows?: string): Promise<() => Promise<void>> {
  const sql = connectTo(url);
  let unlock = () => {};
  await new Promise<void>((locked, failed) => {
    const held = sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${lock}`);
      if (rows !== undefined) await tx.unsafe(rows);
      locked();
      await new Promise<void>((done) => (unlock = done));
    });
    held.catch(failed);
  });
  return async () => {
    unlock();
    await sql.end();
  };
}
