/**
 * What PostgreSQL and the disk know. The database is asked at most every ten seconds, however many ask for metrics. An
 * answer is waited for until a second after the question: what is not known by then is told the next time.
 */
import { statfs } from "node:fs/promises";
import type { Registry } from "prom-client";
import type { PoolLoad } from "../../../storage/connection/pool-use.ts";
import { countQuarantined, type Quarantined } from "../../../storage/files/quarantine.ts";
import {
  type DatabaseActivity,
  findActivity,
  findStoredWork,
  findUploadSpace,
  findWaiting,
  type StoredWork,
  type UploadSpace,
  type WaitingQueue,
} from "../../../storage/operations.ts";
import type { Database } from "../../../storage/postgres.ts";
import { counter, gauge, type Reading } from "./read-series.ts";

const keptMs = 10_000;
const patienceMs = 1000;
/** Organizations whose uploads are told of, the largest. */
const maxRealms = 20;

/** What is read of a node for its series. */
export interface Observed {
  /** Where there are several, each series says of which one it is. */
  databases: readonly { name: string; database: Database }[];
  /** Where files and the embedded PostgreSQL are. */
  dataDir: string;
  /** Bytes an organization's uploads may take; 0: as many as they like. */
  uploadQuota: number;
  /** UNIX seconds */
  clock(): number;
}

interface Stored {
  waiting: WaitingQueue[];
  work: StoredWork;
  space: UploadSpace[];
  activity: DatabaseActivity;
  quarantined: Quarantined;
}

async function readStored({ sql }: Database): Promise<Stored> {
  const [waiting, work, space, activity, quarantined] = await Promise.all([
    findWaiting(sql),
    findStoredWork(sql),
    findUploadSpace(sql, maxRealms),
    findActivity(sql),
    countQuarantined(sql),
  ]);
  return { waiting, work, space, activity, quarantined };
}

type AddSeries = (name: string, help: string, labelNames: string[], read: (stored: Stored) => Reading) => void;

/** Asks now and then, once for all who ask meanwhile. */
class Kept<T> {
  #known: T | undefined;
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ask: () => Promise<T>) {}

  /** Undefined: it is not known, or not any more. */
  async read(): Promise<T | undefined> {
    if (!this.#asking && performance.now() - this.#askedAt > keptMs) {
      this.#askedAt = performance.now();
      this.#asking = this.ask()
        .then((known) => void (this.#known = known))
        .catch(() => void (this.#known = undefined))
        .finally(() => (this.#asking = undefined));
    }
    const patience = this.#askedAt + patienceMs - performance.now();
    if (this.#asking && patience > 0) await Promise.race([this.#asking, sleep(patience)]);
    return this.#asking && performance.now() - this.#askedAt > keptMs ? undefined : this.#known;
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Reads a series of each database: with a label that names it where there are several. */
function ofEach<T>(
  databases: readonly ({ name: string } & T)[],
  read: (database: T) => Reading | undefined | Promise<Reading | undefined>,
) {
  const names = databases.length > 1 ? ["database"] : [];
  return {
    names,
    async read(): Promise<Reading | undefined> {
      const [only] = databases;
      if (only && databases.length === 1) return read(only);
      const all = await Promise.all(
        databases.map(async (each) => {
          const reading = (await read(each)) ?? [];
          const rows = typeof reading === "number" ? [[{}, reading] as const] : reading;
          return rows.map(([labels, value]) => [{ ...labels, database: each.name }, value] as const);
        }),
      );
      return all.flat();
    },
  };
}

/** Adds the series of the databases, the queues in them, and the disk. */
export function observeStored(registry: Registry, { databases, dataDir, uploadQuota, clock }: Observed): void {
  const kept = databases.map(({ name, database }) => ({ name, stored: new Kept(() => readStored(database)) }));
  const add: AddSeries = (name, help, labelNames, read) => {
    const each = ofEach(kept, async ({ stored }) => {
      const known = await stored.read();
      return known && read(known);
    });
    gauge({ registry, name, help, labelNames: [...labelNames, ...each.names], read: each.read });
  };
  const ofQueues = (read: (queue: WaitingQueue) => number) => (known: Stored) =>
    known.waiting.map((queue) => [{ queue: queue.queue }, read(queue)] as const);
  add(
    "parley_outgoing_waiting",
    "Emails, notifications and webhook calls that wait",
    ["queue"],
    ofQueues((q) => q.waiting),
  );
  add(
    "parley_outgoing_retried",
    "Of them, those that were tried in vain at least once",
    ["queue"],
    ofQueues((q) => q.retried),
  );
  add(
    "parley_outgoing_oldest_seconds",
    "For how long the oldest of them waits",
    ["queue"],
    ofQueues(({ oldest }) => (oldest === null ? 0 : Math.max(0, clock() - oldest))),
  );
  add("parley_imports_unfinished", "Imports that were begun and not ended", [], ({ work }) => work.imports);
  add("parley_exports_pending", "Exports that were asked for and are not made", [], ({ work }) => work.exports);
  add(
    "parley_uploads_quarantined",
    "Uploads that nobody has before clamd calls them clean",
    [],
    ({ quarantined }) => quarantined.waiting,
  );
  add("parley_uploads_quarantined_oldest_seconds", "For how long the oldest of them waits", [], ({ quarantined }) =>
    quarantined.oldest === null ? 0 : Math.max(0, clock() - quarantined.oldest),
  );
  add("parley_upload_bytes", "Bytes of uploads of the organizations that have most", ["realm"], ({ space }) =>
    space.map(({ realm_id, bytes }) => [{ realm: String(realm_id) }, bytes] as const),
  );
  gauge({
    registry,
    name: "parley_upload_quota_bytes",
    help: "Bytes that an organization's uploads may take; 0: as many as they like",
    read: () => uploadQuota,
  });
  observePools(registry, databases);
  observeActivity(add);
  observeDisk(registry, dataDir);
}

function observePools(registry: Registry, databases: Observed["databases"]): void {
  counter({
    registry,
    name: "parley_database_refused_total",
    help: "Connections closed unused, because a PostgreSQL answered that was replaced",
    read: () => databases.reduce((sum, { database }) => sum + database.refusals, 0),
  });
  const add = (name: string, help: string, read: (load: PoolLoad) => number) => {
    const each = ofEach(databases, ({ database }) =>
      database.pools.map((load) => [{ pool: load.pool }, read(load)] as const),
    );
    gauge({ registry, name, help, labelNames: ["pool", ...each.names], read: each.read });
  };
  add(
    "parley_database_transactions",
    "Transactions of this node under way or waiting for a connection, by pool",
    ({ transactions }) => transactions,
  );
  add(
    "parley_database_pool_connections",
    "Connections that this node opens at most, by pool",
    ({ connections }) => connections,
  );
}

function observeActivity(add: AddSeries): void {
  add("parley_database_bytes", "Size of the database", [], ({ activity }) => activity.bytes);
  add(
    "parley_database_sessions",
    "Connections of all nodes as PostgreSQL sees them, by what they do",
    ["state"],
    ({ activity: { active, idle, in_transaction, locked } }) =>
      Object.entries({ active, idle, in_transaction, locked }).map(([state, count]) => [{ state }, count] as const),
  );
  add(
    "parley_database_connections",
    "Connections to PostgreSQL, everybody's",
    [],
    ({ activity }) => activity.connections,
  );
  add(
    "parley_database_max_connections",
    "Connections that PostgreSQL takes",
    [],
    ({ activity }) => activity.max_connections,
  );
  add(
    "parley_database_longest_statement_seconds",
    "For how long the statement runs that runs longest, of all nodes",
    [],
    ({ activity }) => activity.longest_statement,
  );
  add(
    "parley_database_longest_transaction_seconds",
    "For how long the transaction is open that is open longest, of all nodes",
    [],
    ({ activity }) => activity.longest_transaction,
  );
}

function observeDisk(registry: Registry, dataDir: string): void {
  const disk = new Kept(async () => {
    const { bsize, bavail, blocks } = await statfs(dataDir);
    return { free: bsize * bavail, size: bsize * blocks };
  });
  for (const [name, help, of] of [
    ["parley_disk_free_bytes", "Bytes that are free on the disk of the data folder", "free"],
    ["parley_disk_size_bytes", "Size of the disk of the data folder", "size"],
  ] as const)
    gauge({ registry, name, help, read: async () => (await disk.read())?.[of] });
}
