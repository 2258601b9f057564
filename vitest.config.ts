import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { buildIfOlder, builtFiles, builtModules } from "./test/support/built.ts";
import type { Project } from "./test/support/projects.ts";
import { nativeBuild } from "./test/support/server/http-builds.ts";

buildIfOlder();

const settings = {
  // For a machine that is many times too busy: nothing here is timed.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  pool: "forks" as const,
  setupFiles: ["test/support/note-cost.ts"],
  server: { deps: { external: [builtFiles] } },
};

/**
 * For files that change nothing of their process: they share its modules, whose loading is most of what a short file
 * costs.
 */
const shared = { ...settings, isolate: false };

/** Files that change their process, such as its clock: each has a process of its own. `zulip-js` sets a global. */
const changing = filesBelow("test").filter(
  (file) =>
    !file.startsWith("test/contract/") &&
    /\bvi\.(?:useFakeTimers|spyOn|stub\w+)\(|from "zulip-js"|import\("zulip-js"\)/.test(textOf(file)),
);

/** Files that mostly wait: for processes to start, to be killed, to be missed. They run beside those that compute. */
const waiting = [
  "test/scenario/**/*.test.ts",
  "test/installs.test.ts",
  "test/storage/embedded-postgres/*.test.ts",
  "test/http/web/network/killed.test.ts",
  "test/http/web/network/connection.test.ts",
  "test/http/api/description.test.ts",
];

/** Where there is no Redis to start, the files that start one are left out, and named. */
const lacksRedis = !process.env["REDIS_URL"] && spawnSync("redis-server", ["--version"]).error !== undefined;
const needRedis = lacksRedis
  ? filesBelow("test").filter((file) =>
      /\b(?:startRedis|testRedis|faults\/cluster)\b|nodeCount: [2-9]/.test(textOf(file)),
    )
  : [];
if (lacksRedis) console.warn(`Left out, as there is no redis-server: two nodes, ${needRedis.join(", ")}`);

function filesBelow(folder: string): string[] {
  return readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`);
}

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, file), "utf8");
}

/**
 * Test files that say that they run in this project as well: `alsoOn: [project]`, in `testServer` or in `runFile`.
 *
 * @throws when there are none: a project that runs nothing would pass.
 */
function testsAlsoOn(project: Project): string[] {
  const marked = [...filesBelow("test/contract"), ...filesBelow("test/scenario")].filter((file) =>
    /\balsoOn: \[([^\]]*)\]/.exec(textOf(file))?.[1]?.includes(`"${project}"`),
  );
  if (marked.length === 0) throw new Error(`No test is also on "${project}".`);
  return marked.sort();
}

/** Projects one after the other, so that processes have many files of one; the longest files of each first. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const names = this.ctx.projects.map(({ name }) => name);
    const placeOf = ({ project }: TestSpecification) => names.indexOf(project.name);
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ["test/support/server/global-setup.ts"],
    maxWorkers: 2,
    sequence: { sequencer: ByProject },
    projects: [
      {
        plugins: [builtModules],
        test: {
          ...shared,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: ["test/contract/**", ...changing, ...waiting, ...needRedis],
        },
      },
      { plugins: [builtModules], test: { ...settings, name: "alone", include: changing, exclude: needRedis } },
      {
        plugins: [builtModules],
        test: { ...shared, name: "waits", include: waiting, exclude: [...changing, ...needRedis] },
      },
      {
        plugins: [builtModules],
        test: { ...shared, name: "contract", include: ["test/contract/**/*.test.ts"], exclude: needRedis },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          name: "two nodes",
          // What people read, are told of, and share across nodes.
          include: lacksRedis ? [] : testsAlsoOn("two nodes"),
          env: { PARLEY_TEST_NODES: "2" },
        },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          sequence: { groupOrder: 3 },
          name: "native build",
          // Every kind of request and answer, over a native build of the HTTP server. These are log-ins, pages, bodies
          // of each type, files, polls, large answers, errors, limits and headers for browsers. None of it where no
          // such build loads.
          include: nativeBuild === undefined ? [] : testsAlsoOn("native build"),
          exclude: needRedis,
          env: { PARLEY_HTTP_BUILD: "native" },
        },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          name: "streams",
          // A client's every event comes from a stream instead of a poll's answer: convergence, rights that end, and
          // streams whose processes die.
          include: testsAlsoOn("streams"),
          exclude: needRedis,
          env: { PARLEY_TEST_TRANSPORT: "stream" },
        },
      },
    ],
  },
});
