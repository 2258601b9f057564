/** The answer to one request, as our own build of the HTTP server writes it. */
import type { RequestHead } from "./request-head.ts";
import type { HttpResponse, RecognizedString } from "./uws-interface.ts";

/** Bytes that the socket is given at a time of an answer that may wait. */
const pieceBytes = 64 * 1024;
const noBytes = new ArrayBuffer(0);

/** How the body says where it ends. */
type Ending = "by length" | "in chunks" | "with the connection";

/** The connection, as its answer sees it. */
export interface AnswerLine {
  /** Whether the connection ends with this answer. */
  isLast: boolean;
  /** Whether bytes wait for the client. */
  readonly isBehind: boolean;
  readonly remoteAddress: string;
  addText(text: string): void;
  /** Adds bytes, which may be used again afterwards. */
  add(bytes: Uint8Array): void;
  flush(): void;
  /** The handler wants the request's body. */
  wantBody(): void;
  /** No more of the body is read until it is resumed, or the answer is complete. */
  pauseBody(): void;
  resumeBody(): void;
  /** The answer is complete. */
  answered(response: JavaScriptResponse): void;
  destroy(): void;
}

export class JavaScriptResponse implements HttpResponse {
  #isOver = false;
  #hasBegun = false;
  #ending: Ending | undefined;
  /** Whether the answer has said whether the connection stays. */
  #toldConnection = false;
  #corks = 0;
  #offset = 0;
  #abortHandler: (() => void) | undefined;
  #writableHandler: ((offset: number) => boolean) | undefined;
  #dataHandler: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;

  constructor(
    private readonly connection: AnswerLine,
    private readonly isOld: boolean,
  ) {}

  get isOver(): boolean {
    return this.#isOver;
  }
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Has a route's handler answer. What it writes before it returns goes out together. */
  handle(dispatch: (res: HttpResponse, head: RequestHead) => void, head: RequestHead): void {
    this.#corks++;
    try {
      dispatch(this, head);
    } finally {
      this.#uncork();
    }
  }

  writeStatus(status: RecognizedString): this {
    this.#live();
    this.#begin(status);
    return this.#sent();
  }
  writeHeader(key: RecognizedString, value: RecognizedString): this {
    this.#live();
    // What others wrote, a file's name say, may be in a value.
    if (typeof value === "string" && /[\r\n\0]/.test(value)) throw new TypeError(`A line break in the header ${key}`);
    this.#begin();
    if (key === "Connection") {
      this.#toldConnection = true;
      if (value === "close") this.connection.isLast = true;
    }
    this.#add(key);
    this.#add(": ");
    this.#add(value);
    this.#add("\r\n");
    return this.#sent();
  }
  write(chunk: RecognizedString): boolean {
    this.#live();
    if (this.#ending === undefined) {
      this.#endHeaders(
        this.isOld ? "with the connection" : "in chunks",
        this.isOld ? "" : "Transfer-Encoding: chunked\r\n",
      );
    }
    const bytes = bytesOf(chunk);
    this.#offset += bytes.length;
    this.#addChunk(bytes);
    this.connection.flush();
    return !this.connection.isBehind;
  }
  end(body: RecognizedString = "", closeConnection = false): this {
    this.#live();
    if (closeConnection) this.connection.isLast = true;
    const bytes = bytesOf(body);
    if (this.#ending === undefined) this.#endHeaders("by length", `Content-Length: ${bytes.length}\r\n`);
    this.#addChunk(bytes);
    if (this.#ending === "in chunks") this.#add("0\r\n\r\n");
    return this.#finish();
  }
  endWithoutBody(): this {
    this.#live();
    this.#endHeaders("by length", "");
    return this.#finish();
  }
  tryEnd(bodyOrChunk: RecognizedString, totalSize: number): [boolean, boolean] {
    this.#live();
    if (this.#ending === undefined) this.#endHeaders("by length", `Content-Length: ${totalSize}\r\n`);
    const { connection } = this;
    const bytes = bytesOf(bodyOrChunk);
    let taken = 0;
    while (taken < bytes.length && !connection.isBehind) {
      const piece = bytes.subarray(taken, taken + pieceBytes);
      taken += piece.length;
      connection.add(piece);
      if (taken < bytes.length || this.#offset + taken < totalSize) connection.flush();
    }
    this.#offset += taken;
    if (this.#offset < totalSize) return [taken === bytes.length && !connection.isBehind, false];
    this.#finish();
    return [true, true];
  }
  getWriteOffset(): number {
    this.#live();
    return this.#offset;
  }
  onWritable(handler: (offset: number) => boolean): this {
    this.#live();
    this.#writableHandler = handler;
    return this;
  }
  onAborted(handler: () => void): this {
    this.#live();
    this.#abortHandler = handler;
    return this;
  }
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#live();
    this.#dataHandler = handler;
    this.connection.wantBody();
    return this;
  }
  pause(): void {
    this.#live();
    this.connection.pauseBody();
  }
  resume(): void {
    this.#live();
    this.connection.resumeBody();
  }
  getRemoteAddressAsText(): ArrayBuffer {
    this.#live();
    return new TextEncoder().encode(this.connection.remoteAddress).buffer;
  }
  cork(write: () => void): this {
    this.#live();
    this.#corks++;
    try {
      write();
    } finally {
      this.#uncork();
    }
    return this;
  }
  close(): this {
    this.#live();
    this.connection.destroy();
    return this;
  }

  /** The client has left. */
  gone(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#abortHandler?.();
  }
  /** What waited for the client has gone out. */
  caughtUp(): void {
    if (!this.#isOver) this.#writableHandler?.(this.#offset);
  }
  /** Bytes of the request's body. They may be used again when this returns. */
  deliver(piece: Buffer): void {
    if (this.#isOver || !this.#dataHandler) return;
    const { buffer, byteLength } = piece;
    this.#dataHandler(byteLength === buffer.byteLength ? (buffer as ArrayBuffer) : new Uint8Array(piece).buffer, false);
  }
  deliverLast(): void {
    if (!this.#isOver) this.#dataHandler?.(noBytes, true);
  }

  #begin(status: RecognizedString = "200 OK"): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#add("HTTP/1.1 ");
    this.#add(status);
    this.#add("\r\n");
  }
  #endHeaders(ending: Ending, header: string): void {
    this.#begin();
    if (ending === "with the connection") this.connection.isLast = true;
    this.#ending = ending;
    const connection = this.#toldConnection
      ? ""
      : this.connection.isLast
        ? "Connection: close\r\n"
        : this.isOld
          ? "Connection: keep-alive\r\n"
          : "";
    this.connection.addText(`${header}${connection}\r\n`);
  }
  #addChunk(bytes: Uint8Array): void {
    // A chunk of no bytes would end the body.
    if (bytes.length === 0) return;
    if (this.#ending === "in chunks") this.#add(`${bytes.length.toString(16)}\r\n`);
    this.connection.add(bytes);
    if (this.#ending === "in chunks") this.#add("\r\n");
  }
  #add(value: RecognizedString): void {
    if (typeof value === "string") this.connection.addText(value);
    else this.connection.add(bytesOf(value));
  }
  #finish(): this {
    this.#isOver = true;
    return this.#sent();
  }
  #sent(): this {
    if (this.#corks === 0) this.#flush();
    return this;
  }
  #uncork(): void {
    this.#corks--;
    if (this.#corks === 0) this.#flush();
  }
  #flush(): void {
    this.connection.flush();
    if (this.#isOver) this.connection.answered(this);
  }
  /** The native builds throw here too, so a slip shows on either. */
  #live(): void {
    if (this.#isOver) throw new Error("HttpResponse used after its end or after its client left");
  }
}

function bytesOf(value: RecognizedString): Uint8Array {
  if (typeof value === "string") return Buffer.from(value);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
