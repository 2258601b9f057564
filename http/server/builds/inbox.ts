/** Bytes of a connection that nobody has read yet, until they hold a whole head. */

const headEnd = Buffer.from("\r\n\r\n");
const carriageReturn = 0x0d;
const newline = 0x0a;
const noBytes = Buffer.alloc(0);

export class Inbox {
  /** The bytes are at its beginning; there may be room behind them. */
  #bytes: Buffer = noBytes;
  #length = 0;
  /** So many bytes at the beginning hold no end of a head. */
  #searched = 0;
  /** Whether a line ends without CR in the head that is not yet whole. */
  hasBareLineEnd = false;

  get length(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    if (this.#length === 0) {
      // Nearly always: a packet is a request.
      this.#bytes = bytes;
      this.#length = bytes.length;
      return;
    }
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      // Twice as large each time, or a head that comes byte by byte would be copied as often.
      const larger = Buffer.allocUnsafeSlow(length * 2);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** The next head as latin1, with the empty line that ends it; undefined while it is not whole. */
  takeHead(): string | undefined {
    this.#skipEmptyLines();
    const bytes = this.#all();
    const end = bytes.indexOf(headEnd, this.#searched);
    if (end < 0) {
      this.#lookForBareLineEnd(bytes);
      this.#searched = Math.max(0, this.#length - headEnd.length + 1);
      return undefined;
    }
    const head = bytes.toString("latin1", 0, end + headEnd.length);
    this.#keepFrom(end + headEnd.length);
    return head;
  }

  takeAll(): Buffer {
    const bytes = this.#all();
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = noBytes;
    this.#length = 0;
    this.#searched = 0;
  }

  #all(): Buffer {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #keepFrom(at: number): void {
    if (at === this.#length) this.clear();
    else {
      this.#bytes = this.#bytes.subarray(at, this.#length);
      this.#length -= at;
      this.#searched = 0;
    }
  }

  /** Some clients send an empty line behind a body. Source: RFC 9112, 2.2. */
  #skipEmptyLines(): void {
    let at = 0;
    while (this.#bytes[at] === carriageReturn && this.#bytes[at + 1] === newline && at + 1 < this.#length) at += 2;
    if (at > 0) this.#keepFrom(at);
  }

  #lookForBareLineEnd(bytes: Buffer): void {
    for (let at = bytes.indexOf(newline, this.#searched); at >= 0; at = bytes.indexOf(newline, at + 1))
      if (bytes[at - 1] !== carriageReturn) this.hasBareLineEnd = true;
  }
}
