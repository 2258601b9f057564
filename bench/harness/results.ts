/** `bench/RESULTS.md`: one section per bench, each replaced as a whole when its bench runs again. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { lineChart } from "./plot.ts";
import { type Bench, type Column, cell, isKept, type Report, type Row, round } from "./report.ts";

/** The source folder's `bench/`, seen from the compiled file. */
const folder = new URL("../../../bench/", import.meta.url);

const preface = `# Results

Written by \`npm run bench -- --write\`; each section says when, where and by which command. CPU is user and system time of the server's
process, from the kernel's accounting. Every figure is the median of three runs after a warm-up; "±" is how far the runs lie
apart, (largest − smallest) / median. Ratios to a floor measured in the same run mean more than absolute figures.
`;

/** What was said to a bench beside its name, as it was said: the value of `--seconds` under `seconds`. */
export type Sizes = Readonly<Record<string, string | undefined>>;

/** Rewrites the bench's section and its plots. */
export function writeResults(bench: Bench, report: Report, date: Date, sizes: Sizes): void {
  const file = new URL("RESULTS.md", folder);
  const before = existsSync(file) ? readFileSync(file, "utf8") : preface;
  writeFileSync(file, withSection(before, bench.name, section(bench, report, date, machineFacts(), sizes)));
  for (const plot of report.plots) writeFileSync(new URL(`${plot.file}.svg`, folder), lineChart(plot));
}

/** The document with the section of that name replaced, or added at its end. */
export function withSection(document: string, name: string, text: string): string {
  const [open, close] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
  const block = `${open}\n${text.trim()}\n${close}`;
  const start = document.indexOf(open);
  const end = document.indexOf(close, start);
  if (start < 0 || end < 0) return `${document.trimEnd()}\n\n${block}\n`;
  return document.slice(0, start) + block + document.slice(end + close.length);
}

/** A section in Markdown. */
export function section(bench: Bench, report: Report, date: Date, machine: string, sizes: Sizes): string {
  const said = Object.entries(sizes).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  const command = ["npm run bench --", bench.name, ...said].join(" ");
  const bounds = report.bounds.map(
    (bound) =>
      `| ${bound.what} | ${round(bound.value)} | ${bound.sense === "most" ? "≤" : "≥"} ${round(bound.limit)} | ${isKept(bound) ? "kept" : "**broken**"} |`,
  );
  return [
    `## ${bench.name}`,
    "",
    bench.question,
    "",
    `\`${command}\` · ${date.toISOString().slice(0, 10)} · ${machine}`,
    "",
    markdownTable(report.columns, report.rows),
    ...(bounds.length > 0 ? ["", "| Bound | Measured | Limit | |", "| --- | ---: | ---: | --- |", ...bounds] : []),
    ...(report.notes.length > 0 ? ["", ...report.notes.map((note) => `- ${note}`)] : []),
    ...report.plots.flatMap((plot) => ["", `![${plot.title}](${plot.file}.svg)`]),
  ].join("\n");
}

function markdownTable(columns: readonly Column[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map((column) => column.label)),
    line(columns.map((column) => (column.digits === undefined ? "---" : "---:"))),
    ...rows.map((row) => line(columns.map((column) => cell(column, row)))),
  ].join("\n");
}

/** What a reader needs to know of the machine. */
export function machineFacts(): string {
  const all = cpus();
  const memoryGib = (totalmem() / 2 ** 30).toFixed(0);
  return `${all.length} × ${all[0]?.model.trim() ?? arch()}, ${memoryGib} GiB, ${type()} ${release().split("-")[0]}, Node ${process.versions.node}`;
}
