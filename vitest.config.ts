import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { buildIfOlder, builtFiles, builtModules } from "./test/support/built.ts";
import type { Project } from "./test/support/projects.ts";

buildIfOlder();

const settings = {
  // For a machine that is many times too busy: nothing here is timed.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  pool: "forks" as const,
  server: { deps: { external: [builtFiles] } },
};

/**
 * For files that use a whole server in their own process and change nothing of that process: they share its modules,
 * whose loading is most of what a short file costs. Projects run one after the other, as a process belongs to one.
 */
const shared = { ...settings, isolate: false };

/** Files that change their process, such as its clock: each has a process of its own. */
const changing = filesBelow("test").filter((file) => /\bvi\.(?:useFakeTimers|spyOn|stub\w+)\(/.test(textOf(file)));

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

export default defineConfig({
  test: {
    globalSetup: ["test/support/server/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      {
        plugins: [builtModules],
        test: {
          ...shared,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: ["test/contract/**", ...changing],
        },
      },
      { plugins: [builtModules], test: { ...settings, name: "alone", include: changing } },
      {
        plugins: [builtModules],
        test: { ...shared, name: "contract", include: ["test/contract/**/*.test.ts"], sequence: { groupOrder: 1 } },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          sequence: { groupOrder: 2 },
          name: "two nodes",
          // What people read, are told of, and share across nodes.
          include: testsAlsoOn("two nodes"),
          env: { PARLEY_TEST_NODES: "2" },
        },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          sequence: { groupOrder: 3 },
          name: "javascript twin",
          // Every kind of request and answer, over the JavaScript twin of the HTTP server: log-ins, pages, bodies of each
          // type, files, polls, large answers, errors, limits, headers for browsers.
          include: testsAlsoOn("javascript twin"),
          env: { PARLEY_HTTP_BUILD: "javascript" },
        },
      },
      {
        plugins: [builtModules],
        test: {
          ...shared,
          sequence: { groupOrder: 4 },
          name: "streams",
          // A client's every event comes from a stream instead of a poll's answer: convergence, rights that end, and
          // streams whose processes die.
          include: testsAlsoOn("streams"),
          env: { PARLEY_TEST_TRANSPORT: "stream" },
        },
      },
    ],
  },
});
