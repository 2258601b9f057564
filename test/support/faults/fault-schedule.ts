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
  | { kind: "restart PostgreSQL"; mode: "fast" | "immediate" }
  /** The node's next connection to PostgreSQL that carries a send says nothing more for `forMs`; others work. */
  | { kind: "silence"; node: Target; lost: "questions" | "answers"; forMs: number }
  /** Nobody reads what the node logs. */
  | { kind: "clog"; node: Target; forMs: number }
  /** PostgreSQL takes no changes, and says why. */
  | { kind: "full disk" | "read-only"; forMs: number }
  /** PostgreSQL recovers, and dies again before its clients have. */
  | { kind: "restart PostgreSQL twice"; forMs: number }
  /** The writer's node is killed, and Redis with it. */
  | { kind: "kill with Redis"; node: "writer"; forMs: number }
  /** Somebody sets the machine's clock. */
  | { kind: "clock"; aheadSecs: number };

/** A node by its number, or whichever writes the organization at that moment. */
export type Target = number | "writer";

export interface ScheduledFault {
  atMs: number;
  fault: Fault;
}

/** Between two faults, on average; what the first one broke may not have healed when the next one comes. */
const meanGapMs = 2500;
/**
 * On a busy machine a restart takes long, and what should come after it waits. What is this late is left out.
 * PostgreSQL would be started again for minutes otherwise, and no node that needs it could start.
 */
const tooLateMs = 10_000;
/** Around the end of a lease, 1.5 s, and of the time a request waits. */
const longestMs = 4000;

const nodeKinds = ["kill", "kill", "pause", "pause", "cut", "cut", "hang", "hang", "flush"] as const;
const serviceKinds = ["restart Redis", "restart PostgreSQL"] as const;
/** Those of the seeds that were pinned first. */
export const firstKinds: readonly Fault["kind"][] = [...nodeKinds, ...serviceKinds];
export const allKinds: readonly Fault["kind"][] = [
  ...new Set(firstKinds),
  "silence",
  "silence",
  "clog",
  "full disk",
  "read-only",
  "restart PostgreSQL twice",
  "kill with Redis",
  "clock",
];
const hourSecs = 3600;
const clocks = [-48 * hourSecs, -hourSecs, 0, hourSecs, 48 * hourSecs];

/** The faults of a seed, in order. */
export function faultSchedule(seed: number, durationMs: number, nodeCount: number, kinds = allKinds): ScheduledFault[] {
  const random = mulberry32(seed);
  const below = (end: number) => Math.floor(random() * end);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
  const targets: Target[] = ["writer", ...Array.from({ length: nodeCount }, (_, index) => index)];
  const faults: ScheduledFault[] = [];
  for (let atMs = below(meanGapMs); atMs < durationMs; atMs += 200 + below(2 * meanGapMs)) {
    const kind = pick(kinds);
    const node = pick(targets);
    const forMs = 100 + below(longestMs);
    let fault: Fault;
    if (kind === "cut" || kind === "hang") fault = { kind, node, service: pick(["redis", "postgres"]), forMs };
    else if (kind === "restart PostgreSQL") fault = { kind, mode: pick(["fast", "immediate"]) };
    else if (kind === "kill" || kind === "pause" || kind === "clog") fault = { kind, node, forMs };
    else if (kind === "silence") fault = { kind, node, lost: pick(["questions", "answers"]), forMs };
    else if (kind === "clock") fault = { kind, aheadSecs: pick(clocks) };
    else if (kind === "kill with Redis") fault = { kind, node: "writer", forMs };
    else if (kind === "flush" || kind === "restart Redis") fault = { kind };
    else fault = { kind, forMs };
    faults.push({ atMs, fault });
  }
  return faults;
}

/** A fault that happened, by `performance.now()`. */
export interface Happened {
  kind: Fault["kind"];
  beganAt: number;
  endedAt: number;
}

interface Services {
  cluster: TestCluster;
  redis: TestRedis;
  postgres: TestPostgres;
}

/** Carries a schedule out. Resolves when the last fault is over and every node has been started again. */
export async function runFaults(
  faults: readonly ScheduledFault[],
  services: Services,
  tell: (line: string) => void = () => {},
): Promise<Happened[]> {
  const started = performance.now();
  const happened: Happened[] = [];
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
    const done = before.then(async () => {
      const beganAt = performance.now();
      if (beganAt - started - atMs > tooLateMs) return tell(`left out: ${fault.kind} of ${atMs} ms`);
      await carryOut(fault, index, services);
      happened.push({ kind: fault.kind, beganAt, endedAt: performance.now() });
    });
    // It is awaited at the end.
    done.catch(() => {});
    last.set(subject, done);
  }
  await Promise.all(last.values());
  await services.cluster.setClock(0);
  return happened;
}

function subjectOf(fault: Fault, index: number): string {
  if (fault.kind === "silence") return `node ${index} and postgres`;
  if ("service" in fault) return `node ${index} and ${fault.service}`;
  // It is unhurt while nobody reads it, and may be killed meanwhile.
  if (fault.kind === "clog") return `the log of node ${index}`;
  if ("node" in fault) return `node ${index}`;
  return /Redis|flush/.test(fault.kind) ? "Redis" : fault.kind === "clock" ? "the clock" : "PostgreSQL";
}

/** A writer there may not be right now. */
async function numberOf(target: Target, cluster: TestCluster): Promise<number> {
  return target === "writer" ? Math.max(0, await cluster.writer()) : target;
}

async function carryOut(fault: Fault, index: number, { cluster, redis, postgres }: Services): Promise<void> {
  switch (fault.kind) {
    case "kill":
      await cluster.nodes[index]!.kill();
      await sleep(fault.forMs);
      return cluster.startAgain(index);
    case "kill with Redis":
      await Promise.all([cluster.nodes[index]!.kill(), redis.restart()]);
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
    case "silence": {
      const wire = cluster.wires[index]!.postgres;
      // A node that does not write has no such connection.
      await Promise.race([wire.strandNext(" says ", fault.lost), sleep(fault.forMs)]);
      await sleep(fault.forMs);
      wire.restore();
      return wire.release();
    }
    case "clog": {
      const node = cluster.nodes[index]!;
      node.ignoreOutput(true);
      await sleep(fault.forMs);
      return node.ignoreOutput(false);
    }
    case "full disk":
    case "read-only":
      await postgres.refuseChanges(fault.kind);
      await sleep(fault.forMs);
      return postgres.takeChanges();
    case "clock":
      return cluster.setClock(fault.aheadSecs);
    case "flush":
      return redis.flush();
    case "restart Redis":
      return redis.restart();
    case "restart PostgreSQL":
      return postgres.restart(fault.mode);
    case "restart PostgreSQL twice":
      await postgres.restart("immediate");
      await sleep(fault.forMs / 4);
      return postgres.restart("immediate");
    default:
      fault satisfies never;
  }
}

/** A generator of 32 bits of state. Source: Tommy Ettinger's mulberry32, public domain. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
