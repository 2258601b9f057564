/** Adds all series to a node that are read when somebody asks. */

import { stuckRealms, troubleOf } from "../../resources/server/health.ts";
import type { LogDestination } from "../log-destination.ts";
import type { NodeApp } from "../node-parts.ts";
import { observeActors } from "./actor-series.ts";
import type { HttpMetrics } from "./metrics.ts";
import { counter, gauge } from "./read-series.ts";
import { observeStored } from "./stored-series.ts";

export function observeNode({ registry }: HttpMetrics, app: NodeApp, destination: LogDestination): void {
  const { config, system } = app;
  counter({
    registry,
    name: "parley_log_lines_dropped_total",
    help: "Lines of the log that could not be written",
    read: () => destination.dropped,
  });
  gauge({
    registry,
    name: "parley_ready",
    help: "Whether /health says that this node is ready: 1 or 0",
    read: () => (app.health.state === "ready" && troubleOf(app) === undefined ? 1 : 0),
  });
  const hasSeveral = system.homes.length > 1;
  gauge({
    registry,
    name: "parley_realm_stuck",
    help: "1 for each organization whose changes are not taken, as this node sees it",
    labelNames: hasSeveral ? ["realm", "database"] : ["realm"],
    read: () =>
      stuckRealms(app).map(({ id, database }) => [{ realm: String(id), ...(hasSeveral && { database }) }, 1] as const),
  });
  observeActors(registry, system);
  observeStored(registry, {
    databases: system.homes,
    dataDir: config.dataDir,
    uploadQuota: config.realmUploadQuotaMib * 2 ** 20,
    clock: () => system.environment.clock(),
  });
}
