/** A body in pieces, sent as the socket takes it. */
import type { HttpResponse } from "./builds/uws-interface.ts";

/** What is left to send of a body. */
export class Pieces {
  #index = 0;
  /** Bytes of the body before the current piece. */
  #sent = 0;

  constructor(
    private readonly pieces: readonly Uint8Array[],
    private readonly total: number,
  ) {}

  /** Sends what the socket takes. Returns false when there is more. */
  send(res: HttpResponse): boolean {
    for (;;) {
      const piece = this.pieces[this.#index]!;
      const [isTaken, isDone] = res.tryEnd(piece.subarray(res.getWriteOffset() - this.#sent), this.total);
      if (isDone) return true;
      if (res.getWriteOffset() < this.#sent + piece.length) return false;
      this.#sent += piece.length;
      this.#index++;
      if (!isTaken) return false;
    }
  }
}
