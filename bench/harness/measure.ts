import { median, spread } from "./statistics.ts";

/** Measured runs, after one that is thrown away. */
export const measuredRuns = 3;

/** Runs `once` as a warm-up and then `measuredRuns` times; returns what the measured runs gave. */
export async function repeat<Result>(once: () => Promise<Result>): Promise<Result[]> {
  await once();
  const results: Result[] = [];
  for (let run = 0; run < measuredRuns; run++) results.push(await once());
  return results;
}

/** Warms both up, then runs them in turn, so that a machine that slows down or speeds up does so for both. */
export async function alternate<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A[], B[]]> {
  const results: [A[], B[]] = [[], []];
  await first();
  await second();
  for (let run = 0; run < measuredRuns; run++) {
    results[0].push(await first());
    results[1].push(await second());
  }
  return results;
}

/** Median and spread of one figure over runs. */
export function over<Result>(
  results: readonly Result[],
  figure: (result: Result) => number,
): { median: number; spreadPercent: number } {
  const values = results.map(figure);
  return { median: median(values), spreadPercent: 100 * spread(values) };
}

/** What one stretch of work cost. */
export interface Cost {
  /** User and system time of the server under test, in µs. */
  serverMicroseconds: number;
  /** That of the load generator. */
  loadMicroseconds: number;
  /** That of all of PostgreSQL's processes; 0 where none is involved. */
  postgresMicroseconds: number;
  wallMs: number;
}

interface Metered {
  cpuMicroseconds(): number;
}

/** Runs `work` and says what it cost. */
export async function cost<Result>(
  server: Metered,
  load: Metered,
  postgres: { countCpu(): { read(): number } } | undefined,
  work: () => Promise<Result>,
): Promise<Cost & { result: Result }> {
  const postgresCpu = postgres?.countCpu();
  const serverBefore = server.cpuMicroseconds();
  const loadBefore = load.cpuMicroseconds();
  const startedAt = performance.now();
  const result = await work();
  return {
    result,
    wallMs: performance.now() - startedAt,
    serverMicroseconds: server.cpuMicroseconds() - serverBefore,
    loadMicroseconds: load.cpuMicroseconds() - loadBefore,
    postgresMicroseconds: postgresCpu?.read() ?? 0,
  };
}

/** Share of the wall time that the load generator's process was busy, in percent: near 100 it was the bottleneck. */
export function loadBusyPercent(of: Cost): number {
  return of.loadMicroseconds / (10 * of.wallMs);
}
