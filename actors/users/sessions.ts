/** Browsers' log-ins. */
import { findSession as findStored, insertSession, type SessionRow } from "../../storage/users/sessions.ts";
import type { RealmReader } from "../realm/reader.ts";

/** A log-in that is not over, with its account's `api_key_version` as of the same moment. */
export function findSession(
  { database, environment }: RealmReader,
  tokenHash: Buffer,
): Promise<(SessionRow & { api_key_version: number }) | undefined> {
  return findStored(database.sql, tokenHash, environment.clock());
}

/** Notes that a browser is logged in. One log-in too many ends the account's oldest. */
export function addSession(realm: RealmReader, session: Omit<SessionRow, "realm_id">): Promise<void> {
  return insertSession(realm.database.sql, { ...session, realm_id: realm.id });
}
