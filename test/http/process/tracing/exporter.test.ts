/** A collector that is slow, broken or away costs memory up to a limit, and nobody's time. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { sendToRelay } from "../../../../actors/push/relay.ts";
import { parseTraceparent } from "../../../../actors/tracing.ts";
import { SiteReader } from "../../../../http/link-previews/site-reader.ts";
import { SpanExporter } from "../../../../http/process/tracing/exporter.ts";
import { SamplingTracer } from "../../../../http/process/tracing/tracer.ts";
import { WebService } from "../../../support/server/web-service.ts";
import { collected } from "../../../support/tracing/otlp.ts";

const waiting = { timeout: 60_000 };
let collector: WebService;
let exporter: SpanExporter;
let tracer: SamplingTracer;
let counts: { exported: number; dropped: number };
let warnings: object[];
beforeEach(async () => {
  collector = new WebService();
  await collector.start();
  [counts, warnings] = [{ exported: 0, dropped: 0 }, []];
  exporter = new SpanExporter({
    url: collector.url,
    resource: { "service.name": "parley", "service.instance.id": "one" },
    version: "1",
    log: { info() {}, error() {}, warn: (fields) => warnings.push(fields) },
    counts: {
      exported: (spans) => (counts.exported += spans),
      dropped: (spans) => (counts.dropped += spans),
    },
  });
  tracer = new SamplingTracer(1, exporter);
});
afterEach(async () => {
  await exporter.stop();
  await collector.stop();
});

const makeSpans = (count: number) => {
  for (let each = 0; each < count; each++) tracer.begin(`span ${each}`, "internal")!.end({ each, half: 0.5, is: true });
};

it("a collector that never answers: what waits is bounded, the rest is dropped, and a stop takes a moment", async () => {
  collector.answer = () => undefined;
  makeSpans(1);
  await expect.poll(() => collector.requests.length, waiting).toBe(1);
  makeSpans(3000);
  expect(counts.dropped).toBe(3000 - 2048);
  await exporter.stop();
  expect(counts).toEqual({ exported: 0, dropped: 3001 });
  expect(collector.requests.length).toBe(1);
});

it("one that is busy is asked again, and has all spans in the end, 512 at a time", async () => {
  let busy = 2;
  collector.answer = () => (busy-- > 0 ? { status: 503, headers: { "Retry-After": "0" } } : { body: "{}" });
  makeSpans(600);
  await expect.poll(() => counts, waiting).toEqual({ exported: 600, dropped: 0 });
  expect(collector.requests.map(({ body }) => body.match(/"spanId"/g)!.length)).toEqual([512, 512, 512, 88]);
  expect(new Set(collected(collector).map(({ spanId }) => spanId)).size).toBe(600);
  expect(warnings).toEqual([]);
});

it("one that refuses is not asked again, which is logged once; one that takes a part says which", async () => {
  collector.answer = () => ({ status: 400 });
  makeSpans(600);
  await expect.poll(() => counts, waiting).toEqual({ exported: 0, dropped: 600 });
  expect(warnings).toEqual([{ reason: "the collector answered 400" }]);
  collector.answer = () => ({ body: JSON.stringify({ partialSuccess: { rejectedSpans: "2" } }) });
  makeSpans(5);
  await expect.poll(() => counts, waiting).toEqual({ exported: 3, dropped: 602 });
});

it("samples the share that was told, and believes of strangers only which trace it is", () => {
  const some = new SamplingTracer(0.25, { take() {} });
  let sampled = 0;
  for (let each = 0; each < 4000; each++) if (some.begin("", "server")) sampled++;
  expect(sampled).toBeGreaterThan(800);
  expect(sampled).toBeLessThan(1200);
  const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
  const none = new SamplingTracer(0, { take() {} });
  expect(none.begin("", "server", `${given}-01`)).toBeUndefined();
  expect(none.begin("", "server", `${given}-01`, true)!.traceparent).toMatch(
    /^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/,
  );
  expect(none.within(`${given}-00`, "", "internal")).toBeUndefined();
});

it.each([
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true],
  ["cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-09-more", true],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", false],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", undefined],
  ["ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", undefined],
  ["00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", undefined],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", undefined],
  ["", undefined],
])("reads the traceparent %j as W3C has it", (text, isSampled) => {
  expect(parseTraceparent(text)?.isSampled).toBe(isSampled);
});

it("goes on in requests to the push relay and to sites that are read", async () => {
  const reader = new SiteReader({ alsoAllowed: "127.0.0.1", userAgent: "Parley", tracer });
  const other = new WebService();
  await other.start();
  try {
    await sendToRelay(`${other.url}/relay`, {}, { tracer });
    await reader.readMedia(`${other.url}/picture`);
    await expect.poll(() => collected(collector).length, waiting).toBe(2);
    const sent = ["/relay", "/picture"].map((path) => other.at(path)[0]!.headers["traceparent"]);
    const spans = collected(collector).map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    expect(spans).toEqual(sent);
    // Nothing is sent where nothing is sampled.
    await sendToRelay(`${other.url}/again`, {}, { tracer: new SamplingTracer(0, exporter) });
    expect(other.at("/again")[0]!.headers).not.toHaveProperty("traceparent");
  } finally {
    reader.close();
    await other.stop();
  }
});
