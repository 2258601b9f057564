/** How PostgreSQL fails, in the kinds that callers tell apart, and what throws where a rule of ours does not hold. */

/** PostgreSQL could not be reached, or went away with the outcome unknown. The caller answers 503. */
export class StorageUnavailable extends Error {
  override name = "StorageUnavailable";
}

/** An answer did not come, and PostgreSQL is not working on it: what was asked for may or may not be done. */
export class Overdue extends StorageUnavailable {
  override name = "Overdue";
}

/** PostgreSQL is there, and can take no changes: nothing was done. Reads go on. The caller answers 503. */
export class StorageRefusesChanges extends StorageUnavailable {
  override name = "StorageRefusesChanges";
}

/**
 * PostgreSQL ended a transaction that others were in the way of, and undid it: tried again it may succeed. The caller
 * does so, or answers 503.
 */
export class StorageConflict extends StorageUnavailable {
  override name = "StorageConflict";
}

/** The store of files does not answer, or not as it should. Somebody who asks again later may succeed. */
export class FilesUnavailable extends Error {
  override name = "FilesUnavailable";
}

/** The store is still putting a file together of which all parts have come. Nobody has to bring them again. */
export class BeingPutTogether extends FilesUnavailable {
  override name = "BeingPutTogether";
}

/** PostgreSQL ended a statement that took longer than it may, or that nobody waits for any more. */
export class StatementEnded extends Error {
  override name = "StatementEnded";
}

/** A row with that key is there already; `constraint` names the index that said so. */
export class UniqueViolation extends Error {
  override name = "UniqueViolation";
  constructor(readonly constraint: string) {
    super(`unique constraint ${constraint}`);
  }
}

/** A row names another one that is gone; `constraint` says by which column. */
export class MissingReference extends Error {
  override name = "MissingReference";
  constructor(readonly constraint: string) {
    super(`foreign key ${constraint}`);
  }
}

const unavailableCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "25P03",
  "25P04",
  "53300",
  "08006",
  "08001",
  "08003",
]);

/** Serialization failure, deadlock, and a lock that was not to be had in the time that is set up in PostgreSQL. */
const conflictCodes = new Set(["40001", "40P01", "55P03"]);

export const refusals: Readonly<Record<string, string>> = {
  "53100": "the disk of the database is full",
  "53200": "the database is out of memory",
  "25006": "the database is read-only",
};

/** Somebody has deleted the organization. */
export class RealmGone extends Error {
  override name = "RealmGone";
}

/** Whether PostgreSQL has said that nothing was done. */
export const isUndone = (error: unknown): error is StorageRefusesChanges | StorageConflict =>
  error instanceof StorageRefusesChanges || error instanceof StorageConflict;

/** Whether PostgreSQL, or the connection to it, may be gone, and the outcome is unknown. */
export const mayBeLoss = (error: unknown): error is StorageUnavailable =>
  error instanceof StorageUnavailable && !isUndone(error);

/** What an error says. Whatever else was thrown is told as it is. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code of an error of the system or of a driver, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The constraint that PostgreSQL names in a refusal. */
const constraintOf = (error: unknown): string =>
  error instanceof Error && "constraint_name" in error ? String(error.constraint_name) : "";

/** Turns a driver's error into one of storage's own kinds; leaves every other error as it is. */
export function translate(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "57014") return new StatementEnded("PostgreSQL ended a statement before it was done");
  if (code === "23505") return new UniqueViolation(constraintOf(error));
  if (code !== undefined && conflictCodes.has(code))
    return new StorageConflict(`PostgreSQL undid a transaction for the sake of others: ${code}`);
  if (code === "23503") return new MissingReference(constraintOf(error));
  if (code !== undefined && unavailableCodes.has(code))
    return new StorageUnavailable(`PostgreSQL is not there: ${code}`);
  if (code !== undefined && refusals[code] !== undefined) return new StorageRefusesChanges(refusals[code]);
  return error;
}

/** The value. @throws if it is not there: a rule of ours does not hold, and what was begun must not go on */
export function defined<T>(value: T | null | undefined, what: string): T {
  if (value === undefined || value === null) throw new Error(`there is no ${what}`);
  return value;
}

/** The row of a statement that always answers with one: an aggregate, an insert with `returning`, a key known to be. */
export const onlyRow = <Row>(rows: readonly Row[]): Row => defined(rows[0], "row");

/** The last of a list that has one. */
export const lastOf = <T>(list: { at(place: number): T | undefined }): T =>
  defined(list.at(-1), "last of an empty list");

/** The first of a list that has one. */
export const firstOf = <T>(list: readonly T[]): T => defined(list[0], "first of an empty list");

/** The key that was put into a map or a set before all others that are still in it. It is not empty. */
export const oldestOf = <K>(kept: ReadonlyMap<K, unknown> | ReadonlySet<K>): K =>
  defined(kept.keys().next().value, "oldest of nothing");

/** A text up to where the separator first stands in it, or all of it. */
export const upTo = (text: string, separator: string | RegExp): string => text.split(separator, 1)[0] ?? "";
