/** What callers are told when the commit of their change failed. */
import {
  isUndone,
  StorageConflict,
  StorageRefusesChanges,
  StorageUnavailable,
  UniqueViolation,
} from "../../../storage/postgres.ts";
import { WriterFenced } from "../../../storage/realm-log.ts";
import { errors } from "../../errors.ts";
import { NotBegun, type Pending } from "./work.ts";

/** Names the command that made a shared transaction fail. */
export class CommandFailed extends Error {
  constructor(
    readonly pending: Pending,
    override readonly cause: unknown,
  ) {
    super("a command failed");
  }
}

/**
 * Two names that differ in JavaScript can be equal in PostgreSQL's lower case (Greek has two small sigmas). PostgreSQL
 * decides.
 */
export function refusalOf(error: unknown): unknown {
  if (isUndone(error)) return outcomeOf(error);
  return error instanceof UniqueViolation ? errors.BAD_REQUEST("That name or address is already in use.") : error;
}

export function outcomeOf(error: unknown): unknown {
  // Undone: whoever waits has it tried again.
  if (error instanceof WriterFenced || error instanceof StorageConflict) return new NotBegun();
  if (error instanceof StorageRefusesChanges)
    return errors.SERVICE_UNAVAILABLE(`Nothing was done: ${error.message}. Reading goes on.`);
  if (error instanceof StorageUnavailable) {
    return errors.SERVICE_UNAVAILABLE(
      "The database went away while this request was being stored: it may or may not have been done.",
    );
  }
  return error;
}
