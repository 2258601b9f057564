/**
 * A body that is taken while it comes in. So much of it waits in memory; then the client is not read from until most of
 * that has been taken. A body that nobody wants any more is thrown away as it comes, since many clients read no answer
 * before they have sent everything.
 */
import type { BodyShare } from "./body-budget.ts";
import type { HttpResponse } from "./builds/uws-interface.ts";
import { BodyTooLarge, ClientGone } from "./unread-body.ts";

/** More of a body than this does not wait, but for the piece that came last. */
const mostWaitingBytes = 128 * 1024;
/** When no more waits, more is read. */
const fewWaitingBytes = mostWaitingBytes / 2;

export class BodyStream implements AsyncIterable<Buffer> {
  readonly #waiting: Buffer[] = [];
  /** Bytes that wait, and of the piece that is being taken. */
  #held = 0;
  #size = 0;
  #isPaused = false;
  #isWhole = false;
  #isDropped = false;
  #isGone = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  /** Must be made before the first await. @param announced the length that the client tells, if it does */
  constructor(
    private readonly res: HttpResponse,
    private readonly maxBytes: number,
    private readonly share: BodyShare,
    readonly announced: number | undefined,
  ) {
    if (announced !== undefined && announced > maxBytes) this.fail(new BodyTooLarge(maxBytes));
    // 20.30 never gives the last piece of an empty body when the request's head came in several packets.
    this.#isWhole = announced === 0;
    res.onData((chunk, isLast) => this.#receive(chunk, isLast));
  }

  /** @throws BodyTooLarge, ClientGone, or what the share says */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        const piece = this.#waiting.shift();
        if (piece) {
          yield piece;
          this.#taken(piece.length);
        } else if (this.#isWhole) return;
        else await new Promise<void>((wake) => (this.#wake = wake));
      }
    } finally {
      this.drop();
    }
  }

  /** The client has left. */
  gone(): void {
    this.#isGone = true;
    this.fail(new ClientGone());
  }

  /** Nothing more is taken: whoever takes it is thrown this. */
  fail(error: unknown): void {
    this.#failure ??= error;
    this.drop();
    this.#wake?.();
  }

  /** Whatever is still to come is thrown away. */
  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#waiting.length = 0;
    this.#taken(this.#held);
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    const { byteLength } = chunk;
    this.#size += byteLength;
    if (!this.#isDropped && this.#failure === undefined && byteLength > 0) this.#add(chunk);
    this.#isWhole ||= isLast;
    if (this.#held > mostWaitingBytes && !isLast && !this.#isPaused) {
      this.#isPaused = true;
      this.res.pause();
    }
    this.#wake?.();
  }

  #add(chunk: ArrayBuffer): void {
    if (this.#size > this.maxBytes) {
      this.fail(new BodyTooLarge(this.maxBytes));
      return;
    }
    try {
      this.share.take(chunk.byteLength);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.#held += chunk.byteLength;
    // The bytes are valid only now: copy them.
    this.#waiting.push(Buffer.from(Buffer.from(chunk)));
  }

  #taken(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.share.giveBack(given);
    if (!this.#isPaused || this.#isGone || this.#held > fewWaitingBytes) return;
    this.#isPaused = false;
    this.res.resume();
  }
}
