/**
 * What the connections of a pool say while they are asked: how whoever waits tells a PostgreSQL that does not answer
 * from one that has much to do. The driver passes statements to a connection that still waits for earlier answers. So
 * a statement may wait for long behind others, each of which is answered at once.
 */
import type { Socket } from "node:net";

export class Lines {
  readonly #lines = new Set<Line>();

  /** Looks at one more connection, before anything is written to it, until it is closed. */
  add(socket: Socket): void {
    const line = new Line(socket);
    this.#lines.add(line);
    socket.once("close", () => this.#lines.delete(line));
  }

  /** Whether whoever has waited for so long waits for others: each that was asked has said something since. */
  areBusy(ms: number): boolean {
    const since = performance.now() - ms;
    let isHeard = false;
    for (const { askedAt, heardAt } of this.#lines) {
      if (askedAt !== undefined && askedAt < since) return false;
      if (heardAt >= since) isHeard = true;
    }
    return isHeard;
  }
}

class Line {
  /** When it was asked first since it said something. Undefined: it was not. */
  askedAt: number | undefined;
  heardAt = Number.NEGATIVE_INFINITY;

  constructor(socket: Socket) {
    const ownWrite = socket.write;
    // The driver is told that there is always room. It does not note whose connection it is when a transaction's
    // beginning fills the buffer. Then it would lend that connection to others in the midst of the transaction.
    const write = (...values: unknown[]): boolean => {
      this.askedAt ??= performance.now();
      Reflect.apply(ownWrite, socket, values);
      return true;
    };
    socket.write = write;
    socket.on("data", () => {
      this.heardAt = performance.now();
      this.askedAt = undefined;
    });
  }
}
