/** Questions to PostgreSQL that end with whoever asked them. */
import { type Database, type Sql, StatementEnded } from "./postgres.ts";

type PoolSql = Database["sql"];

/** The driver's own record of a query, as far as it is needed to end one. */
interface DriversQuery extends Promise<unknown> {
  /** Not of a part of another one. */
  readonly executed: boolean;
  /** PostgreSQL works on it: it does not wait for a connection, nor for another one there. */
  readonly active: boolean;
  canceller: ((query: DriversQuery) => Promise<void>) | null;
}

/**
 * A statement that PostgreSQL works on for longer is ended. PostgreSQL is told of a connection: if the statement is
 * over in that moment, the next one there is ended, which is somebody else's. One that waits is left alone until its
 * turn. The driver would end it as it begins, or forget the connection that is being opened for it.
 */
const graceMs = 100;

/**
 * A database for one request. `abort` ends what is asked of it: PostgreSQL is told to stop working on that, and nothing
 * more is asked. What goes to its vital connections is not concerned.
 */
export class AbortableDatabase implements Database {
  readonly #asked = new Set<DriversQuery>();
  #isAborted = false;
  #pool: { sql: PoolSql; watched: PoolSql } | undefined;

  constructor(private readonly whole: Database) {}

  get sql(): PoolSql {
    const { sql } = this.whole;
    if (this.#pool?.sql !== sql) this.#pool = { sql, watched: this.#watched(sql) };
    return this.#pool.watched;
  }

  get vital(): Database {
    return this.whole.vital;
  }

  get trouble(): string | undefined {
    return this.whole.trouble;
  }

  get replaced(): string | undefined {
    return this.whole.replaced;
  }

  get answering(): Database["answering"] {
    return this.whole.answering;
  }

  get refusals(): number {
    return this.whole.refusals;
  }

  get pools(): Database["pools"] {
    return this.whole.pools;
  }

  get unreplicated(): number {
    return this.whole.unreplicated;
  }

  get refusal(): string | undefined {
    return this.whole.refusal;
  }

  transaction: Database["transaction"] = (body, mode) =>
    this.whole.transaction((sql) => body(this.#watched(sql)), mode);

  pipelined: Database["pipelined"] = (body) => this.whole.pipelined((sql, commit) => body(this.#watched(sql), commit));

  renew(): void {
    this.whole.renew();
  }

  listen(channel: string, heard: () => void): void {
    this.whole.listen(channel, heard);
  }

  onPromoted(heard: () => void): void {
    this.whole.onPromoted(heard);
  }

  close(): Promise<void> {
    return this.whole.close();
  }

  abort(): void {
    this.#isAborted = true;
    this.#endLong(new Set());
  }

  /** @param before that PostgreSQL worked on a while ago */
  #endLong(before: ReadonlySet<DriversQuery>): void {
    const open = [...this.#asked].filter(({ executed, canceller }) => executed && canceller !== null);
    for (const query of open) if (before.has(query)) cancel(query);
    const left = open.filter(({ canceller }) => canceller !== null);
    if (left.length === 0) return;
    const now = new Set(left.filter(({ active }) => active));
    // After a pause of this process, answers that have come are read first.
    setTimeout(() => setImmediate(() => this.#endLong(now)), graceMs).unref();
  }

  #watched<S extends Sql>(sql: S): S {
    const make = (by: (...args: never[]) => unknown, self: unknown, args: unknown[]): unknown => {
      if (this.#isAborted) throw new StatementEnded("nobody waits for it any more");
      const made: unknown = Reflect.apply(by, self, args);
      if (made instanceof Promise) this.#watch(made as DriversQuery);
      return made;
    };
    return new Proxy<S>(sql, {
      apply: make,
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        return key === "unsafe" ? (...args: unknown[]) => make(target.unsafe, target, args) : value;
      },
    });
  }

  #watch(query: DriversQuery): void {
    this.#asked.add(query);
    const isOver = () => void this.#asked.delete(query);
    // The driver sends a query to PostgreSQL when its own `then` is called.
    Promise.prototype.then.call(query, isOver, isOver);
  }
}

function cancel(query: DriversQuery): void {
  const { canceller } = query;
  query.canceller = null;
  // The driver's own `cancel` leaves a failure to nobody, which would end the process.
  canceller?.(query).catch(() => {});
}
