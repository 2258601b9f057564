/**
 * Sends spans to a collector by OTLP over HTTP. Nobody waits for it. Spans wait in memory up to a limit. Beyond that
 * they are dropped and counted. One request is under way at a time, and each has its time limit. One that fails for
 * now is repeated a few times.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../../actors/logger.ts";
import { isObject, jsonObject } from "../../../actors/text/json-object.ts";
import type { Attributes } from "../../../actors/tracing.ts";
import { messageOf } from "../../../storage/failures.ts";
import { otlpTraces } from "./otlp.ts";
import type { EndedSpan } from "./tracer.ts";

/** About 1 MB. */
const maxWaiting = 2048;
const maxPerRequest = 512;
/** So long after the first span it is sent with what came meanwhile. */
const gatherMs = 1000;
const requestTimeoutMs = 5000;
const maxAttempts = 4;
const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Answers after which a request may be repeated. Source: the OTLP specification, Failures. */
const retryable = new Set([429, 502, 503, 504]);
/** How long stopping waits for the last spans. */
const stopPatienceMs = 1000;
const maxAnswerBytes = 64 * 1024;

interface ExporterOptions {
  /** Of the collector; `/v1/traces` follows. */
  url: string;
  resource: Attributes;
  version: string;
  log: Logger;
  counts: { exported(spans: number): void; dropped(spans: number): void };
}

export class SpanExporter {
  #waiting: EndedSpan[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #hasFailed = false;
  readonly #stopped = new AbortController();

  constructor(private readonly options: ExporterOptions) {}

  /** Takes a span. Never throws, never waits. */
  take(span: EndedSpan): void {
    if (this.#waiting.length >= maxWaiting || this.#stopped.signal.aborted) {
      this.options.counts.dropped(1);
      return;
    }
    this.#waiting.push(span);
    if (!this.#sending) this.#gathering ??= setTimeout(() => this.#begin(), gatherMs).unref();
  }

  /** Sends what there is, for a moment at most. What is left is dropped. */
  async stop(): Promise<void> {
    this.#begin();
    const patience = new AbortController();
    await Promise.race([this.#sending, delay(stopPatienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
    patience.abort();
    this.#stopped.abort();
    clearTimeout(this.#gathering);
    await this.#sending;
  }

  #begin(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, maxPerRequest);
      const { taken, failure } = await this.#sendRepeatedly(spans);
      if (taken > 0) this.options.counts.exported(taken);
      if (taken < spans.length) this.options.counts.dropped(spans.length - taken);
      // Said once until it goes well again: a collector may be away for days.
      if (failure !== undefined && !this.#hasFailed)
        this.options.log.warn({ reason: failure }, "spans were not exported");
      this.#hasFailed = failure !== undefined;
    }
  }

  async #sendRepeatedly(spans: readonly EndedSpan[]): Promise<{ taken: number; failure?: string }> {
    const { signal } = this.#stopped;
    const body = otlpTraces(this.options.resource, this.options.version, spans);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#send(body);
      if ("rejected" in answer) return { taken: spans.length - Math.min(answer.rejected, spans.length) };
      const { failure, isLasting, pauseMs = firstPauseMs * 2 ** (attempt - 1) } = answer;
      if (isLasting || attempt === maxAttempts || signal.aborted) return { taken: 0, failure };
      await delay(Math.min(pauseMs, longestPauseMs), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** One request. `pauseMs`: when the collector wants it repeated; undefined: it does not say. */
  async #send(body: string): Promise<Answer> {
    try {
      const response = await fetch(`${this.options.url}/v1/traces`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
        redirect: "error",
        signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(requestTimeoutMs)]),
      });
      const text = await textOf(response);
      if (response.ok) return { rejected: rejectedIn(text) };
      const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
      return {
        failure: `the collector answered ${response.status}`,
        isLasting: !retryable.has(response.status),
        pauseMs: retryAfter >= 0 ? retryAfter * 1000 : undefined,
      };
    } catch (error) {
      return { failure: messageOf(error), isLasting: false };
    }
  }
}

type Answer = { rejected: number } | { failure: string; isLasting: boolean; pauseMs?: number | undefined };

/** A collector's answer is short; of a longer one the beginning. */
async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const incoming: AsyncIterable<Uint8Array> | undefined = body ?? undefined;
  for await (const piece of incoming ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > maxAnswerBytes) break;
  }
  return Buffer.concat(pieces).toString();
}

/** How many spans a collector did not take that took the others. */
function rejectedIn(text: string): number {
  const partial = jsonObject(text)?.["partialSuccess"];
  return Number((isObject(partial) && partial["rejectedSpans"]) || 0) || 0;
}
