/**
 * Where the log goes: a file descriptor that may be full, closed, or a pipe that nobody reads. The server never waits
 * for it. Lines wait in memory up to a limit. Lines beyond it, or that cannot be written, are dropped and counted. The
 * next line that can be written says how many there were. A warning or an error that comes again and again is written
 * once a second.
 */
import { write, writeSync } from "node:fs";

const maxWaitingBytes = 1024 * 1024;
/** After a failure the next attempt is so much later. */
const retryMs = 250;
const repeatMs = 1000;
/** Different faults within a second that are told apart. */
const maxFaults = 1000;

export class LogDestination {
  /** Lines that were lost since the start. */
  dropped = 0;
  /** Of them, those that no line has told of. */
  #untold = 0;
  #fault = "";
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** Fault → how often it came again since it was written. */
  #faults = new Map<string, number>();
  #faultsSince = 0;

  constructor(private readonly fd: number) {}

  /** Takes a line from pino. Never throws, never waits. */
  write(line: string): void {
    const told = this.#isRepeated(line) ? undefined : line;
    if (told === undefined) return;
    if (this.#waitingBytes + told.length > maxWaitingBytes) {
      this.#drop(1, "it is not read");
      return;
    }
    this.#waiting.push(told);
    this.#waitingBytes += told.length;
    this.#pump();
  }

  /** Writes what waits, for a process that ends. Where a write is under way already nobody knows how long it takes. */
  flushAtExit(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    try {
      writeSync(this.fd, this.#waiting.splice(0).join(""));
    } catch {
      // Nobody is left to be told.
    }
  }

  #pump(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    const lines = this.#waiting.splice(0);
    this.#waitingBytes = 0;
    const news = this.#untold > 0 ? [this.#lossLine()] : [];
    const told = this.#untold;
    this.#send(Buffer.from([...news, ...lines].join("")), (error) => {
      if (error) {
        this.#drop(lines.length, error.code ?? error.message);
        // Lines that come meanwhile are the first to be tried.
        setTimeout(() => this.#next(), retryMs).unref();
      } else {
        this.#untold -= told;
        this.#next();
      }
    });
  }

  #next(): void {
    this.#isWriting = false;
    this.#pump();
  }

  #send(bytes: Buffer, done: (error: NodeJS.ErrnoException | undefined) => void): void {
    write(this.fd, bytes, (error, written) => {
      if (error?.code === "EAGAIN") setTimeout(() => this.#send(bytes, done), retryMs).unref();
      else if (error) done(error);
      else if (written < bytes.length) this.#send(bytes.subarray(written), done);
      else done(undefined);
    });
  }

  #drop(count: number, fault: string): void {
    this.dropped += count;
    this.#untold += count;
    this.#fault = fault;
  }

  #lossLine(): string {
    const entry = {
      level: 40,
      time: Date.now(),
      dropped: this.#untold,
      fault: this.#fault,
      msg: "log lines were lost",
    };
    return `${JSON.stringify(entry)}\n`;
  }

  /** Whether the same was written less than a second ago. */
  #isRepeated(line: string): boolean {
    const fault = /^\{"level":[4-6]0,"time":\d+,(.{0,300})/.exec(line)?.[1];
    if (fault === undefined) return false;
    const now = performance.now();
    if (now - this.#faultsSince > repeatMs) {
      const repeated = [...this.#faults].filter(([, times]) => times > 0);
      this.#faults = new Map();
      this.#faultsSince = now;
      for (const [, times] of repeated) this.#tellRepeats(times);
    }
    const times = this.#faults.get(fault);
    if (times === undefined && this.#faults.size < maxFaults) this.#faults.set(fault, 0);
    else if (times !== undefined) this.#faults.set(fault, times + 1);
    return times !== undefined;
  }

  #tellRepeats(times: number): void {
    this.#waiting.push(`${JSON.stringify({ level: 40, time: Date.now(), times, msg: "a line above came again" })}\n`);
  }
}
