/** Closed-loop load: so many connections, each asking again as soon as it was answered, until a count is reached. */
import { type Answer, Connection, Reader } from "./connection.ts";

export interface ClosedLoop {
  port: number;
  /**
   * Whole requests. Connection `c` of `concurrency` begins with the c-th; the n-th request sent is `requests[n %
   * length]`.
   */
  requests: readonly string[];
  concurrency: number;
  /** How many are sent altogether. */
  count: number;
  /** Keeps the text of every body, by place in the order sent. */
  keepBodies?: boolean;
  /** Rejects when it takes longer. */
  timeoutMs: number;
}

export interface ClosedLoopResult {
  wallMs: number;
  /** Milliseconds from request to answer, one per request, in the order of the answers. */
  latenciesMs: number[];
  bodies: string[];
  /** Bytes of the answers, heads included. */
  bytes: number;
}

/** Status from which an answer is a failure of the bench: no bench measures errors. */
const firstErrorStatus = 400;

/** Runs it. @throws Error at the first answer that is an error, and at any connection that fails. */
export function closedLoop(load: ClosedLoop): Promise<ClosedLoopResult> {
  return new Promise((resolve, reject) => {
    const reader = new Reader();
    const connections: Connection[] = [];
    const result: ClosedLoopResult = { wallMs: 0, latenciesMs: [], bodies: [], bytes: 0 };
    let sent = 0;
    let answered = 0;

    const finish = (error?: Error): void => {
      clearTimeout(timer);
      for (const connection of connections) connection.close();
      result.wallMs = performance.now() - startedAt;
      result.bytes = reader.bytes;
      if (error === undefined) resolve(result);
      else reject(error);
    };
    const timer = setTimeout(
      () => finish(new Error(`${answered} of ${load.count} answers after ${load.timeoutMs} ms`)),
      load.timeoutMs,
    );

    const begin = (): void => {
      let place = 0;
      let sentAt = 0;
      const next = (): void => {
        if (sent === load.count) return;
        place = sent++;
        sentAt = performance.now();
        connection.send(load.requests[place % load.requests.length]!);
      };
      const connection = new Connection(
        load.port,
        reader,
        (answer: Answer) => {
          if (answer.status >= firstErrorStatus)
            return finish(new Error(`${answer.status}: ${answer.body.toString()}`));
          result.latenciesMs.push(performance.now() - sentAt);
          if (load.keepBodies === true) result.bodies[place] = answer.body.toString();
          answered++;
          if (answered === load.count) finish();
          else next();
        },
        finish,
      );
      connections.push(connection);
      next();
    };

    const startedAt = performance.now();
    for (let index = 0; index < Math.min(load.concurrency, load.count); index++) begin();
  });
}
