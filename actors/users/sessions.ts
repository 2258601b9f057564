/** Browsers' log-ins. */
import type { UserId } from "../../storage/ids.ts";
import {
  countSessions as countStored,
  deleteOtherSessions,
  deleteSession,
  findSession as findStored,
  insertSession,
  type SessionRow,
} from "../../storage/users/sessions.ts";
import type { RealmReader } from "../realm/reader.ts";

/** A log-in that is still valid, with its account's `api_key_version` at the same moment. */
export function findSession(
  { database, environment }: RealmReader,
  tokenHash: Buffer,
): Promise<(SessionRow & { api_key_version: number }) | undefined> {
  return findStored(database.sql, tokenHash, environment.clock());
}

/** Stores that a browser is logged in. Beyond the limit the account's oldest log-in ends. */
export function addSession(realm: RealmReader, session: Omit<SessionRow, "realm_id">): Promise<void> {
  return insertSession(realm.database.sql, { ...session, realm_id: realm.id });
}

/** Logs a browser out. */
export function endSession({ database }: RealmReader, tokenHash: Buffer): Promise<void> {
  return deleteSession(database.sql, tokenHash);
}

/** Logs a person's other browsers out. Returns their number. */
export function endOtherSessions({ database }: RealmReader, userId: UserId, keptHash: Buffer): Promise<number> {
  return deleteOtherSessions(database.sql, userId, keptHash);
}

/** The number of browsers in which a person is logged in. */
export function countSessions({ database, environment }: RealmReader, userId: UserId): Promise<number> {
  return countStored(database.sql, userId, environment.clock());
}
