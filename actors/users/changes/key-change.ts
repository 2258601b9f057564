/** New API keys. With the commit the old key, all log-ins, and polls that wait with either end on every node. */

import { deleteOneTimeLinks } from "../../../storage/email/one-time-links.ts";
import type { SessionId } from "../../../storage/ids.ts";
import { deleteBrowsersOf } from "../../../storage/notifications/browsers.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { updateApiKey, updatePassword } from "../../../storage/users/credentials.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import type { Tx } from "../../realm/transaction.ts";
import { endSessionsOf } from "./sessions.ts";

/**
 * Returns the row as it will be, and the new key, which nobody has been told.
 *
 * @param keptSession the caller's own, which is given another token
 */
export function changeKey(tx: Tx, user: UserRow, keptSession?: SessionId): { user: UserRow; apiKey: string } {
  tx.audit({ type: "user_api_key_changed", userIds: [user.id] });
  const next = endPolls(tx, user);
  const apiKey = generateApiKey();
  tx.write((sql) => updateApiKey(sql, user.id, apiKey));
  tx.write((sql) => deleteBrowsersOf(sql, user.id, "own key"));
  endSessionsOf(tx, user.id, keptSession);
  return { user: next, apiKey };
}

/**
 * Gives an account another password; log-ins end, and links by which it could be changed. Returns the row as it will
 * be.
 *
 * @param keptSession the caller's own, which is given another token
 */
export function setPassword(tx: Tx, user: UserRow, passwordHash: string, keptSession?: SessionId): UserRow {
  tx.audit({ type: "user_password_changed", userIds: [user.id] });
  tx.write((sql) => updatePassword(sql, user.id, passwordHash));
  endSessionsOf(tx, user.id, keptSession);
  tx.write((sql) => deleteOneTimeLinks(sql, user.id, "password"));
  return endPolls(tx, user);
}

/**
 * Has every node look up the account's key and log-ins again, and ends its waiting polls. Returns the row as it will
 * be.
 */
export function endPolls(tx: Tx, user: UserRow): UserRow {
  const next = { ...user, api_key_version: user.api_key_version + 1 };
  tx.put("users", next);
  return next;
}
