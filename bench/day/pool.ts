/** Connections that carry the short requests of all clients, as a proxy in front of the server keeps some. */
import { type Answer, Connection, type Reader } from "../load/connection.ts";

/** The answer, or why there is none. The body is only valid within the call. */
export type Done = (answer: Answer | undefined, error?: Error) => void;

interface Slot {
  /** It has brought an answer, so the server may end it while it rests. */
  isUsed: boolean;
  send(request: string, done: Done): void;
}

export class Pool {
  readonly #free: Slot[] = [];

  constructor(
    private readonly port: number,
    private readonly reader: Reader,
  ) {}

  /**
   * The connection that was used last is used next. One that the server ends as the request leaves has not read it, so
   * the request goes out once more on a new one.
   */
  ask(request: string, done: Done): void {
    const slot = this.#free.pop() ?? this.#open();
    const isUsed = slot.isUsed;
    slot.send(request, (answer, error) => {
      if (answer === undefined && isUsed) this.#open().send(request, done);
      else done(answer, error);
    });
  }

  #open(): Slot {
    let waiting: Done | undefined;
    const settle = (answer: Answer | undefined, error?: Error): void => {
      const done = waiting;
      if (done === undefined) return;
      waiting = undefined;
      slot.isUsed = answer !== undefined;
      this.#free.push(slot);
      done(answer, error);
    };
    const connection = new Connection(this.port, this.reader, settle, (error) => settle(undefined, error));
    const slot: Slot = {
      isUsed: false,
      send(request, done) {
        waiting = done;
        connection.send(request);
      },
    };
    return slot;
  }
}
