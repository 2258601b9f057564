/** Decides which traces are sampled, and makes their spans. */
import { randomBytes } from "node:crypto";
import {
  type Attributes,
  parseTraceparent,
  preciseNow,
  type Span,
  type SpanKind,
  type Tracer,
} from "../../../actors/tracing.ts";

/** A span that has ended. */
export interface EndedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: SpanKind;
  /** UNIX milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  failure: string | undefined;
}

export class SamplingTracer implements Tracer {
  /** @param rate share of the traces that begin here, from 0 to 1 */
  constructor(
    private readonly rate: number,
    private readonly exporter: { take(span: EndedSpan): void },
  ) {}

  begin(name: string, kind: SpanKind, parent = "", isTrusted = false): Span | undefined {
    const given = parent === "" ? undefined : parseTraceparent(parent);
    const isSampled = given && isTrusted ? given.isSampled : Math.random() < this.rate;
    if (!isSampled) return undefined;
    return this.#span(given?.traceId ?? newId(16), given?.spanId, name, kind, preciseNow());
  }

  within(parent: string, name: string, kind: SpanKind, startedAt = preciseNow()): Span | undefined {
    const given = parseTraceparent(parent);
    return given?.isSampled ? this.#span(given.traceId, given.spanId, name, kind, startedAt) : undefined;
  }

  #span(traceId: string, parentSpanId: string | undefined, name: string, kind: SpanKind, startedAt: number): Span {
    const { exporter } = this;
    const spanId = newId(8);
    let hasEnded = false;
    return {
      name,
      traceparent: `00-${traceId}-${spanId}-01`,
      end(attributes = {}, failure = undefined, at = preciseNow()) {
        if (hasEnded) return;
        hasEnded = true;
        const endedAt = Math.max(at, startedAt);
        exporter.take({
          traceId,
          spanId,
          parentSpanId,
          name: this.name,
          kind,
          startedAt,
          endedAt,
          attributes,
          failure,
        });
      },
    };
  }
}

const newId = (bytes: number): string => randomBytes(bytes).toString("hex");
