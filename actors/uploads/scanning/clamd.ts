/**
 * Asks clamd, ClamAV's daemon, about a file, by its command INSTREAM:
 *
 *     → "zINSTREAM\0", then pieces, each after its length in four bytes, then a length of 0
 *     ← "stream: OK\0", "stream: NAME FOUND\0", or a sentence that ends with ERROR
 *
 * The file is read as clamd takes it, so one of any size takes little memory. Only a plain OK is one. Source: clamd(8).
 */
import { connect, type Socket } from "node:net";
import { setImmediate as polled } from "node:timers/promises";
import { messageOf, upTo } from "../../../storage/failures.ts";
import { type OpenedFile, piecesOf } from "../../../storage/files/file-store.ts";

export type ClamdAddress = { path: string } | { host: string; port: number };

/** @throws Error with a sentence for whoever runs the server */
export function readClamdAddress(given: string): ClamdAddress {
  if (given.startsWith("/") && given.length <= maxSocketPath) return { path: given };
  const [, host = "", port] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(given) ?? [];
  if (!(Number(port) > 0 && Number(port) <= 65_535))
    throw new Error(
      `PARLEY_CLAMD must be where clamd listens, like 127.0.0.1:3310 or /run/clamav/clamd.ctl, not "${given}".`,
    );
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

export type Verdict =
  | { is: "clean" }
  | { is: "infected"; finding: string }
  /** clamd looks at no file of that size, or not at all of it. */
  | { is: "too_large"; why: string }
  /** Nobody knows: it took too long, or said something else. */
  | { is: "failed"; why: string }
  /** There is nobody to ask. */
  | { is: "away"; why: string };

/** What clamd said, or what kept it from saying something. */
type Answer = string | { away: string } | { fault: string; isCut?: boolean };

const maxAttempts = 3;
/** Longer ones are no paths of a socket. */
const maxSocketPath = 107;
const connectPatienceMs = 5_000;
const maxAnswerLength = 4096;
const maxFindingLength = 200;
/** With `AlertExceedsMax` clamd says so of a file of which it has not looked at all. */
const limitPrefix = "Heuristics.Limits.Exceeded";

export class Clamd {
  readonly #open = new Set<Socket>();

  /** @param patienceMs for how long it may be silent while it takes a file or looks at it */
  constructor(
    private readonly address: ClamdAddress,
    private readonly patienceMs: number,
  ) {}

  /** @throws what reading the file throws */
  async ask(file: OpenedFile): Promise<Verdict> {
    // clamd hangs up after an answer to a part of a file, and a reset may overtake what it said.
    for (let left = maxAttempts - 1; ; left--) {
      const answer = await this.#send(file);
      if (left === 0 || typeof answer === "string" || !("isCut" in answer && answer.isCut)) return verdictOf(answer);
    }
  }

  async #send(file: OpenedFile): Promise<Answer> {
    const socket = connect(this.address);
    this.#open.add(socket);
    socket.on("timeout", () => socket.destroy(new Error("was silent for too long")));
    try {
      // What goes wrong before is of clamd, and after it perhaps of the file.
      const fault = await connected(socket, Math.min(connectPatienceMs, this.patienceMs));
      if (fault !== undefined) return { away: fault };
      socket.setTimeout(this.patienceMs);
      const answer = answerOf(socket);
      const sent = send(socket, file).then(() => answer);
      return await Promise.race([answer, sent]);
    } finally {
      this.#open.delete(socket);
      socket.destroy();
    }
  }

  /** Ends what is under way. */
  close(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

/** Resolves when there is a connection, or with what is wrong. */
function connected(socket: Socket, patienceMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    socket.setTimeout(patienceMs);
    socket.once("connect", () => resolve(undefined));
    socket.once("error", (error) => resolve(messageOf(error)));
    socket.once("close", () => resolve("the connection was closed"));
  });
}

/** What clamd says, or what became of it: it never rejects. */
function answerOf(socket: Socket): Promise<Answer> {
  return new Promise((resolve) => {
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answer += text;
      if (answer.includes("\0")) resolve(upTo(answer, "\0"));
      else if (answer.length > maxAnswerLength) resolve({ fault: "said too much" });
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ fault: messageOf(error), isCut: error.code === "EPIPE" || error.code === "ECONNRESET" }),
    );
    socket.on("close", () => resolve({ fault: "closed the connection without an answer" }));
  });
}

/** Sends a file, as fast as it is taken. Ends early where the other side has ended. */
async function send(socket: Socket, file: OpenedFile): Promise<void> {
  socket.write("zINSTREAM\0");
  for await (const piece of piecesOf(file)) {
    // An answer that is there is read before the next write, which would fail and take it away.
    await polled();
    if (socket.destroyed || !socket.writable) return;
    socket.write(lengthOf(piece.length));
    if (!socket.write(piece)) await drained(socket);
  }
  socket.write(lengthOf(0));
}

function lengthOf(length: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return head;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
  });
}

function verdictOf(answer: Answer): Verdict {
  if (typeof answer !== "string")
    return "away" in answer ? { is: "away", why: answer.away } : { is: "failed", why: `clamd ${answer.fault}` };
  if (answer === "stream: OK") return { is: "clean" };
  const finding = /^stream: (.+) FOUND$/.exec(answer)?.[1]?.slice(0, maxFindingLength);
  if (finding?.startsWith(limitPrefix)) return { is: "too_large", why: finding };
  if (finding !== undefined) return { is: "infected", finding };
  const why = answer.slice(0, maxFindingLength);
  return { is: /size limit exceeded/i.test(answer) ? "too_large" : "failed", why };
}
