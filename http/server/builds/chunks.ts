/** Reads a body in chunks, by RFC 9112, 7.1. Extensions of chunks and trailers are read and mean nothing here. */

/** The line of a chunk's size, with its extensions. */
const sizeLine = /^([\dA-Fa-f]{1,12})[ \t]*(?:;[\t -~\x80-\xff]*)?\r\n$/;
const trailerLine = /^[!#$%&'*+.^_`|~\dA-Za-z-]+:[\t -~\x80-\xff]*\r\n$/;
const maxLineBytes = 4 * 1024;
const maxTrailerBytes = 16 * 1024;
const newline = 0x0a;

export class ChunkReader {
  #expects: "size" | "bytes" | "end of chunk" | "trailer" = "size";
  /** Bytes of this chunk that are still to come. */
  #left = 0;
  #line = "";
  #trailerBytes = 0;
  isDone = false;

  /**
   * Reads what has arrived, and hands over the bytes of the body.
   *
   * @returns how many bytes belonged to the body and what describes it, -1 when they are malformed
   */
  read(bytes: Buffer, take: (piece: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && !this.isDone) {
      if (this.#expects === "bytes") {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        if (this.#left === 0) this.#expects = "end of chunk";
        take(piece);
        continue;
      }
      const end = bytes.indexOf(newline, at);
      const next = end < 0 ? bytes.length : end + 1;
      if (this.#line.length + next - at > maxLineBytes) return -1;
      this.#line += bytes.toString("latin1", at, next);
      at = next;
      if (end < 0) break;
      const line = this.#line;
      this.#line = "";
      if (!this.#readLine(line)) return -1;
    }
    return at;
  }

  #readLine(line: string): boolean {
    if (this.#expects === "end of chunk") {
      this.#expects = "size";
      return line === "\r\n";
    }
    if (this.#expects === "size") {
      const size = sizeLine.exec(line)?.[1];
      if (size === undefined) return false;
      this.#left = Number.parseInt(size, 16);
      this.#expects = this.#left === 0 ? "trailer" : "bytes";
      return true;
    }
    if (line === "\r\n") {
      this.isDone = true;
      return true;
    }
    this.#trailerBytes += line.length;
    return this.#trailerBytes <= maxTrailerBytes && trailerLine.test(line);
  }
}
