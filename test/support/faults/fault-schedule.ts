/** Faults at random times, the same ones for the same seed, and what carries them out. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TestPostgres } from "../server/postgres.ts";
import type { TestRedis } from "../server/redis.ts";
import type { TestCluster } from "./cluster.ts";

export type Fault =
  /** `kill -9`, and started again after `forMs`. */
  | { kind: "kill"; node: Target; forMs: number }
  /** SIGSTOP, and SIGCONT after `forMs`. */
  | { kind: "pause"; node: Target; forMs: number }
  /** The node cannot reach one service: refused, or without any answer. */
  | { kind: "cut" | "hang"; node: Target; service: "redis" | "postgres"; forMs: number }
  | { kind: "flush" }
  | { kind: "restart Redis" }
  | { kind: "restart PostgreSQL"; mode: "fast" | "immediate" };

/** A node by its number, or whichever writes the organization at that moment. */
export type Target = number | "writer";

export interface ScheduledFault {
  atMs: number;
  fault: Fault;
}

/** Between two faults, on average; what the first one broke may not have healed when the next one comes. */
const meanGapMs = 2500;
/** Around the end of a lease, 1.5 s, and of the time a request waits. */
const longestMs = 4000;

/** The faults of a seed, in order. */
export function faultSchedule(seed: number, durationMs: number, nodeCount: number): ScheduledFault[] {
  const random = mulberry32(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
  const targets: Target[] = ["writer", ...Array.from({ length: nodeCount }, (_, index) => index)];
  const kinds = ["kill", "kill", "pause", "pause", "cut", "cut", "hang", "hang", "flush"] as const;
  const services = ["restart Redis", "restart PostgreSQL"] as const;
  const faults: ScheduledFault[] = [];
  for (let atMs = below(meanGapMs); atMs < durationMs; atMs += 200 + below(2 * meanGapMs)) {
    const kind = pick<Fault["kind"]>([...kinds, ...services]);
    const node = pick(targets);
    const forMs = 100 + below(longestMs);
    let fault: Fault;
    if (kind === "cut" || kind === "hang") fault = { kind, node, service: pick(["redis", "postgres"]), forMs };
    else if (kind === "restart PostgreSQL") fault = { kind, mode: pick(["fast", "immediate"]) };
    else if (kind === "kill" || kind === "pause") fault = { kind, node, forMs };
    else fault = { kind };
    faults.push({ atMs, fault });
  }
  return faults;
}

/** Carries a schedule out. Resolves when the last fault is over and every node has been started again. */
export async function runFaults(
  faults: readonly ScheduledFault[],
  services: { cluster: TestCluster; redis: TestRedis; postgres: TestPostgres },
  tell: (line: string) => void = () => {},
): Promise<void> {
  const started = performance.now();
  /** What happens to one node or service happens one after the other. */
  const last = new Map<string, Promise<void>>();
  for (const { atMs, fault } of faults) {
    await sleep(Math.max(0, started + atMs - performance.now()));
    const index = "node" in fault ? await numberOf(fault.node, services.cluster) : 0;
    const subject = subjectOf(fault, index);
    tell(
      `${Math.round(performance.now() - started)} ms: ${"node" in fault ? `node ${index} ` : ""}${JSON.stringify(fault)}`,
    );
    const before = last.get(subject) ?? Promise.resolve();
    last.set(
      subject,
      before.then(() => carryOut(fault, index, services)),
    );
  }
  await Promise.all(last.values());
}

function subjectOf(fault: Fault, index: number): string {
  if ("service" in fault) return `node ${index} and ${fault.service}`;
  return "node" in fault ? `node ${index}` : fault.kind;
}

/** A writer there may not be right now. */
async function numberOf(target: Target, cluster: TestCluster): Promise<number> {
  return target === "writer" ? Math.max(0, await cluster.writer()) : target;
}

async function carryOut(
  fault: Fault,
  index: number,
  { cluster, redis, postgres }: { cluster: TestCluster; redis: TestRedis; postgres: TestPostgres },
): Promise<void> {
  switch (fault.kind) {
    case "kill":
      await cluster.nodes[index]!.kill();
      await sleep(fault.forMs);
      return cluster.startAgain(index);
    case "pause":
      cluster.nodes[index]!.signal("SIGSTOP");
      await sleep(fault.forMs);
      cluster.nodes[index]!.signal("SIGCONT");
      return;
    case "cut":
    case "hang": {
      const wire = cluster.wires[index]![fault.service];
      wire[fault.kind]();
      await sleep(fault.forMs);
      return wire.restore();
    }
    case "flush":
      return redis.flush();
    case "restart Redis":
      return redis.restart();
    case "restart PostgreSQL":
      return postgres.restart(fault.mode);
  }
}

/** A generator of 32 bits of state. Source: Tommy Ettinger's mulberry32, public domain. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
