/**
 * One connection of our own build of the HTTP server. Requests come in any pieces, and are answered one after the
 * other, in their order.
 *
 *     head     the next request's head is read         ends with the connection after `idleTicks` of silence; when a
 *                                                      head has begun, 408 after as long
 *     body     its body is read                        408 when too few bytes come in `idleTicks`
 *     answer   all of it is read, its answer is made   no end; what the client sends meanwhile waits
 *     ended    the last answer is on its way           what the client still sends is thrown away, for `lingerTicks`
 *
 * In any phase the connection ends when the client leaves, or takes nothing of what was sent for `stuckTicks`.
 */
import type { Socket } from "node:net";
import { ChunkReader } from "./chunks.ts";
import { Inbox } from "./inbox.ts";
import type { Outlet, Output } from "./output.ts";
import { Refusal, type RequestHead, readHead } from "./request-head.ts";
import { type AnswerLine, JavaScriptResponse } from "./response.ts";
import type { HttpResponse } from "./uws-interface.ts";

/** Bytes of a request's line and headers together. */
export const maxHeadBytes = 64 * 1024;

/** Ticks are seconds. Source: uWebSockets src/HttpContext.h, HTTP_IDLE_TIMEOUT_S. */
const idleTicks = 10;
const lingerTicks = 5;
const stuckTicks = 60;
/** Of a body that is sent on purpose, even by a slow phone, more comes in `idleTicks`. */
const leastBodyBytes = 10 * 1024;

const tooLarge = new Refusal(431, `The request's headers are too large (limit: ${maxHeadBytes} bytes)`);
const tooSlow = new Refusal(408, "The request did not arrive in time.");
const lineEnds = new Refusal(400, "The request is malformed: its lines end without CR.");
const brokenChunks = new Refusal(400, "The request is malformed: its body is not in chunks, as it says.");
const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  417: "Expectation Failed",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  505: "HTTP Version Not Supported",
};

/** What the connections of a listener share. */
export interface Serving {
  readonly output: Output;
  /** Ticks since the listener began. */
  readonly tick: number;
  dispatch(res: HttpResponse, head: RequestHead): void;
}

export class Connection implements AnswerLine, Outlet {
  /** The tick at which it ends, unless something comes until then; 0 while it may wait. */
  deadline: number;
  isLast = false;
  isBehind = false;
  #phase: "head" | "body" | "answer" | "ended" = "head";
  readonly #inbox = new Inbox();
  #response: JavaScriptResponse | undefined;
  /** The rest of the body: how many bytes, or who reads its chunks. */
  #body: number | ChunkReader = 0;
  /** Whether the client sends no other request. */
  #isLastRequest = false;
  /** Whether the client waits for our word before it sends the body. */
  #expects = false;
  /** Bytes of the body since the deadline was set. */
  #bodyBytes = 0;
  /** Whether the body is not read for now. */
  #isBodyPaused = false;

  constructor(
    private readonly socket: Socket,
    private readonly serving: Serving,
  ) {
    this.deadline = serving.tick + idleTicks;
  }

  get remoteAddress(): string {
    return this.socket.remoteAddress ?? "";
  }

  /** Bytes have come. */
  receive(bytes: Buffer): void {
    if (this.#phase === "head") this.#readHead(bytes);
    else if (this.#phase === "body") this.#readBody(bytes);
    else if (this.#phase === "answer") {
      this.#inbox.add(bytes);
      // Nobody who waits for answers sends so much. Reading goes on until then, to hear of a client that leaves.
      if (this.#inbox.length > maxHeadBytes) this.socket.pause();
    }
  }

  /** The client has left, or will send nothing more: that is how a client leaves that waits for an answer. */
  gone(): void {
    this.#phase = "ended";
    this.serving.output.drop(this);
    this.#inbox.clear();
    this.#response?.gone();
    this.#response = undefined;
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.isBehind || this.#phase === "ended") this.destroy();
    else if (this.#phase === "body") {
      if (this.#bodyBytes < leastBodyBytes) this.#refuse(tooSlow);
      else this.#expectBody();
    } else if (this.#inbox.length > 0) this.#refuse(tooSlow);
    else this.destroy();
  }

  destroy(): void {
    this.gone();
    this.socket.destroy();
  }

  addText(text: string): void {
    this.serving.output.text(this, text);
  }
  add(bytes: Uint8Array): void {
    this.serving.output.bytes(this, bytes);
  }
  flush(): void {
    this.serving.output.flush(this);
  }

  send(bytes: Buffer): boolean {
    const { socket } = this;
    if (this.isBehind) {
      socket.write(Buffer.from(bytes));
      return true;
    }
    socket.write(bytes);
    // That the client has left is told later, never in the middle of a handler. One that goes on at once would never
    // let it be told: it is to wait, as for a client that does not read.
    if (socket.errored || socket.destroyed) {
      this.isBehind = true;
      return false;
    }
    // Node has asked the kernel by now: what it took is not counted any more.
    if (socket.writableLength === 0) return true;
    this.isBehind = true;
    this.deadline = this.serving.tick + stuckTicks;
    // Called when all before it has gone out.
    socket.write("", (error) => (error ? this.gone() : this.#caughtUp()));
    return false;
  }

  wantBody(): void {
    if (!this.#expects) return;
    this.#expects = false;
    this.isLast = this.#isLastRequest;
    this.addText("HTTP/1.1 100 Continue\r\n\r\n");
    this.flush();
  }

  pauseBody(): void {
    if (this.#phase !== "body") return;
    this.#isBodyPaused = true;
    this.socket.pause();
    if (!this.isBehind) this.deadline = 0;
  }

  resumeBody(): void {
    if (!this.#isBodyPaused) return;
    this.#isBodyPaused = false;
    this.socket.resume();
    if (this.#phase === "body") this.#expectBody();
  }

  answered(response: JavaScriptResponse): void {
    if (this.#response === response) this.resumeBody();
    // Many clients read no answer before they have sent the whole body.
    if (this.#response === response && (this.#phase === "answer" || this.#expects)) this.#next();
  }

  #readHead(bytes: Buffer): void {
    const inbox = this.#inbox;
    const wasEmpty = inbox.length === 0;
    inbox.add(bytes);
    const text = inbox.takeHead();
    if (text === undefined) {
      if (inbox.length > maxHeadBytes) this.#refuse(tooLarge);
      else if (inbox.hasBareLineEnd) this.#refuse(lineEnds);
      // From its first byte on: one byte a second must not hold a connection.
      else if (wasEmpty && inbox.length > 0) this.deadline = this.serving.tick + idleTicks;
      return;
    }
    if (text.length > maxHeadBytes) {
      this.#refuse(tooLarge);
      return;
    }
    const head = readHead(text);
    if (head instanceof Refusal) {
      this.#refuse(head);
      return;
    }
    const response = new JavaScriptResponse(this, head.isOld);
    this.#response = response;
    this.#expects = head.expects && inbox.length === 0;
    // Whoever is answered without having been asked for the body may send it or not: then nobody knows what comes next.
    this.#isLastRequest = head.isLast;
    this.isLast = head.isLast || this.#expects;
    if (head.body === 0) {
      this.#phase = "answer";
      if (!this.isBehind) this.deadline = 0;
    } else {
      this.#phase = "body";
      this.#body = head.body === "chunked" ? new ChunkReader() : head.body;
      this.#expectBody();
    }
    response.handle(this.serving.dispatch, head);
    if (head.body === 0) response.deliverLast();
    else if (inbox.length > 0) this.#readBody(inbox.takeAll());
  }

  #expectBody(): void {
    this.#bodyBytes = 0;
    if (!this.isBehind) this.deadline = this.serving.tick + idleTicks;
  }

  #readBody(bytes: Buffer): void {
    if (this.#phase !== "body") return;
    this.#bodyBytes += bytes.length;
    const body = this.#body;
    let read: number;
    if (typeof body === "number") {
      read = Math.min(body, bytes.length);
      this.#body = body - read;
      this.#response?.deliver(read === bytes.length ? bytes : bytes.subarray(0, read));
    } else read = body.read(bytes, (piece) => this.#response?.deliver(piece));
    if (this.#phase !== "body") return;
    if (read < 0) {
      this.#refuse(brokenChunks);
      return;
    }
    if (typeof this.#body === "number" ? this.#body > 0 : !this.#body.isDone) return;
    if (read < bytes.length) this.#inbox.add(bytes.subarray(read));
    this.resumeBody();
    this.#phase = "answer";
    if (!this.isBehind) this.deadline = 0;
    const response = this.#response;
    response?.deliverLast();
    if (response?.isOver && this.#response === response && this.#phase === "answer") this.#next();
  }

  /** Begins with the next request, in a turn of its own: one packet of thousands is not to hold the loop. */
  #next(): void {
    if (this.isLast) {
      this.#end();
      return;
    }
    this.#phase = "head";
    this.#response = undefined;
    if (!this.isBehind) this.deadline = this.serving.tick + idleTicks;
    if (this.#inbox.length === 0) return;
    this.#phase = "answer";
    setImmediate(() => {
      if (this.#phase !== "answer" || this.#response !== undefined) return;
      this.#phase = "head";
      if (this.socket.isPaused()) this.socket.resume();
      this.#readHead(noBytes);
    });
  }

  /** Answers without anybody having seen the request, unless an answer has begun, and ends the connection. */
  #refuse({ status, msg }: Refusal): void {
    const hasBegun = this.#response?.hasBegun ?? false;
    this.#response?.gone();
    if (hasBegun) {
      this.destroy();
      return;
    }
    const body = JSON.stringify({ result: "error", msg, code: "BAD_REQUEST" });
    this.addText(
      `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    this.flush();
    this.#end();
  }

  /** Ends our side. A client that is reset while it still sends would lose the answer, so it is heard for a while. */
  #end(): void {
    this.#phase = "ended";
    this.#response = undefined;
    this.#inbox.clear();
    if (!this.isBehind) this.deadline = this.serving.tick + lingerTicks;
    this.socket.resume();
    this.socket.end();
  }

  #caughtUp(): void {
    this.isBehind = false;
    if (this.#phase === "ended") this.deadline = this.serving.tick + lingerTicks;
    else if (this.#phase === "answer") this.deadline = 0;
    else if (this.#phase === "body") {
      this.#expectBody();
      if (this.#isBodyPaused) this.deadline = 0;
    } else this.deadline = this.serving.tick + idleTicks;
    this.#response?.caughtUp();
  }
}

const noBytes = Buffer.alloc(0);
