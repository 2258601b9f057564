/**
 * Programs that know OpenAPI look at the description, and send what it lets them send. Whatever they make up is
 * answered as it says, and never by a bug. `.ci/install-schemathesis` installs them.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testServer } from "../../support/server/server.ts";

const programs = { fuzzer: "schemathesis", validator: "openapi-spec-validator" };
const why = (name: string) => (spawnSync(name, ["--help"]).error ? ` (skipped: ${name} is not installed)` : "");
const run = promisify(execFile);
/** A broken head, which the fuzzer sends as well, has an answer from this build. */
const server = testServer({
  environment: { PARLEY_HTTP_BUILD: "javascript", PARLEY_LOG_LEVEL: "error" },
  nodeCount: 1,
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-description-"));
  await writeFile(join(folder, "openapi.json"), await (await fetch(`${server.url}/api/v1/openapi.json`)).text());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.skipIf(why(programs.validator))(`openapi.json is OpenAPI 3.1${why(programs.validator)}`, async () => {
  const { stdout } = await run(programs.validator, [join(folder, "openapi.json")]);
  expect(stdout).toContain("OK");
});

/** What would end the key or the organization, waits for events, takes long, or is for whoever runs the server. */
const leftOut =
  "^/(api/v1/(realm/deactivate|users/me$|users/me/api_key/regenerate|events$|export/realm)|metrics$|replicas$|log_levels$)";
/** Some two minutes on two cores. */
const examplesOfEach = 16;

it.skipIf(why(programs.fuzzer))(
  `whatever fits openapi.json, and what nearly does, is answered as it says${why(programs.fuzzer)}`,
  async () => {
    const { email, apiKey } = server.owner;
    const checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";
    const options = {
      url: server.url,
      auth: `${email}:${apiKey}`,
      phases: "fuzzing",
      mode: "positive",
      seed: 496,
      "max-examples": examplesOfEach,
      workers: 1,
      checks,
      "suppress-health-check": "all",
      "request-timeout": 120,
      "generation-with-security-parameters": false,
      "generation-database": "none",
      "exclude-path-regex": leftOut,
      warnings: "off",
    };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    const args = ["run", join(folder, "openapi.json"), ...words, "--no-color", "--no-shrink", "--continue-on-failure"];
    const failed = await run(programs.fuzzer, args, { maxBuffer: 2 ** 28, cwd: folder }).then(
      () => "",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout.slice(-20_000)}${stderr.slice(-2000)}`,
    );
    expect(failed).toBe("");
  },
  1_800_000,
);
