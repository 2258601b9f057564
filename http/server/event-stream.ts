/**
 * One open stream of events (`GET /events` with `Accept: text/event-stream`): a small object on a connection that
 * stays.
 *
 * A native build keeps in memory what the kernel does not take. So after a write that did not go out whole, nothing is
 * written until the client has caught up. For a client that does not read, one write is in memory.
 *
 * It is the last answer on its connection, and says so at its beginning. 20.30 would write that header into the body
 * when it ends the connection. A client that comes again may then reach another node.
 */
import { randomInt } from "node:crypto";
import type { EventQueues } from "../../actors/event-queue/event-queues.ts";
import type { EventQueue, Stream } from "../../actors/event-queue/queue.ts";
import type { SessionId } from "../../storage/ids.ts";
import type { HttpResponse } from "./builds/uws-interface.ts";
import type { Headers } from "./header-block.ts";

/**
 * Milliseconds after which a browser comes again, and a random part, since many lose their streams at the same time.
 */
const retryMs = 500;
const retrySpreadMs = 2500;

/** nginx would keep events until it has a buffer full of them. */
const streamHeaders: Headers = [
  ["Content-Type", "text/event-stream"],
  ["Cache-Control", "no-store, no-transform"],
  ["X-Accel-Buffering", "no"],
  ["X-Content-Type-Options", "nosniff"],
  ["Connection", "close"],
];

/** A comment that makes a native build send on what it kept: it does so only with a further write. */
const nudge = Buffer.from(":\n");

/** Writes to one stream after another: one closure for all of them, not one per event. */
class CorkedWrite {
  #res!: HttpResponse;
  #bytes!: Uint8Array;
  #isTaken = true;
  readonly #write = (): void => {
    this.#isTaken = this.#res.write(this.#bytes);
  };

  /** Returns whether the kernel took all of it. */
  write(res: HttpResponse, bytes: Uint8Array): boolean {
    this.#res = res;
    this.#bytes = bytes;
    res.cork(this.#write);
    return this.#isTaken;
  }
}

const corkedWrite = new CorkedWrite();

/** What a stream has that is no stream of events. */
export interface StreamForm {
  /** What comes first. */
  readonly beginning: string;
  /** What is sent for events. It has to be something, as a sign of life. */
  translate(events: Uint8Array): Uint8Array;
  /** Called when the client has left. */
  gone(): void;
}

export class EventStream implements Stream {
  readonly isStream = true;
  isBehind = false;
  isStuck = false;
  openedAt = 0;
  #isOver = false;
  #isDraining = false;
  #queues: EventQueues | undefined;
  #queue: EventQueue | undefined;

  /**
   * @param sessionId the log-in that it came by
   * @param begin says that the answer has begun; returns headers that go with it, undefined when it cannot begin
   * @param form what else than the events is written, if it is
   */
  constructor(
    private readonly res: HttpResponse,
    readonly sessionId: SessionId | undefined,
    private begin: (() => Headers | undefined) | undefined,
    private readonly form?: StreamForm,
  ) {}

  /** Sets the queue whose events it sends. Called when the queue has the stream, or has already ended it. */
  serve(queues: EventQueues, queue: EventQueue): void {
    this.#queues = queues;
    this.#queue = queue;
    if (this.#isOver) queues.unpark(queue, this);
  }

  /** The client has left. */
  gone(): void {
    this.#isOver = true;
    if (this.#queue) this.#queues!.unpark(this.#queue, this);
    this.form?.gone();
  }

  open(): void {
    const headers = this.begin?.();
    this.begin = undefined;
    if (headers === undefined) this.#isOver = true;
    if (this.#isOver) return;
    const { res } = this;
    res.onAborted(() => this.gone());
    res.cork(() => {
      for (const [name, value] of streamHeaders) res.writeHeader(name, value);
      for (const [name, value] of headers!) res.writeHeader(name, value);
      res.write(`retry: ${retryMs + randomInt(retrySpreadMs)}\n\n${this.form?.beginning ?? ""}`);
    });
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const written = this.form ? this.form.translate(bytes) : bytes;
    if (!corkedWrite.write(this.res, written)) this.#waitForClient();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.res.cork(() => this.res.end());
  }

  cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.res.close();
  }

  #waitForClient(): void {
    this.isBehind = true;
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.res.onWritable(() => {
      if (this.#isOver || !this.isBehind) return true;
      this.isBehind = !this.res.write(nudge);
      if (!this.isBehind) {
        this.isStuck = false;
        if (this.#queue) this.#queues!.push(this.#queue);
      }
      return !this.isBehind;
    });
  }
}
