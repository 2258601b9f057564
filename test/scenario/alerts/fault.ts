/** What a fault of a rehearsal is, and what faults are made of. */
import { setTimeout as pause } from "node:timers/promises";
import postgresJs from "postgres";
import { createRealm } from "../../../actors/organization/changes/create.ts";
import { connect } from "../../../storage/postgres.ts";
import type { SmallDisk } from "../../support/alerts/small-disk.ts";
import { ApiClient } from "../../support/client/api.ts";
import type { TestCluster } from "../../support/faults/cluster.ts";
import type { TestRedis } from "../../support/server/redis.ts";
import type { Pair } from "../../support/server/standby.ts";
import { testSecretKey } from "../../support/server/template.ts";
import { until } from "../../support/time/until.ts";

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
export async function secondOrganization(databaseUrl: string, url: string) {
  const storage = connect(databaseUrl, { maxConnections: 1, secretKey: testSecretKey });
  try {
    const email = "second@example.com";
    const made = await storage.transaction((sql) =>
      createRealm(sql, {
        host: "localhost",
        name: "Second",
        owner: { email, fullName: "Second Owner", passwordHash: null },
        now: Math.floor(Date.now() / 1000),
        hasFirstMessages: false,
      }),
    );
    const client = new ApiClient({ url: url.replace("127.0.0.1", "localhost"), email, apiKey: made.ownerApiKey });
    await until("the second organization to answer", async () => (await client.get("/users/me")).status === 200);
    return { id: made.realmId, client };
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
