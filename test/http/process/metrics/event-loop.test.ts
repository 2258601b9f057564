import { expect, it } from "vitest";
import { HttpMetrics } from "../../../../http/process/metrics/metrics.ts";

/** One of Node's own, for which its event loop wakes up all the time. */
const delay = "nodejs_eventloop_lag_p99_seconds";

it("watches the event loop from the moment when somebody asks for metrics, and not before", async () => {
  const metrics = new HttpMetrics();
  expect(metrics.registry.getSingleMetric(delay)).toBeUndefined();
  expect(await metrics.text()).toContain(delay);
});
