/**
 * Spans as OTLP has them in JSON: ids in hexadecimal, enumerations by number, 64-bit numbers as text.
 * Source: opentelemetry.io/docs/specs/otlp, JSON Protobuf Encoding; opentelemetry/proto/trace/v1/trace.proto.
 */
import type { Attributes, SpanKind } from "../../../actors/tracing.ts";
import type { EndedSpan } from "./tracer.ts";

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const statusError = 2;
/** The lowest eight bits are those of `traceparent`. */
const sampledFlag = 0x01;

type Value = { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean };

/** The body of a request to a collector. @param resource what this process is */
export function otlpTraces(resource: Attributes, version: string, spans: readonly EndedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "parley", version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

const spanOf = ({ traceId, spanId, parentSpanId, name, kind, ...span }: EndedSpan) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  flags: sampledFlag,
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: attributesOf(span.attributes),
  status: span.failure === undefined ? {} : { code: statusError, message: span.failure },
});

function attributesOf(attributes: Attributes): { key: string; value: Value }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: string | number | boolean): Value {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A double has no place for nanoseconds since 1970: whole milliseconds, and the rest of them. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}
