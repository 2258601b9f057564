/**
 * A quiet user beside a storm: one request at a fixed pace, whether or not earlier ones were answered, until told to
 * end.
 */
import { Connection, type Reader } from "./connection.ts";

export interface Steady {
  port: number;
  /** Whole requests, taken in turn. */
  requests: readonly string[];
  everyMs: number;
}

export interface SteadyResult {
  /** Milliseconds from when a request was due to its answer. */
  latenciesMs: number[];
  /** Answers that were no success, and connections that failed. */
  failures: string[];
}

export class SteadySender {
  readonly #result: SteadyResult = { latenciesMs: [], failures: [] };
  readonly #all = new Set<Connection>();
  readonly #free: Connection[] = [];
  readonly #dueAt = new WeakMap<Connection, number>();
  readonly #ticking: NodeJS.Timeout;
  #sent = 0;
  #awaited = 0;

  constructor(
    private readonly load: Steady,
    private readonly reader: Reader,
  ) {
    const startedAt = performance.now();
    this.#ticking = setInterval(() => {
      for (;;) {
        const dueAt = startedAt + this.#sent * load.everyMs;
        if (dueAt > performance.now()) return;
        this.#send(load.requests[this.#sent++ % load.requests.length]!, dueAt);
      }
    }, 1);
  }

  /** Waits for the last answers. */
  async end(patienceMs: number): Promise<SteadyResult> {
    clearInterval(this.#ticking);
    for (const deadline = performance.now() + patienceMs; this.#awaited > 0 && performance.now() < deadline; )
      await new Promise((tick) => setTimeout(tick, 10));
    if (this.#awaited > 0) this.#result.failures.push(`${this.#awaited} had no answer`);
    for (const connection of this.#all) connection.close();
    return this.#result;
  }

  #send(request: string, dueAt: number): void {
    this.#awaited++;
    const slot = this.#free.pop();
    if (slot !== undefined) {
      this.#dueAt.set(slot, dueAt);
      slot.send(request);
      return;
    }
    const connection: Connection = new Connection(
      this.load.port,
      this.reader,
      ({ status, body }) => {
        this.#awaited--;
        this.#result.latenciesMs.push(performance.now() - this.#dueAt.get(connection)!);
        this.#dueAt.delete(connection);
        if (status !== 200) this.#result.failures.push(`${status} ${body.toString().slice(0, 200)}`);
        this.#free.push(connection);
      },
      (error) => {
        this.#all.delete(connection);
        const at = this.#free.indexOf(connection);
        if (at >= 0) this.#free.splice(at, 1);
        // The server may end an idle connection at any time.
        if (!this.#dueAt.delete(connection)) return;
        this.#awaited--;
        this.#result.failures.push(String(error));
      },
    );
    this.#all.add(connection);
    this.#dueAt.set(connection, dueAt);
    connection.send(request);
  }
}
