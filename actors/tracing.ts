/**
 * Traces: what one request had done, on every node that took part. A span's `traceparent` goes with a command to the
 * node that writes, with its batch to the other nodes, and into requests to other servers. Source: W3C Trace Context.
 */
import { ApiError } from "./errors.ts";

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** No secret may be in them, and nothing that people wrote. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a sampled trace. */
export interface Span {
  name: string;
  /** For whatever is done within it. */
  readonly traceparent: string;
  /** @param failure why it failed; undefined: it did not @param at UNIX milliseconds; now unless told */
  end(attributes?: Attributes, failure?: string, at?: number): void;
}

export interface Tracer {
  /**
   * Begins a trace, or goes on with the one of whoever asks. Undefined: it is not sampled.
   *
   * @param parent a `traceparent` header, whatever is in it
   * @param isTrusted whether `parent` may decide that the trace is sampled
   */
  begin(name: string, kind: SpanKind, parent?: string, isTrusted?: boolean): Span | undefined;
  /**
   * A span within a sampled one. Undefined: `parent` is no `traceparent` of one.
   *
   * @param startedAt UNIX milliseconds; now unless told
   */
  within(parent: string, name: string, kind: SpanKind, startedAt?: number): Span | undefined;
}

/** UNIX milliseconds, to the microsecond. */
export const preciseNow = (): number => performance.timeOrigin + performance.now();

export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What a `traceparent` says; undefined if it is none. A later version may have more behind it, 00 has not. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, traceId, spanId, flags, more] = (text.length < 512 && pattern.exec(text)) || [];
  if (traceId === undefined || spanId === undefined || (more !== undefined && text.startsWith("00"))) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? "", 16) & 1) === 1 };
}

/** Runs what a span is about. Refusals are the caller's own fault, and no failure of the server's. */
export async function inSpan<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    const value = await run();
    span.end();
    return value;
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status < 500;
    // A message may have anything in it that somebody sent.
    span.end(isRefusal ? { "error.type": error.code } : {}, isRefusal ? undefined : nameOf(error));
    throw error;
  }
}

const nameOf = (error: unknown): string =>
  error instanceof ApiError ? error.code : error instanceof Error ? error.name : typeof error;

/** A request to another server. Jobs ask long after who caused it was answered, so it is a trace of its own. */
export async function tracedRequest<T>(
  tracer: Tracer | undefined,
  name: string,
  ask: (headers: Readonly<Record<string, string>>) => Promise<T>,
  /** Why there is no good answer. */
  failureOf: (outcome: T) => string | undefined,
): Promise<T> {
  const span = tracer?.begin(name, "client");
  if (!span) return ask({});
  const outcome = await ask({ traceparent: span.traceparent }).catch((error: unknown) => {
    span.end({}, nameOf(error));
    throw error;
  });
  span.end({}, failureOf(outcome));
  return outcome;
}
