import { execFileSync, spawn } from "node:child_process";
import { expect, test } from "vitest";
import { cpuMicroseconds, ProcessTreeCpu, residentBytes } from "../../bench/harness/cpu.ts";
import { lineChart } from "../../bench/harness/plot.ts";
import { type Bound, formatTable, isKept, type Report, round } from "../../bench/harness/report.ts";
import { section, withSection } from "../../bench/harness/results.ts";
import { median, percentiles, spread } from "../../bench/harness/statistics.ts";

test("median, spread and nearest-rank percentiles", () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
  expect(spread([10, 8, 12])).toBeCloseTo(0.4);
  expect(percentiles(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({
    count: 100,
    p50: 50,
    p90: 90,
    p99: 99,
    max: 100,
  });
  expect(percentiles([])).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
});

test("CPU of a process is what that process says it used", () => {
  const burn = "const end = process.cpuUsage().user + 300e3; while (process.cpuUsage().user < end);";
  const script = `${burn} const own = process.cpuUsage(); process.stdout.write(String(own.user + own.system) + "\\n"); process.stdin.resume();`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  const tree = new ProcessTreeCpu(process.pid);
  return new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", (text: Buffer) => {
      const [own, seen, ofTree] = [Number(text.toString()), cpuMicroseconds(child.pid!), tree.read()];
      const resident = residentBytes(child.pid!);
      child.kill();
      try {
        expect(seen).toBeGreaterThan(own * 0.9);
        expect(seen).toBeLessThan(own * 1.3 + 50_000);
        expect(ofTree).toBeGreaterThan(250_000);
        expect(resident).toBeGreaterThan(10e6);
        resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
});

test("CPU of children that ended is counted once, from what their parent was told", () => {
  const tree = new ProcessTreeCpu(process.pid);
  const started = process.cpuUsage();
  execFileSync(process.execPath, ["-e", "const end = Date.now() + 300; while (Date.now() < end);"]);
  const own = process.cpuUsage(started);
  const children = tree.read() - own.user - own.system;
  expect(children).toBeGreaterThan(50_000);
  expect(children).toBeLessThan(3_000_000);
});

const bound = (value: number, limit: number, sense: Bound["sense"]): Bound => ({
  what: "w",
  value,
  limit,
  sense,
  kind: "portable",
});

test("a bound is kept up to its limit and not beyond", () => {
  expect(isKept(bound(1.15, 1.15, "most"))).toBe(true);
  expect(isKept(bound(1.16, 1.15, "most"))).toBe(false);
  expect(isKept(bound(0.35, 0.35, "least"))).toBe(true);
  expect(isKept(bound(0.34, 0.35, "least"))).toBe(false);
});

const report: Report = {
  columns: [
    { key: "name", label: "name" },
    { key: "polls", label: "N", digits: 0 },
    { key: "cost", label: "µs", digits: 2 },
  ],
  rows: [
    { name: "a", polls: 100, cost: 1.5 },
    { name: "bb", polls: 15_000, cost: 21.258 },
  ],
  bounds: [bound(1.3, 1.15, "most")],
  plots: [],
  notes: ["A note."],
};

test("tables align numbers right and keep their digits", () => {
  expect(formatTable(report.columns, report.rows)).toBe(
    ["name       N     µs", "a        100   1.50", "bb    15,000  21.26"].join("\n"),
  );
  expect([0.0333, 1.5, 12.34, 1234.5].map(round)).toEqual(["0.033", "1.5", "12.3", "1235"]);
});

test("a bench replaces its own section of the results and no other", () => {
  const bench = { name: "b", question: "Why?", run: () => Promise.resolve(report) };
  const day = new Date("2030-01-02T03:04:05Z");
  const text = section(bench, report, day, "2 × CPU", {});
  expect(text).toContain("`npm run bench -- b` · 2030-01-02 · 2 × CPU");
  expect(text).toContain("| bb | 15,000 | 21.26 |");
  expect(text).toContain("| w | 1.3 | ≤ 1.15 | **broken** |");
  const first = withSection("# Results\n", "a", "old a");
  const both = withSection(first, "b", text);
  const again = withSection(both, "a", "new a");
  expect(again).toBe(both.replace("old a", "new a"));
  expect(again.split("<!-- bench: a -->")).toHaveLength(2);
  const ofSize = section(bench, report, day, "2 × CPU", { seconds: undefined, people: "500", messages: "1000000" });
  expect(ofSize).toContain("`npm run bench -- b --people 500 --messages 1000000` ·");
});

test("a chart has a mark for every point and escapes its words", () => {
  const svg = lineChart({
    file: "f",
    title: "a < b & c",
    xLabel: "N",
    yLabel: "µs",
    series: [
      {
        name: "Parley",
        points: [
          [100, 10],
          [1000, 12],
          [15000, 13],
        ],
      },
    ],
  });
  expect(svg).toContain("a &lt; b &amp; c");
  expect(svg.match(/<circle/g)).toHaveLength(4);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  expect(() =>
    lineChart({ file: "f", title: "", xLabel: "", yLabel: "", series: [{ name: "x", points: [[0, 1]] }] }),
  ).toThrow(RangeError);
});
