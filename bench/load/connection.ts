/**
 * One keep-alive HTTP/1.1 connection, as cheap as Node allows. Requests are written as they are given, and answers are
 * found by `Content-Length` alone. All connections of a process read into one buffer. One request at a time; no
 * pipelining.
 */
import { connect, type Socket } from "node:net";

/** One answer. `body` is only valid until the handler returns: it lies in the shared read buffer. */
export interface Answer {
  status: number;
  /** Status line and headers as they came, with the empty line that ends them. */
  head: string;
  body: Buffer;
}

/** Large enough that a usual answer arrives in one piece. */
const readBufferBytes = 256 * 1024;
/** An answer larger than this is not one that a bench asks for. */
const maxAnswerBytes = 512 * 1024 * 1024;
const headEndMark = Buffer.from("\r\n\r\n");

/** What the connections of one process share. */
export class Reader {
  readonly buffer = Buffer.allocUnsafeSlow(readBufferBytes);
  /** Bytes read so far by all connections. */
  bytes = 0;
}

/** Finds answers in the bytes of one connection, however they are cut. */
export class AnswerParser {
  /**
   * Start of an answer whose end has not come yet: its pieces, and how many bytes it will have once its head is known.
   */
  #pieces: Buffer[] = [];
  #held = 0;
  #needed = 0;

  constructor(private readonly onAnswer: (answer: Answer) => void) {}

  /** Takes the next bytes; `chunk` may be overwritten afterwards. @throws Error on bytes that are not HTTP. */
  push(chunk: Buffer): void {
    if (this.#held > 0) {
      this.#pieces.push(Buffer.from(chunk));
      this.#held += chunk.length;
      if (this.#held < this.#needed) return;
      const whole = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#held = 0;
      this.#parse(whole);
    } else {
      this.#parse(chunk);
    }
  }

  #parse(bytes: Buffer): void {
    let start = 0;
    while (start < bytes.length) {
      const headEnd = bytes.indexOf(headEndMark, start);
      if (headEnd < 0) {
        this.#hold(bytes.subarray(start), 0);
        return;
      }
      const bodyStart = headEnd + headEndMark.length;
      const head = bytes.toString("latin1", start, bodyStart);
      if (!head.startsWith("HTTP/1.1 ")) throw new Error(`not an HTTP answer: ${JSON.stringify(head.slice(0, 80))}`);
      const status = Number(head.slice(9, 12));
      const length = /^content-length: *(\d+)/im.exec(head)?.[1];
      if (length === undefined && status !== 204) throw new Error(`an answer without Content-Length: ${head}`);
      const end = bodyStart + Number(length ?? 0);
      if (end - start > maxAnswerBytes) throw new Error(`an answer of ${end - start} bytes`);
      if (end > bytes.length) {
        this.#hold(bytes.subarray(start), end - start);
        return;
      }
      this.onAnswer({ status, head, body: bytes.subarray(bodyStart, end) });
      start = end;
    }
  }

  #hold(bytes: Buffer, needed: number): void {
    this.#pieces = [Buffer.from(bytes)];
    this.#held = bytes.length;
    this.#needed = needed;
  }
}

/** What makes something of a connection's bytes, however they are cut. */
interface Parser {
  /** Takes the next bytes; `chunk` may be overwritten afterwards. @throws Error on bytes that are not expected */
  push(chunk: Buffer): void;
}

export class Connection {
  #socket: Socket | undefined;
  #parser: Parser;
  #closed = false;
  #isAwaiting = false;

  /**
   * @param onFault Called when the connection fails, or is ended by the server before it has answered.
   * @param newParser for a connection that brings something else than answers; it never counts as answered
   * @param host an address of the loopback interface
   */
  constructor(
    private readonly port: number,
    private readonly reader: Reader,
    private readonly onAnswer: (answer: Answer) => void,
    private readonly onFault: (error: Error) => void,
    private readonly newParser?: () => Parser,
    private readonly host = "127.0.0.1",
  ) {
    this.#parser = this.#newParser();
  }

  /** Connects ahead of the first request. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#connect();
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve();
      });
      socket.once("error", reject);
    });
  }

  /** Writes one request; connects first when the server has closed an idle connection. */
  send(request: string): void {
    this.#isAwaiting = true;
    (this.#socket ?? this.#connect()).write(request, "latin1");
  }

  /** Ends the connection with a reset, which leaves no port in TIME_WAIT. */
  close(): void {
    this.#closed = true;
    this.#socket?.resetAndDestroy();
    this.#socket = undefined;
  }

  #newParser(): Parser {
    if (this.newParser) return this.newParser();
    return new AnswerParser((answer) => {
      this.#isAwaiting = false;
      this.onAnswer(answer);
    });
  }

  #connect(): Socket {
    const socket = connect({
      host: this.host,
      port: this.port,
      noDelay: true,
      onread: {
        buffer: this.reader.buffer,
        callback: (length, buffer) => {
          this.reader.bytes += length;
          try {
            this.#parser.push((buffer as Buffer).subarray(0, length));
          } catch (error) {
            this.#fail(socket, error as Error);
          }
          return true;
        },
      },
    });
    socket.on("error", (error) => this.#fail(socket, error));
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (this.#isAwaiting) this.#fail(socket, new Error("the server closed a connection before it had answered"));
    });
    this.#socket = socket;
    return socket;
  }

  #fail(socket: Socket, error: Error): void {
    if (this.#socket === socket) this.#socket = undefined;
    this.#parser = this.#newParser();
    this.#isAwaiting = false;
    socket.destroy();
    if (!this.#closed) this.onFault(error);
  }
}
