/** HTTP as bytes on a socket: what a client library would never send, and when it arrives. */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Map<string, string>;
  body: string;
}

/** A connection that is written to by hand. */
export class RawConnection {
  #received = Buffer.alloc(0);
  #isClosed = false;
  #wake: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on("data", (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#tell();
    });
    // A reset is a close like any other.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#isClosed = true;
      this.#tell();
    });
  }

  /** @param socket another way to reach the server, such as TLS */
  static open(port: number, socket: Socket = connect(port, "127.0.0.1")): RawConnection {
    return new RawConnection(socket);
  }

  send(bytes: string): void {
    this.socket.write(bytes, "latin1");
  }

  /** The next answer. @throws Error when the connection ends before it is there */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const parsed = parseAnswer(this.#received, this.#isClosed);
      if (parsed) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed.answer;
      }
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.#received.toString("latin1"))}`);
      await this.#more();
    }
  }

  /** Every answer until the server closes the connection. */
  async answersUntilClosed(): Promise<RawAnswer[]> {
    while (!this.#isClosed) await this.#more();
    const answers: RawAnswer[] = [];
    while (this.#received.length > 0) answers.push(await this.answer());
    return answers;
  }

  close(): void {
    this.socket.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }
  #tell(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** The answer at the beginning of what was received, or undefined while it is not whole. */
function parseAnswer(received: Buffer, isClosed: boolean): { answer: RawAnswer; length: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine, ...lines] = received.toString("latin1", 0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const bodyAt = headEnd + 4;
  const status = Number(statusLine!.split(" ")[1]);
  const declared = status === 100 ? "0" : headers.get("content-length");
  // Without a length the body is what comes before the close.
  if (declared === undefined && !isClosed) return undefined;
  const length = declared === undefined ? received.length : bodyAt + Number(declared);
  if (received.length < length) return undefined;
  return { answer: { status, headers, body: received.toString("utf8", bodyAt, length) }, length };
}

/** Sends pieces so that the server reads each by itself: between two of them it has answered others. */
export async function sendApart(connection: RawConnection, port: number, pieces: readonly string[]): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    connection.send(piece);
    if (index === pieces.length - 1) return;
    for (let round = 0; round < 2; round++) await (await fetch(`http://127.0.0.1:${port}/health`)).text();
  }
}
