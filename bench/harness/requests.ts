/** Short requests one after the other: what most benches do. */

import type { LoadProcess } from "../load/fleet.ts";
import type { Floor } from "./floors.ts";
import { type Cost, cost, over } from "./measure.ts";
import type { Parley } from "./parley.ts";
import type { BenchPostgres } from "./postgres.ts";
import { percentiles } from "./statistics.ts";

export interface RequestLoad {
  /** Whole requests, taken in turn. */
  requests: readonly string[];
  concurrency: number;
  count: number;
}

export type RequestRun = Cost & { result: { wallMs: number; latenciesMs: number[]; bytes: number } };

/** More than any run is meant to take. */
const timeoutMs = 300_000;

/** One run of `load` against `server`. */
export function runRequests(
  server: Parley | Floor,
  load: LoadProcess,
  database: BenchPostgres | undefined,
  { requests, concurrency, count }: RequestLoad,
): Promise<RequestRun> {
  return cost(server, load, database, () =>
    load.closedLoop({ port: server.port, requests, concurrency, count, timeoutMs }),
  );
}

/** Figures of runs of `count` requests each, per request. */
export interface RequestFigures {
  serverMicroseconds: number;
  spreadPercent: number;
  postgresMicroseconds: number;
  bytes: number;
  p50Ms: number;
  p99Ms: number;
}

export function requestFigures(runs: readonly RequestRun[], count: number): RequestFigures {
  const server = over(runs, (run) => run.serverMicroseconds / count);
  const latency = percentiles(runs.flatMap((run) => run.result.latenciesMs));
  return {
    serverMicroseconds: server.median,
    spreadPercent: server.spreadPercent,
    postgresMicroseconds: over(runs, (run) => run.postgresMicroseconds / count).median,
    bytes: over(runs, (run) => run.result.bytes / count).median,
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  };
}
