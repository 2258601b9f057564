// `npm run test:near`: types, and the tests nearest to what has changed since a commit (HEAD unless named). Nearest are
// changed tests, tests of the same noun, and tests that name a changed file. `npm test` stays the judge.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const base = process.argv[2] ?? "HEAD";
const git = (...args) => spawnSync("git", args, { encoding: "utf8" }).stdout.split("\n").filter(Boolean);
const changed = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];

/** Folders and files below `test/` that may be about a source file. */
function placesOf(file) {
  const [top, room = "", noun = ""] = file.replace(/\.\w+$/, "").split("/");
  if (top === "http" && room === "resources") return [`contract/${noun}`, `http/resources/${noun}`];
  if (top === "http") return [`http/${room}`];
  if (top === "actors" || top === "storage") return [`${top}/${room}`, `${top}/${room}.test.ts`, `contract/${room}`];
  return [];
}

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join("test", name));
const names = changed.filter((file) => /^(?:actors|http|storage|bench)\/.*\.ts$/.test(file));
const isNamed = (text) => names.some((file) => text.includes(`/${file}"`) || text.includes(`/${basename(file)}"`));
const places = changed.flatMap(placesOf).map((place) => join("test", place));
const near = tests.filter(
  (test) =>
    changed.includes(test) ||
    places.some((place) =>
      existsSync(place) && statSync(place).isDirectory() ? test.startsWith(`${place}/`) : test === place,
    ) ||
    isNamed(readFileSync(test, "utf8")),
);
if (near.length === 0) console.log("No test is near to what has changed.");
else {
  const run = (...command) =>
    new Promise((done) => {
      spawn("npx", command, { stdio: "inherit" }).once("close", (code) => done(code === 0));
    });
  const projects = ["tests", "alone", "contract", "waits"].map((name) => `--project=${name}`);
  const ended = await Promise.all([
    run("tsc", "-p", "tsconfig.json", "--noEmit"),
    run("vitest", "run", ...projects, "test/imports.test.ts", ...near),
  ]);
  process.exitCode = ended.every(Boolean) ? 0 : 1;
}
