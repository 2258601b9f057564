/** HTTP without a client in between: bytes out, and what comes back, over one socket. */
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";

export interface RawAnswer {
  status: number;
  type: string;
  body: string;
}

/** What became of one connection. */
export interface RawOutcome {
  answers: RawAnswer[];
  /** Neither answered nor closed within the time. */
  isLate: boolean;
  ms: number;
}

export interface RawExchange {
  /** What goes out. */
  pieces: readonly Buffer[];
  /**
   * Turns of the event loop between one piece and the next: a server in the same process needs some to read each alone.
   */
  turns?: number;
  /** What the client does behind the last piece: it waits for an answer, half-closes, or resets the connection. */
  ending: "wait" | "end" | "reset";
  /** Another request, sent when the first one was answered: the connection must be good for it. */
  follow?: Buffer;
  /** The answer of a HEAD has no body, whatever length it names. */
  isHead?: boolean;
  timeoutMs: number;
}

/** Answers that are whole; once the connection is over, also one that was cut off. */
function answersIn(bytes: Buffer, isHead: boolean, isOver: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    if (headEnd < 0) break;
    const head = bytes.toString("latin1", at, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const declared = /^content-length: *(\d+)/im.exec(head)?.[1];
    const hasNoBody = status === 204 || status === 304 || (isHead && answers.length === 0);
    const length = hasNoBody ? 0 : declared === undefined ? Number.POSITIVE_INFINITY : Number(declared);
    const end = Math.min(headEnd + 4 + length, bytes.length);
    if (end < headEnd + 4 + length && !isOver) break;
    const type = /^content-type: *([^\r]*)/im.exec(head)?.[1] ?? "";
    answers.push({ status, type, body: bytes.toString("utf8", headEnd + 4, end) });
    at = end;
  }
  return answers;
}

/**
 * One connection: resolves when as many answers have come as requests went out, when it is closed, or after
 * `timeoutMs`. Never rejects: a connection that fails is closed.
 */
export function exchangeRaw(port: number, exchange: RawExchange): Promise<RawOutcome> {
  const { pieces, turns = 1, ending, follow, isHead = false, timeoutMs } = exchange;
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const received: Buffer[] = [];
    let isDone = false;
    let isSent = false;
    let hasFollowed = false;
    const socket = connect({ host: "127.0.0.1", port, noDelay: true, allowHalfOpen: true });
    const finish = (isOver: boolean, isLate = false): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      socket.resetAndDestroy();
      resolve({
        answers: answersIn(Buffer.concat(received), isHead, isOver),
        isLate,
        ms: performance.now() - startedAt,
      });
    };
    const timer = setTimeout(() => finish(false, true), timeoutMs);
    const look = (): void => {
      const count = answersIn(Buffer.concat(received), isHead, false).length;
      if (follow === undefined ? count > 0 : count > 1) finish(false);
      // Some are answered before they were sent to their end.
      else if (count > 0 && isSent && !hasFollowed) {
        hasFollowed = true;
        socket.write(follow!);
      }
    };
    socket.on("data", (chunk) => {
      received.push(chunk);
      look();
    });
    socket.on("end", () => finish(true));
    socket.on("close", () => finish(true));
    socket.on("error", () => finish(true));
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (isDone) return;
        if (!socket.write(piece)) {
          await new Promise<void>((drained) => socket.once("drain", drained).once("close", () => drained()));
        }
        if (pieces.length > 1) for (let count = 0; count < turns; count++) await turn();
      }
      if (isDone) return;
      isSent = true;
      if (ending === "wait") look();
      else if (ending === "end") socket.end();
      else finish(true);
    });
  });
}
