/**
 * What knows SCIM looks at all that there is of it, as a directory would. `.ci/install-schemathesis FOLDER
 * scim2-tester.txt` installs it.
 */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { directoryOf } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const programs = { tester: "scim2" };
const why = spawnSync(programs.tester, ["--help"]).error ? " (skipped: scim2 is not installed)" : "";

it.skipIf(why)(`scim2-tester finds nothing wrong${why}`, async () => {
  const { token } = await directoryOf(server);
  const env = { ...process.env, SCIM_CLI_HEADERS: `Authorization: Bearer ${token}` };
  // It fails as well where something was skipped: what it prints decides.
  const { stdout } = await promisify(execFile)(programs.tester, ["--url", `${server.url}/scim/v2`, "test"], {
    env,
  }).catch((error: { stdout: string }) => error);
  const results = [...stdout.matchAll(/^([A-Z]+) (\w+)\n( {2}.*)?/gm)];
  const others = results.filter(([, status]) => status !== "SUCCESS");
  // Searching all kinds of resources at once is left to whoever needs it.
  expect(others.filter(([, status, name]) => status !== "SKIPPED" || name !== "search_with_attributes")).toEqual([]);
  expect(results.length - others.length, stdout).toBeGreaterThan(50);
});
