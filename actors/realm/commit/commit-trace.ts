/** The spans of a batch: of each sampled command in it how long it waited, and its commit. */
import { preciseNow, type Tracer } from "../../tracing.ts";
import type { Pending } from "./work.ts";

/** One commit may be in very many traces; the other nodes are told of so many. */
const maxTraces = 32;

interface Commit {
  /** How many commands it has. */
  commands: number;
  /** UNIX milliseconds. */
  startedAt: number;
  failure?: string;
}

/** Tells the traces of a batch of its commit, which has just ended. Returns its spans, for whatever follows. */
export function traceCommit(
  tracer: Tracer | undefined,
  all: Iterable<Pending>,
  { commands, startedAt, failure }: Commit,
): string[] {
  if (!tracer) return [];
  const spans: string[] = [];
  const endedAt = preciseNow();
  for (const { cause, waitsSince } of all) {
    const trace = cause?.from?.trace;
    if (trace === undefined || waitsSince === undefined) continue;
    tracer.within(trace, "wait for a commit", "internal", waitsSince)?.end({}, undefined, startedAt);
    const span = tracer.within(trace, "commit", "client", startedAt);
    span?.end({ "db.system.name": "postgresql", "parley.commit.commands": commands }, failure, endedAt);
    if (span && spans.length < maxTraces) spans.push(span.traceparent);
  }
  return spans;
}
