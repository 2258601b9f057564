import type { Setup } from "./setup.ts";

/** A column of a bench's table: `key` names it in `--json` lines, `label` (with its unit) in tables. */
export interface Column {
  key: string;
  label: string;
  /** Digits after the point; text columns leave it out. */
  digits?: number;
}

export type Row = Readonly<Record<string, number | string>>;

/** A bound the bench is held to. `--check` fails when one is broken. */
export interface Bound {
  /** What is bounded, in words, with its unit. */
  what: string;
  value: number;
  limit: number;
  /** `most`: the value may be at most the limit; `least`: at least. */
  sense: "most" | "least";
  /**
   * `portable`: a ratio to something of the same run, or bytes; it holds on any machine. `machine`: a time or a rate;
   * it was set for one kind of machine, and a slower or busier one may break it.
   */
  kind: "portable" | "machine";
}

/** Whether the value keeps to its limit. */
export function isKept(bound: Bound): boolean {
  return bound.sense === "most" ? bound.value <= bound.limit : bound.value >= bound.limit;
}

/** A line chart: x is drawn on a logarithmic axis. */
export interface Plot {
  /** File name beside RESULTS.md, without `.svg`. */
  file: string;
  title: string;
  xLabel: string;
  yLabel: string;
  series: { name: string; points: readonly (readonly [x: number, y: number])[] }[];
}

/** What one bench found. */
export interface Report {
  columns: readonly Column[];
  rows: readonly Row[];
  bounds: readonly Bound[];
  plots: readonly Plot[];
  /** Sentences a reader needs to judge the figures: what was set up, what was left out, which server build ran. */
  notes: readonly string[];
}

/** One question, answered by one file of this folder. */
export interface Bench {
  name: string;
  /** The question, as one sentence. */
  question: string;
  run(setup: Setup): Promise<Report>;
}

/** One cell as text. */
export function cell(column: Column, row: Row): string {
  const value = row[column.key];
  if (value === undefined) return "–";
  if (typeof value === "string" || column.digits === undefined) return String(value);
  return value.toLocaleString("en-US", { minimumFractionDigits: column.digits, maximumFractionDigits: column.digits });
}

/** The rows as a table for a terminal, numbers aligned right. */
export function formatTable(columns: readonly Column[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => column.label),
    ...rows.map((row) => columns.map((column) => cell(column, row))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const pad = (text: string, index: number): string =>
    columns[index]!.digits === undefined ? text.padEnd(widths[index]!) : text.padStart(widths[index]!);
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

/** One line on a bound: kept or broken, by how much. */
export function formatBound(bound: Bound): string {
  const sign = bound.sense === "most" ? "≤" : "≥";
  return `${isKept(bound) ? "kept  " : "BROKEN"} ${bound.what}: ${round(bound.value)} (must be ${sign} ${round(bound.limit)})`;
}

/** At most three significant decimals, without trailing zeros: for figures of unknown size. */
export function round(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return String(Number(value.toFixed(digits)));
}
