import postgres from "postgres";

/** A connection pool, or the transaction handed to `transaction()`'s body: what every function in `storage/` takes first. */
export type Sql = postgres.Sql | postgres.TransactionSql;

/** PostgreSQL could not be reached, or went away with the outcome unknown. The caller answers 503. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

/** A row with that key is there already; `constraint` names the index that said so. */
export class UniqueViolation extends Error {
  override name = "UniqueViolation";
  constructor(readonly constraint: string) {
    super(`unique constraint ${constraint}`);
  }
}

export interface Database {
  readonly sql: postgres.Sql;
  /** Runs `body` in one transaction. @throws StorageUnavailable, UniqueViolation, or what `body` threw. */
  transaction<T>(
    body: (sql: Sql) => Promise<T>,
    mode?: "read write" | "isolation level repeatable read read only",
  ): Promise<T>;
  close(): Promise<void>;
}

const int8Oid = 20;
const int8ArrayOid = 1016;

/** Opens the pool. Nothing is sent before the first query. */
export function connect(url: string, options: { maxConnections: number; applicationName?: string }): Database {
  const sql = postgres(url, {
    max: options.maxConnections,
    connect_timeout: 5,
    idle_timeout: 0,
    onnotice: () => {},
    connection: { application_name: options.applicationName ?? "parley" },
    // Ids and positions stay far below 2^53, so a bigint is a plain number everywhere.
    types: {
      bigint: { to: int8Oid, from: [int8Oid], parse: Number, serialize: String },
      bigints: {
        to: int8ArrayOid,
        from: [int8ArrayOid],
        parse: (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)),
        serialize: (ids: number[]) => `{${ids.join(",")}}`,
      },
    },
  }) as unknown as postgres.Sql;
  return {
    sql,
    async transaction(body, mode = "read write") {
      try {
        return (await sql.begin(mode, (tx) => body(tx))) as Awaited<ReturnType<typeof body>>;
      } catch (error) {
        throw translate(error);
      }
    },
    close: () => sql.end({ timeout: 2 }),
  };
}

const unavailableCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "08006",
  "08001",
  "08003",
]);

/** Turns a driver's error into one of storage's own kinds; leaves every other error as it is. */
export function translate(error: unknown): unknown {
  const { code, constraint_name: constraint } = (error ?? {}) as { code?: string; constraint_name?: string };
  if (code === "23505") return new UniqueViolation(constraint ?? "");
  if (code !== undefined && unavailableCodes.has(code))
    return new StorageUnavailable(`PostgreSQL is not there: ${code}`);
  return error;
}
