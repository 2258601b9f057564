// Lints the OpenAPI document in a file: `node lint-openapi.mjs FILE`. Prints a list of what is wrong with it, as JSON.
import { join } from "node:path";
import { lint, loadConfig } from "@redocly/openapi-core";

const config = await loadConfig({ configPath: join(import.meta.dirname, "../../../redocly.yaml") });
const problems = await lint({ ref: process.argv[2], config });
console.log(
  JSON.stringify(
    problems.map(
      ({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`,
    ),
  ),
);
