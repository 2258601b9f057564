// What `npm test` runs last: all tests, as two runs beside each other. One has the files that mostly wait (for processes
// to start, to be killed, to be missed), the other those that compute. It ends with lines of both together, as vitest
// writes them, and what they cost. Arguments go to both runs. PARLEY_TEST_CPU_SECS: more processor time fails.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const runs = [
  ["files that compute", "--project=!waits"],
  ["files that wait", "--project=waits"],
];
const maxSecs = Number(process.env["PARLEY_TEST_CPU_SECS"] ?? Number.POSITIVE_INFINITY);
const tickSecs = 0.01;

/** Runs vitest to its end. What it writes is shown at once, or kept and returned. */
function run([name, project], isShown) {
  const args = ["node_modules/vitest/vitest.mjs", "run", project, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const take = (stream) => (chunk) => {
    output += chunk;
    if (isShown) stream.write(chunk);
  };
  child.stdout.on("data", take(process.stdout));
  child.stderr.on("data", take(process.stderr));
  return new Promise((done) => child.once("close", (code) => done({ name, code: code ?? 1, output })));
}

/** Sums of a line such as "      Tests  2 failed | 21 passed (23)" over all runs. */
function sumOf(label, outputs) {
  const sums = new Map();
  for (const output of outputs) {
    const line = new RegExp(`^ *${label} +(.*)$`, "m").exec(output.replace(/\u001b\[[0-9;]*m/g, ""))?.[1] ?? "";
    for (const [, count, word] of line.matchAll(/(\d+) ([a-z]+)/g))
      sums.set(word, (sums.get(word) ?? 0) + Number(count));
  }
  const words = ["failed", "passed", "skipped", "todo"].filter((word) => sums.has(word));
  const total = [...sums.values()].reduce((sum, count) => sum + count, 0);
  return `${label.padStart(11)}  ${words.map((word) => `${sums.get(word)} ${word}`).join(" | ")} (${total})`;
}

/** Processor seconds of all processes that this one has waited for, and theirs. */
function cpuSecsOfChildren() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[13]) + Number(fields[14])) * tickSecs;
  } catch {
    return 0;
  }
}

const beganAt = performance.now();
const ended = await Promise.all(runs.map((what, place) => run(what, place === 0)));
for (const { name, output } of ended.slice(1)) console.log(`\n--- ${name} ---\n${output}`);
const outputs = ended.map(({ output }) => output);
const secs = cpuSecsOfChildren();
console.log(sumOf("Test Files", outputs));
console.log(sumOf("Tests", outputs));
console.log(
  `   Together  ${((performance.now() - beganAt) / 1000).toFixed(0)} s, ${secs.toFixed(0)} s of processor time`,
);
const failed = ended.filter(({ code }) => code !== 0).map(({ name }) => name);
if (failed.length > 0) console.log(`Failed: ${failed.join(", ")}.`);
if (secs > maxSecs) console.log(`Tests took over ${maxSecs} s of processor time.`);
process.exitCode = failed.length > 0 || secs > maxSecs ? 1 : 0;
