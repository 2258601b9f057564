/** The values that columns of an archive may have. An archive is what somebody says it is: nothing of it is trusted. */
import { ApiError } from "../../errors.ts";
import { isLegible, withoutMisleading } from "../../text/legible-name.ts";
import { asLine, beginning } from "../../text/texts.ts";

/** A row as it is read. */
export type Row = Record<string, unknown>;

/** A value that is not taken. */
export const refused = Symbol("refused");

/** The value as it is taken, another one instead, or `refused`: then the row is left out. */
export type Column<Taken = unknown> = (value: unknown, row: Row) => Taken | typeof refused;

/** What a column holds that was read as a text. */
export const textIn = (row: Row, column: string): string => String(row[column] ?? "");
/** The same of a column that may be empty. */
export const nullableTextIn = (row: Row, column: string): string | null =>
  typeof row[column] === "string" ? row[column] : null;

/** Ids of everything, and counts: PostgreSQL's integer. */
const maxInteger = 2 ** 31 - 1;
/** The end of the year 9999, in UNIX seconds: clients cannot show later times. */
export const maxTime = 253_402_300_799;

const isNumber = (value: unknown, max: number): value is number =>
  typeof value === "number" && value >= 0 && value <= max;
const isCount = (value: unknown, max: number): value is number => isNumber(value, max) && Number.isInteger(value);

export const id: Column<number> = (value) => (isCount(value, maxInteger) ? value : refused);
/** Of messages there are more than of anything else. */
export const messageId: Column<number> = (value) =>
  isCount(value, Number.MAX_SAFE_INTEGER) && value > 0 ? value : refused;
/** UNIX seconds, with a fraction. */
export const time: Column<number> = (value) => (isNumber(value, maxTime) ? value : refused);
export const anyText: Column<string> = (value) => (typeof value === "string" ? value : refused);
export const count: Column<number> = (value) => (isCount(value, maxInteger) ? value : refused);

/** What is not clearly yes is no, unless there is nothing: then it stays so. */
export const flag: Column = (value) => (value === undefined || typeof value === "boolean" ? value : value === 1);
/** A flag of which there has to be one. */
export const setFlag =
  (byDefault = false): Column =>
  (value) =>
    typeof value === "boolean" ? value : byDefault;

export const nullable =
  (column: Column): Column =>
  (value, row) =>
    value === null || value === undefined ? value : column(value, row);
/** Null where the value is not taken. */
export const orNull =
  (column: Column): Column =>
  (value, row) =>
    value === null || value === undefined ? null : orElse(column, null)(value, row);
/** What is taken where a value is not. */
type Instead = string | number | boolean | null | undefined;

export const orElse =
  (column: Column, instead: Instead | ((row: Row) => Instead)): Column =>
  (value, row) => {
    const taken = column(value, row);
    return taken !== refused ? taken : typeof instead === "function" ? instead(row) : instead;
  };

export const oneOf =
  (...values: readonly unknown[]): Column =>
  (value) =>
    values.includes(value) ? value : refused;

/** A text of any lines, cut where it is too long. */
export const text =
  (max: number): Column =>
  (value) =>
    typeof value === "string" ? beginning(value, max) : refused;
/** A text of one line. */
export const line =
  (max: number): Column =>
  (value) =>
    typeof value === "string" ? beginning(asLine(value), max) : refused;
/** A line that says something. */
export const label =
  (max: number): Column =>
  (value) => {
    const read = typeof value === "string" ? beginning(asLine(value).trim(), max).trim() : "";
    return read === "" ? refused : read;
  };

/**
 * A name that people recognize; where it is none, as much of it as there is, or `<what> <id>`.
 *
 * @param unfit characters that such a name may not have
 */
export const name =
  (max: number, what: string, unfit = /[\p{Cs}\p{Cn}]/u): ((value: unknown, row: Row) => string) =>
  (value, row) => {
    const given = typeof value === "string" ? value : "";
    const read = beginning(withoutMisleading(given.replace(new RegExp(unfit.source, "gu"), " ")), max).trim();
    return isLegible(read) ? read : `${what} ${row["id"] ?? row["usergroup_ptr"]}`;
  };

/** What a check of the API's returns. It throws what is wrong. */
export const checked =
  <Taken>(check: (value: string) => Taken): Column<Taken> =>
  (value) => {
    if (typeof value !== "string") return refused;
    try {
      return check(value);
    } catch (error) {
      if (error instanceof ApiError) return refused;
      throw error;
    }
  };

export const list =
  (column: Column): Column =>
  (value, row) =>
    Array.isArray(value) ? value.map((one) => column(one, row)).filter((one) => one !== refused) : [];
