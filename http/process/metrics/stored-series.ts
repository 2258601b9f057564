/**
 * What PostgreSQL and the disk know. The database is asked at most every ten seconds, however many ask for metrics. It
 * is never waited for longer than a second: what is not known by then is told the next time.
 */
import { statfs } from "node:fs/promises";
import type { Registry } from "prom-client";
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
  database: Database;
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
}

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
    if (this.#asking) await Promise.race([this.#asking, sleep(patienceMs)]);
    return this.#asking && performance.now() - this.#askedAt > keptMs ? undefined : this.#known;
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Adds the series of the database, the queues in it, and the disk. */
export function observeStored(registry: Registry, { database, dataDir, uploadQuota, clock }: Observed): void {
  const stored = new Kept<Stored>(async () => {
    const { sql } = database;
    const [waiting, work, space, activity] = await Promise.all([
      findWaiting(sql),
      findStoredWork(sql),
      findUploadSpace(sql, maxRealms),
      findActivity(sql),
    ]);
    return { waiting, work, space, activity };
  });
  const add = (name: string, help: string, labelNames: string[], read: (stored: Stored) => Reading) =>
    gauge({
      registry,
      name,
      help,
      labelNames,
      read: async () => {
        const known = await stored.read();
        return known && read(known);
      },
    });
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
  add("parley_upload_bytes", "Bytes of uploads of the organizations that have most", ["realm"], ({ space }) =>
    space.map(({ realm_id, bytes }) => [{ realm: String(realm_id) }, bytes] as const),
  );
  gauge({
    registry,
    name: "parley_upload_quota_bytes",
    help: "Bytes that an organization's uploads may take; 0: as many as they like",
    read: () => uploadQuota,
  });
  observeDatabase(registry, database, add);
  observeDisk(registry, dataDir);
}

function observeDatabase(
  registry: Registry,
  database: Database,
  add: (name: string, help: string, labelNames: string[], read: (stored: Stored) => Reading) => void,
): void {
  counter({
    registry,
    name: "parley_database_refused_total",
    help: "Connections closed unused, because a PostgreSQL answered that was replaced",
    read: () => database.refusals,
  });
  gauge({
    registry,
    name: "parley_database_transactions",
    help: "Transactions of this node under way or waiting for a connection, by pool",
    labelNames: ["pool"],
    read: () => database.pools.map(({ pool, transactions }) => [{ pool }, transactions] as const),
  });
  gauge({
    registry,
    name: "parley_database_pool_connections",
    help: "Connections that this node opens at most, by pool",
    labelNames: ["pool"],
    read: () => database.pools.map(({ pool, connections }) => [{ pool }, connections] as const),
  });
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
