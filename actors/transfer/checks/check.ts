/**
 * Checks every row of an archive where it is read, by the rules that the API has for what people send. What a row has
 * that is not taken becomes another value where the row is worth it, and leaves the row out otherwise. Both are
 * counted.
 */
import { type Column, type Row, refused } from "./columns.ts";

export interface TableRule {
  columns: Readonly<Record<string, Column>>;
  /** Looks at the row with its values as they are taken. Returns why it is left out, or undefined. */
  row?(row: Row): string | undefined;
}

export type Rules = Readonly<Record<string, TableRule>>;

/** Rows of one table that are left out are told one by one up to this number. */
const maxNamed = 20;

/** What was left out or changed, with how often. */
export class Findings {
  readonly counts = new Map<string, number>();
  readonly #named = new Map<string, number>();

  note(what: string, count = 1): void {
    if (count > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }

  /** @param why undefined: a column is none */
  leaveOut(table: string, column: string, why?: string): void {
    const named = (this.#named.get(table) ?? 0) + 1;
    this.#named.set(table, named);
    const isNamed = why !== undefined && named <= maxNamed;
    this.note(`rows of ${table} that are not allowed here${isNamed ? `: ${shown(why)}` : column && ` (${column})`}`);
  }

  change(table: string, column: string): void {
    this.note(`values of ${table}.${column} that are not allowed here, and became others`);
  }
}

/** It goes to a terminal. */
const shown = (text: string): string => text.replace(/[\p{C}\u2028\u2029]/gu, "�").slice(0, 200);

/** The rows that are taken, with their values as they are taken. @param findings undefined: they were told before */
export function checkRows(table: string, rule: TableRule, rows: readonly Row[], findings?: Findings): Row[] {
  const columns = Object.entries(rule.columns);
  return rows.filter((row) => {
    for (const [column, read] of columns) {
      const given = row[column];
      const taken = read(given, row);
      if (taken === refused) {
        findings?.leaveOut(table, column);
        return false;
      }
      if (taken === given || (Array.isArray(taken) && Array.isArray(given) && taken.length === given.length)) continue;
      row[column] = taken;
      if (given !== undefined) findings?.change(table, column);
    }
    const why = rule.row?.(row);
    if (why !== undefined) findings?.leaveOut(table, "", why);
    return why === undefined;
  });
}

/** A rule of rows of which there is one for each key. */
export function unique(key: (row: Row) => string | undefined): (row: Row) => string | undefined {
  const seen = new Set<string>();
  return (row) => {
    const own = key(row);
    if (own === undefined) return undefined;
    if (seen.has(own)) return "there is such a one already";
    seen.add(own);
    return undefined;
  };
}

/** A rule of tables with at most so many rows. */
export function atMost(max: number): () => string | undefined {
  let rows = 0;
  return () => (++rows > max ? `there are more than ${max}` : undefined);
}

/** The first that leaves a row out. */
export const all =
  (...rules: readonly ((row: Row) => string | undefined)[]): ((row: Row) => string | undefined) =>
  (row) => {
    for (const rule of rules) {
      const why = rule(row);
      if (why !== undefined) return why;
    }
    return undefined;
  };
