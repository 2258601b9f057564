/**
 * Where an answer is put together, so that it goes out in one system call. Its status, headers and body are written
 * into one piece of memory, which is used again for the next answer. Handing the kernel one piece costs less than half
 * of handing it three.
 */

/** Whoever's bytes are in the output. */
export interface Outlet {
  /** Sends bytes. Returns whether they are gone; otherwise they must stay as they are. */
  send(bytes: Buffer): boolean;
}

/** Nearly every answer fits. A client that reads slowly may hold one piece of this size. */
const sizeBytes = 16 * 1024;
/** With what is before it, a piece of an answer that may wait (`response.ts`). Longer ones have memory of their own. */
const largeBytes = sizeBytes + 64 * 1024;
/** In UTF-8, of one of JavaScript's 16 bits. */
const mostBytesOfCharacter = 3;

export class Output {
  #bytes = Buffer.allocUnsafeSlow(sizeBytes);
  /** Made when the first large piece goes out. */
  #large: Buffer | undefined;
  #length = 0;
  #outlet: Outlet | undefined;

  text(outlet: Outlet, text: string): void {
    if (!this.#makeRoom(outlet, text.length * mostBytesOfCharacter)) this.#sendLarge(Buffer.from(text));
    else this.#length += this.#bytes.write(text, this.#length);
  }

  /** Adds bytes, which may be used again afterwards. */
  bytes(outlet: Outlet, bytes: Uint8Array): void {
    if (!this.#makeRoom(outlet, bytes.length)) this.#sendLarge(bytes);
    else {
      this.#bytes.set(bytes, this.#length);
      this.#length += bytes.length;
    }
  }

  /** Sends what there is of this one. */
  flush(outlet: Outlet): void {
    if (this.#outlet !== outlet) return;
    this.#outlet = undefined;
    const length = this.#length;
    if (length === 0) return;
    this.#length = 0;
    if (!outlet.send(this.#bytes.subarray(0, length))) this.#bytes = Buffer.allocUnsafeSlow(sizeBytes);
  }

  /** Forgets what there is of this one. */
  drop(outlet: Outlet): void {
    if (this.#outlet !== outlet) return;
    this.#outlet = undefined;
    this.#length = 0;
  }

  /** Returns whether so many bytes fit beside what there is. */
  #makeRoom(outlet: Outlet, count: number): boolean {
    if (this.#outlet !== outlet) {
      if (this.#outlet !== undefined) this.flush(this.#outlet);
      this.#outlet = outlet;
    }
    return this.#length + count <= sizeBytes;
  }

  /** Sends what there is with more behind it. */
  #sendLarge(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    const kept = length <= largeBytes ? (this.#large ?? Buffer.allocUnsafeSlow(largeBytes)) : undefined;
    const all = kept?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
    all.set(this.#bytes.subarray(0, this.#length));
    all.set(bytes, this.#length);
    this.#length = 0;
    const isGone = this.#outlet!.send(all);
    if (kept) this.#large = isGone ? kept : undefined;
  }
}
