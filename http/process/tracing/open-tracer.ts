/** The tracer of a node, where a collector is named. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "../../../actors/logger.ts";
import type { Config } from "../config.ts";
import type { HttpMetrics } from "../metrics/metrics.ts";
import type { Undo } from "../undo.ts";
import { readVersion } from "../version.ts";
import { SpanExporter } from "./exporter.ts";
import { SamplingTracer } from "./tracer.ts";

/** Undefined: nothing is traced. */
export function openTracer(
  { otlpUrl, traceSampling }: Pick<Config, "otlpUrl" | "traceSampling">,
  log: Logger,
  metrics: HttpMetrics,
  undo: Undo,
): SamplingTracer | undefined {
  if (otlpUrl === undefined) return undefined;
  const version = readVersion();
  const exporter = new SpanExporter({
    url: otlpUrl,
    resource: {
      "service.name": "parley",
      "service.version": version,
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "process.pid": process.pid,
    },
    version,
    log,
    counts: {
      exported: (spans) => metrics.spans("exported", spans),
      dropped: (spans) => metrics.spans("dropped", spans),
    },
  });
  undo.add(() => exporter.stop());
  return new SamplingTracer(traceSampling, exporter);
}
