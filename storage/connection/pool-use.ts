/** How busy a pool is: transactions under way, and how long each waited for its begin. */

/** `vital`: see `Database.vital`. `common`: all else. */
export type PoolName = "common" | "vital";

export interface PoolLoad {
  pool: PoolName;
  /** Under way, or waiting for a connection. */
  transactions: number;
  /** At most. */
  connections: number;
}

/** Told of each transaction for how many seconds it waited for a connection and its begin. */
export type OnBegun = (pool: PoolName, seconds: number) => void;

export class PoolUse {
  #transactions = 0;

  constructor(
    private readonly pool: PoolName,
    private readonly connections: number,
    private readonly onBegun: OnBegun | undefined,
  ) {}

  get load(): PoolLoad {
    return { pool: this.pool, transactions: this.#transactions, connections: this.connections };
  }

  /** Counts a transaction that is asked for now. Call what it returns at its end. */
  begins(begun: Promise<unknown>): () => void {
    const askedAt = performance.now();
    this.#transactions++;
    begun.then(
      () => this.onBegun?.(this.pool, (performance.now() - askedAt) / 1000),
      () => {},
    );
    return () => this.#transactions--;
  }
}
