/**
 * A transaction of its own connection. Its statements are sent without waiting for the answers of those before: `begin`
 * travels with the first of them, `commit` with the last. The driver's own `begin` waits for each of both. This uses of
 * a connection what that one uses: `execute`, `reserved` and `onclose`.
 *
 * PostgreSQL answers in order. After a statement that fails it refuses all others, and ends a `commit` by undoing.
 */
import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { codeOf, mayBeLoss, Overdue, StorageConflict, StorageUnavailable, translate } from "../failures.ts";

/** The driver's connection. */
interface Wire {
  execute(statement: Statement): boolean;
  /** Called when everything was answered. Without one, the connection is anybody's after the transaction's end. */
  reserved: (() => void) | null;
  onclose: (() => void) | null;
}

/** The driver's statement. */
interface Statement extends Promise<{ command: string }> {
  args: readonly unknown[];
  parameters: readonly unknown[];
  handler(statement: Statement): void;
  reject(error: unknown): void;
  execute(): Statement;
  /** It is sent to be described first. Its parameters follow with the answer. */
  describeFirst: boolean;
  cancelled: unknown;
  cursorFn?: unknown;
}

/** Whether it is a statement, which may be unsent, and no other promise. */
export const isStatement = (made: unknown): made is Statement & postgres.PendingQuery<postgres.Row[]> =>
  made instanceof Promise && "handler" in made;

/**
 * Has a statement sent with its parameters when a connection sees it for the first time. The driver would ask for their
 * types and wait. It needs them only for objects; PostgreSQL knows them from the text.
 */
export function inOneTrip<S extends Promise<unknown>>(made: S): S {
  let isAsked = false;
  Object.defineProperty(made, "describeFirst", {
    get: () => isAsked,
    set(value: unknown) {
      isAsked = Boolean(value) && isStatement(made) && made.parameters.some(isObject);
    },
  });
  return made;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The driver repeats a statement whose plan is outdated, behind all that were sent, which may be after their end. */
function neverRepeated(statement: Statement): void {
  Object.defineProperty(statement, "retried", {
    get: () => undefined,
    set(error: unknown) {
      statement.cancelled = true;
      statement.reject(error);
    },
  });
}

/** Whether a part of a statement, or a column of a row in it, is undefined. */
function lacksValue(part: unknown): boolean {
  if (part === undefined) return true;
  if (!isObject(part)) return false;
  if (isStatement(part)) return part.args.some(lacksValue);
  if (Array.isArray(part)) return part.some(lacksValue);
  return "first" in part && isObject(part.first) && Object.values(part.first).some(lacksValue);
}

/** Made once: each transaction ends, and a trace of it takes longer than the end. */
const isOver = new StorageUnavailable("the transaction is over");

/** A failure that may be the connection's: it is known this soon whether it was. */
const lossKnownAfterMs = 1000;

export class Session<Sql extends postgres.Sql = postgres.Sql> {
  /** What runs its statements in this transaction. */
  readonly sql: Sql;
  readonly begun: Promise<unknown>;
  /** Rejects when nothing more is to be expected of the transaction. */
  readonly givenUp: Promise<never>;
  #rejectGivenUp: (error: unknown) => void = () => {};
  #wire: Wire | undefined;
  /** Nothing may be sent before an answer. */
  #isHeld = true;
  readonly #held: Statement[] = [];
  /** Why no further statement is sent. */
  #over: unknown;
  #failure: unknown;

  constructor(
    private readonly pool: Sql,
    mode: string,
  ) {
    this.givenUp = new Promise((_, reject) => {
      this.#rejectGivenUp = reject;
    });
    this.givenUp.catch(() => {});
    // The driver calls it with the connection. Its types do not know of it.
    const options: object = { onexecute: (wire: Wire) => this.#take(wire) };
    // Unsafe: a mode is no parameter.
    this.begun = pool.unsafe(`begin ${mode}`, [], options).execute();
    // Whatever came then would be stored by itself.
    this.begun.catch((error: unknown) => this.giveUp(error));
    this.sql = this.#led(pool);
  }

  /** Ends it here. Whatever was sent goes on by itself. */
  giveUp(error: unknown): void {
    this.#over ??= error;
    for (const statement of this.#held.splice(0)) statement.reject(error);
    this.#rejectGivenUp(error);
  }

  /** Sent at once, behind all statements so far. @throws the first failure of a statement; nothing is stored then */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { command } = await this.#last("commit");
    if (command !== "COMMIT") throw this.#failure ?? new StorageConflict("PostgreSQL undid a transaction");
  }

  /** Undoes what was done, unless the end was sent, or the connection is lost. Returns the failure's first cause. */
  async undo(error: unknown): Promise<unknown> {
    // Its end would not be answered either.
    if (error instanceof Overdue) this.giveUp(error);
    if (this.#over === undefined && mayBeLoss(translate(error))) await this.#withoutLoss(delay(lossKnownAfterMs));
    // The driver passes a statement on to whatever a lost connection has become.
    if (this.#over === undefined) await this.#withoutLoss(this.#last("rollback"));
    const isOnlyRefused = codeOf(error) === "25P02";
    return isOnlyRefused ? (this.#failure ?? error) : error;
  }

  #withoutLoss(work: Promise<unknown>): Promise<unknown> {
    return Promise.race([work, this.givenUp]).catch(() => {});
  }

  /** Nothing is sent after it. */
  #last(text: string): Promise<{ command: string }> {
    // Unsafe: a constant.
    const last = this.pool.unsafe(text);
    if (!isStatement(last)) throw new Error("the driver makes other statements");
    last.handler = (statement) => {
      this.#send(statement);
      this.#over ??= isOver;
    };
    return last.execute();
  }

  /** The driver has sent `begin` on this connection. Returns that it is to be nobody else's. */
  #take(wire: Wire): boolean {
    this.#wire = wire;
    wire.reserved = () => this.#release();
    wire.onclose = () => this.giveUp(new StorageUnavailable("PostgreSQL went away during a transaction"));
    this.#release();
    return false;
  }

  #release(): void {
    this.#isHeld = false;
    while (!this.#isHeld && this.#held.length > 0) this.#pass(this.#held.shift()!);
  }

  #send(statement: Statement): void {
    // Not its own `catch`, which would begin it.
    Promise.prototype.then.call(statement, undefined, (error: unknown) => {
      this.#failure ??= error;
    });
    if (this.#over !== undefined) statement.reject(this.#over);
    // The driver notices too late, and rejects another one.
    else if (statement.args.some(lacksValue)) statement.reject(new TypeError("a parameter is undefined"));
    else if (this.#isHeld) this.#held.push(statement);
    else this.#pass(statement);
  }

  #pass(statement: Statement): void {
    neverRepeated(inOneTrip(statement));
    this.#wire!.execute(statement);
    this.#isHeld = statement.describeFirst || statement.cursorFn !== undefined;
  }

  /** The pool's tag and `unsafe`, but for statements of this transaction. */
  #led(pool: Sql): Sql {
    const lead = (made: unknown): unknown => {
      if (!isStatement(made)) return made;
      made.handler = (statement) => this.#send(statement);
      return made;
    };
    return new Proxy(pool, {
      apply: (target, self, args) => lead(Reflect.apply(target, self, args)),
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        return key === "unsafe" && typeof value === "function" ? (...args: unknown[]) => lead(value(...args)) : value;
      },
    });
  }
}
