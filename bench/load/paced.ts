/**
 * Open-loop load: messages leave at a fixed rate whether or not earlier ones were answered, so a server that falls
 * behind shows it. Each message carries the moment it was due. The latency of a delivery is counted from there to the
 * reading of its event, in one process and on one clock.
 */
import { type Answer, Connection, type Reader } from "./connection.ts";
import type { PollSet } from "./poll-set.ts";

/** In a message's text, followed by `stampDigits` digits: when it was due, in µs of the load process's clock. */
export const stampMark = "parley-bench-stamp-";
export const stampDigits = 15;
export const emptyStamp = stampMark + "0".repeat(stampDigits);

export interface Paced {
  /** Whole requests, each with `emptyStamp` in the text of its message. */
  messages: readonly string[];
  perSecond: number;
  count: number;
  /** How many of the queues each message reaches. */
  audience: number;
  timeoutMs: number;
}

export interface PacedResult {
  wallMs: number;
  /** Milliseconds from when a message was due to the reading of its event, one per delivery. */
  latenciesMs: number[];
  /** Milliseconds by which messages left later than due: the load generator's own lateness. */
  latenessMs: number[];
}

/** How often due messages are looked for. */
const tickMs = 1;
const microseconds = (): number => Math.round(performance.now() * 1000);

/** Sends and waits for every delivery. @throws Error when a send fails or deliveries are missing at the end. */
export function runPaced(
  port: number,
  reader: Reader,
  polls: PollSet,
  load: Paced,
  fault: Promise<never>,
): Promise<PacedResult> {
  return new Promise((resolve, reject) => {
    const result: PacedResult = { wallMs: 0, latenciesMs: [], latenessMs: [] };
    const free: Connection[] = [];
    const all: Connection[] = [];
    let sent = 0;
    let awaited = load.count * load.audience;
    const startedAt = performance.now();

    const finish = (error?: unknown): void => {
      clearInterval(ticking);
      clearTimeout(timer);
      polls.onDelivery = () => {};
      for (const connection of all) connection.close();
      result.wallMs = performance.now() - startedAt;
      if (error === undefined) resolve(result);
      else reject(error);
    };
    const timer = setTimeout(
      () => finish(new Error(`${awaited} deliveries missing after ${load.timeoutMs} ms`)),
      load.timeoutMs,
    );
    fault.catch(finish);

    const sender = (): Connection => {
      const connection: Connection = new Connection(
        port,
        reader,
        (answer: Answer) => {
          if (answer.status !== 200) return finish(new Error(`send: ${answer.status} ${answer.body.toString()}`));
          free.push(connection);
        },
        finish,
      );
      all.push(connection);
      return connection;
    };

    polls.onDelivery = (_messages, body) => {
      const now = microseconds();
      for (let mark = body.indexOf(stampMark); mark >= 0; mark = body.indexOf(stampMark, mark + stampMark.length)) {
        const at = mark + stampMark.length;
        result.latenciesMs.push((now - Number(body.toString("latin1", at, at + stampDigits))) / 1000);
        awaited--;
      }
      if (awaited === 0) finish();
    };

    const ticking = setInterval(() => {
      const now = performance.now();
      while (sent < load.count) {
        const dueAt = startedAt + (sent * 1000) / load.perSecond;
        if (dueAt > now) return;
        result.latenessMs.push(now - dueAt);
        const stamp = stampMark + String(Math.round(dueAt * 1000)).padStart(stampDigits, "0");
        // The one that has rested longest: the server ends connections that rest for seconds.
        (free.shift() ?? sender()).send(load.messages[sent % load.messages.length]!.replace(emptyStamp, stamp));
        sent++;
      }
    }, tickMs);
  });
}
