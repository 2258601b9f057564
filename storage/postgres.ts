import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { Generations } from "./connection/generation.ts";
import { Hosts, type OneHost } from "./connection/hosts.ts";
import { Lines } from "./connection/lines.ts";
import { Notices } from "./connection/notices.ts";
import { type OnBegun, type PoolLoad, PoolUse } from "./connection/pool-use.ts";
import { Session } from "./connection/session.ts";
import { type Replication, replicationColumns, Standbys } from "./connection/standbys.ts";
import { types } from "./connection/types.ts";
import { readDatabaseUrl } from "./database-url.ts";
import { Overdue, onlyRow, refusals, translate } from "./failures.ts";
import type { AnsweringNow } from "./log/promotions.ts";
import type { SecretKey } from "./secret-key.ts";

export { isStatement } from "./connection/session.ts";
export {
  isUndone,
  MissingReference,
  mayBeLoss,
  Overdue,
  RealmGone,
  StatementEnded,
  StorageConflict,
  StorageRefusesChanges,
  StorageUnavailable,
  translate,
  UniqueViolation,
} from "./failures.ts";

/**
 * A connection pool, or the transaction handed to `transaction()`'s body: what every function in `storage/` takes
 * first. API keys that go through it are sealed by its `secretKey`.
 */
export type Sql = (postgres.Sql | postgres.TransactionSql) & {
  readonly secretKey?: SecretKey | undefined;
  /** Of a pool's connections. */
  readonly lines?: Lines;
};

/** A statement that is sent when it is awaited or executed. */
export type Statement = postgres.PendingQuery<postgres.Row[]>;

export interface Database {
  /** The pool. Take it anew for each piece of work: another one stands here after a connection was lost. */
  readonly sql: postgres.Sql & Sql;
  /**
   * The same database by connections of its own, which no read of a request ever occupies. For writing, and for knowing
   * how long the log is. However many reads wait, for a lock say, changes go on.
   */
  readonly vital: Database;
  /** Runs `body` in one transaction. @throws StorageUnavailable, UniqueViolation, or what `body` threw. */
  transaction<T>(
    body: (sql: Sql) => Promise<T>,
    mode?: "read write" | "isolation level repeatable read read only",
  ): Promise<T>;
  /**
   * The same in as few round trips as there can be. Statements are sent without waiting for the answers of those
   * before, the first of them with `begin`, so it must not change anything. `body` has to call `commit`. That is sent
   * behind all statements so far, and stores nothing if one of them failed.
   */
  pipelined<T>(body: (sql: Sql, commit: () => Promise<void>) => Promise<T>): Promise<T>;
  /**
   * Why PostgreSQL cannot be used as it should, as far as the last question that it was asked tells; undefined: it can.
   */
  readonly trouble: string | undefined;
  /** That a PostgreSQL that was replaced answers, and where, while others may go on to be used. */
  readonly replaced: string | undefined;
  /** The PostgreSQL that every connection leads to, as far as it tells. Undefined: none has answered yet. */
  readonly answering: AnsweringNow | undefined;
  /** How many connections were closed unused because one answered that was replaced. */
  readonly refusals: number;
  /**
   * How many commits were confirmed though standbys may lack them that were to have them. Who commits while it rises
   * cannot know whether the commit will survive a promotion.
   */
  readonly unreplicated: number;
  /** How busy this pool is, and its vital part. */
  readonly pools: readonly PoolLoad[];
  /** Why nothing may be stored, though PostgreSQL would store it. It is looked at once a second. */
  readonly refusal: string | undefined;
  /**
   * New connections take the place of those that there are, one of which does not answer; these may finish what they
   * have.
   */
  renew(): void;
  /**
   * Calls `heard` when somebody notifies this channel of PostgreSQL's, beginning a moment from now. What is said while
   * the connection that listens is lost goes unheard: it is for coming sooner than at the next look.
   */
  listen(channel: string, heard: () => void): void;
  /** Calls `heard` when a standby was promoted, before anything is asked of it: it may lack the newest commits. */
  onPromoted(heard: () => void): void;
  close(): Promise<void>;
}

/** Commits of an organization come one after the other, so a few connections serve many writers. */
const maxVital = 4;
/** A transaction that does not begin sooner has a connection that says nothing, or there are none left for it. */
const beginOverdueMs = 10_000;
/** Nobody waits behind others for more than so many times as long. */
const looks = 4;
/** Between two looks at whether PostgreSQL answers. */
const probeEveryMs = 1000;
/** A connection rests no longer between two attempts: what is loaded after a promotion needs several, in turn. */
const mostRestMs = 150;
/** How long what is under way on the connections that are left may take after one was lost. */
const retireAfterMs = 30_000;

export interface DatabaseOptions {
  /** In all; a quarter of them, four at most, are the vital ones. Of fewer than four none is set apart. */
  maxConnections: number;
  applicationName?: string | undefined;
  /** Seals API keys. Whoever neither writes nor shows any needs none. */
  secretKey?: SecretKey | undefined;
  /** After so long without any answer everything under way is given up as `StorageUnavailable`. */
  patienceMs?: number;
  /** PostgreSQL ends a statement that takes longer, unless it is on a vital connection. As it is set up: undefined. */
  statementTimeoutMs?: number | undefined;
  /** Nothing may be stored that is not to be on a synchronous standby as well. */
  areStandbysRequired?: boolean | undefined;
  onBegun?: OnBegun | undefined;
  /** Told in a sentence what an operator should know, each at most once a minute. */
  warn?: ((sentence: string) => void) | undefined;
}

/** Opens the pool. Nothing is sent before the first query. @param url as `readDatabaseUrl` takes it */
export function connect(url: string, options: DatabaseOptions): Database {
  const generations = new Generations(options.warn);
  const hosts = new Hosts(readDatabaseUrl(url), generations);
  const notices = new Notices((sentence) => generations.tell(sentence));
  const standbys = new Standbys(options.areStandbysRequired ?? false);
  generations.onPromoted(() => standbys.forget());
  return new Pool(url, options, { generations, hosts, notices, standbys });
}

/**
 * The driver's pool, and what it needs to come through a PostgreSQL that goes away:
 *
 * - A connection that was lost while something was to be written may never be usable again. So after the first loss a
 *   new pool takes its place. The old one finishes what it has.
 * - The driver goes on to use a transaction's connection after it was lost. It writes to a socket that is not there,
 *   or into what that connection has become since. So nothing more is passed to it then, neither a query nor the end
 *   (`connection/session.ts`).
 * - Nobody tells that a network drops packets: a connection of its own is asked once a second. It is also the one that
 *   listens.
 * - The driver opens a connection when it wants one. Each is asked who answers before it is used
 *   (`connection/gate.ts`), so a pool never leads to two databases.
 */
class Pool implements Database {
  sql: postgres.Sql & Sql;
  trouble: string | undefined;
  readonly vital: Database;
  readonly #vital: Pool | undefined;
  readonly #maxConnections: number;
  readonly #use: PoolUse;
  readonly #retired = new Set<postgres.Sql>();
  readonly #heard = new Map<string, () => void>();
  readonly #closed = new AbortController();
  /** What ends connections of a driver's pool that are not in use yet. */
  readonly #doors = new Map<postgres.Sql, AbortController>();

  /** @param isVital it is the vital part of another one, which looks after it */
  constructor(
    private readonly url: string,
    private readonly options: DatabaseOptions,
    private readonly way: { generations: Generations; hosts: Hosts; notices: Notices; standbys: Standbys },
    private readonly isVital = false,
  ) {
    const vital = isVital ? 0 : Math.min(maxVital, Math.floor(options.maxConnections / 4));
    this.#maxConnections = options.maxConnections - vital;
    this.#use = new PoolUse(isVital ? "vital" : "common", this.#maxConnections, options.onBegun);
    this.sql = this.#open();
    this.#vital = vital === 0 ? undefined : new Pool(url, { ...options, maxConnections: vital }, way, true);
    this.vital = this.#vital ?? this;
    if (!isVital) void this.#probe(options.patienceMs ?? 5000);
  }

  transaction<T>(
    body: (sql: Sql) => Promise<T>,
    mode: "read write" | "isolation level repeatable read read only" = "read write",
  ): Promise<T> {
    return this.#transact(mode, async (session) => {
      await session.begun;
      const value = await body(session.sql);
      await session.commit();
      return value;
    });
  }

  pipelined<T>(body: (sql: Sql, commit: () => Promise<void>) => Promise<T>): Promise<T> {
    return this.#transact("read write", (session) => body(session.sql, () => session.commit()));
  }

  async #transact<T>(mode: string, run: (session: Session<postgres.Sql & Sql>) => Promise<T>): Promise<T> {
    const { sql } = this;
    const session = new Session(sql, mode);
    let looksLeft = looks;
    const overdue = setInterval(() => {
      if (--looksLeft > 0 && sql.lines?.areBusy(beginOverdueMs)) return;
      clearInterval(overdue);
      if (this.sql === sql) this.renew();
      session.giveUp(new Overdue("a transaction did not begin in time"));
    }, beginOverdueMs);
    const begins = () => clearInterval(overdue);
    session.begun.then(begins, begins);
    const ends = this.#use.begins(session.begun);
    const outcome = run(session).catch(async (error: unknown) => {
      throw await session.undo(error);
    });
    try {
      return await Promise.race([outcome, session.givenUp]);
    } catch (error) {
      throw translate(error);
    } finally {
      ends();
    }
  }

  get pools(): readonly PoolLoad[] {
    return [this.#use.load, ...(this.#vital?.pools ?? [])];
  }

  get replaced(): string | undefined {
    return this.way.generations.replaced;
  }

  get answering(): AnsweringNow | undefined {
    return this.way.generations.known;
  }

  get refusals(): number {
    return this.way.generations.refusals;
  }

  get unreplicated(): number {
    return this.way.notices.unreplicated;
  }

  get refusal(): string | undefined {
    return this.way.standbys.refusal;
  }

  renew(): void {
    if (!this.#closed.signal.aborted) this.#replace(retireAfterMs);
  }

  listen(channel: string, heard: () => void): void {
    this.#heard.set(channel, heard);
  }

  onPromoted(heard: () => void): void {
    this.way.generations.onPromoted(heard);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const open = [this.sql, ...this.#retired];
    await Promise.all([this.#vital?.close(), ...open.map((sql) => sql.end({ timeout: 2 }))]);
    for (const door of this.#doors.values()) door.abort();
  }

  #open(maxConnections = this.#maxConnections, only?: OneHost): postgres.Sql & Sql {
    // Named one by one they would become a part of the pool's type.
    const ownTypes: Record<string, postgres.PostgresType> = types;
    let wasEstablished = false;
    const door = new AbortController();
    const lines = new Lines();
    setMaxListeners(0, door.signal);
    const sql = postgres(readDatabaseUrl(this.url).url, {
      // Its types do not know of these.
      ...({
        onnotify: (channel: string) => this.#heard.get(channel)?.(),
        // A transaction that begins as the last of so many is not noted as the owner of its connection.
        max_pipeline: Number.POSITIVE_INFINITY,
        socket: async () => {
          if (only === undefined) await this.way.hosts.survey((host) => this.#lookAt(host));
          return this.way.hosts.open(door.signal, (socket) => lines.add(socket), only);
        },
      } as object),
      ssl: false, // The socket has it already.
      max: maxConnections,
      connect_timeout: 5,
      idle_timeout: 0,
      max_lifetime: null,
      // The driver's own goes up to 20 s, long after PostgreSQL is back.
      backoff: (attempts: number) => Math.min(0.05 * attempts, mostRestMs / 1000),
      onnotice: (notice) => this.way.notices.hear(notice),
      // Told by PostgreSQL with every new connection.
      onparameter: () => {
        wasEstablished = true;
      },
      onclose: () => {
        if (this.sql === sql && wasEstablished && !this.#closed.signal.aborted) this.#replace(retireAfterMs);
      },
      // It asks every new connection for the types of arrays, and when that one is lost meanwhile ends the process.
      fetch_types: false,
      connection: {
        application_name: this.options.applicationName ?? "parley",
        // What Parley asks is short: to start a worker, or to compile, takes longer than to answer. Also of a server
        // that others set up.
        max_parallel_workers_per_gather: 0,
        jit: false,
        ...(this.options.statementTimeoutMs !== undefined &&
          !this.isVital && { statement_timeout: this.options.statementTimeoutMs }),
      },
      types: ownTypes,
    });
    this.#doors.set(sql, door);
    return Object.assign(sql, { secretKey: this.options.secretKey, lines });
  }

  /** Opens a new pool; the old one has `graceMs` to finish. */
  #replace(graceMs: number): void {
    const old = this.sql;
    this.sql = this.#open();
    this.#retired.add(old);
    setTimeout(() => this.#end(old), graceMs).unref();
  }

  /** PostgreSQL does not answer: whatever is under way fails, here and on the vital connections. */
  #giveUp(): void {
    this.#replace(0);
    for (const sql of [...this.#retired]) this.#end(sql);
    if (this.#vital) this.#vital.#giveUp();
  }

  /** Whatever is under way fails. */
  #end(sql: postgres.Sql): void {
    this.#retired.delete(sql);
    void sql.end({ timeout: 0 }).catch(() => {});
    this.#doors.get(sql)?.abort();
    this.#doors.delete(sql);
  }

  async #probe(patienceMs: number): Promise<void> {
    let probe = this.#open(1);
    let lostAt: number | undefined;
    const { signal } = this.#closed;
    signal.addEventListener("abort", () => this.#end(probe));
    // Who may store nothing before PostgreSQL has told asks at once.
    for (let pause = this.refusal === undefined ? probeEveryMs : 0; ; pause = probeEveryMs) {
      await sleep(pause, signal);
      if (signal.aborted) return;
      for (const host of this.way.generations.toLookAt()) void this.#lookAt({ label: host });
      // Whether this connection is a new one only PostgreSQL knows, and it does not mind to be told again.
      // Unsafe: a channel is a name, which no parameter can be. Names are given by the program alone.
      for (const channel of this.#heard.keys()) probe.unsafe(`listen "${channel}"`).catch(() => {});
      // Unsafe: the columns are a constant.
      const columns = probe.unsafe(replicationColumns);
      // A refusal is an answer: whoever asks gets it, too.
      const answer = probe<({ is_read_only: boolean } & Replication)[]>`
        select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only,
          ${columns}`.then(
        (rows) => {
          const row = onlyRow(rows);
          lostAt = undefined;
          this.way.standbys.learn(row);
          this.trouble = row.is_read_only ? refusals["25006"] : (this.refusal ?? this.way.standbys.trouble);
          return true;
        },
        () => {
          lostAt ??= performance.now();
          // One that starts again is waited for.
          if (performance.now() - lostAt > patienceMs) this.trouble = this.replaced ?? "the database cannot be reached";
          return true;
        },
      );
      const over = new AbortController();
      const end = () => over.abort();
      signal.addEventListener("abort", end);
      const isAnswered = await Promise.race([answer, sleep(patienceMs, over.signal).then(() => signal.aborted)]);
      signal.removeEventListener("abort", end);
      end();
      if (isAnswered) continue;
      this.trouble = "the database does not answer";
      this.#end(probe);
      probe = this.#open(1);
      this.#giveUp();
    }
  }

  /** Connects to one host and no more, to know who is there. */
  #lookAt(host: OneHost): Promise<void> {
    const look = this.#open(1, host);
    const end = () => this.#end(look);
    return look`select 1`.then(end, end);
  }
}

/** Lets a transaction take as long as it takes: nobody's request is what waits for it. */
export async function takeTime(sql: Sql): Promise<void> {
  await sql`set local statement_timeout = 0`;
}

/** Ends early when `signal` fires. Keeps no process alive. */
const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  delay(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
