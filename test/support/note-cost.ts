/** Runs around each test file: notes what it costs. */
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import { cpuSecsOf, noteCost } from "./costs.ts";

const before = cpuSecsOf("self");

// The first one that is registered is the last one that runs: servers have stopped by then.
afterAll(() => {
  const file = relative(process.cwd(), expect.getState().testPath ?? "");
  noteCost({ file, secs: cpuSecsOf("self") - before });
});
