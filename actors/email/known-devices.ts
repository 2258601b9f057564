/** What people log in with: of a log-in with anything else they are told, unless they do not want to be. */
import { createHash } from "node:crypto";
import type { UserRow } from "../../storage/rows.ts";
import { isRemembered, rememberDevice } from "../../storage/users/known-devices.ts";
import type { RealmReader } from "../realm/reader.ts";
import { userSetting } from "../users/settings/settings.ts";
import { type LogIn, newDeviceLetter } from "./letters.ts";
import { queueEmailsNow } from "./queue.ts";

const hashOf = (mark: string): Buffer => createHash("sha256").update(mark).digest();

/** Whether somebody has logged in with it before. That nobody has, of no account, takes as long to tell. */
export function isKnownDevice({ database }: RealmReader, user: UserRow | undefined, mark: string): Promise<boolean> {
  return isRemembered(database.sql, user?.id, hashOf(mark));
}

/** @param mark tells what somebody logs in with from everything else; only a hash of it is kept */
export async function noteDevice(realm: RealmReader, user: UserRow, mark: string, login: LogIn): Promise<void> {
  const isNew = await rememberDevice(realm.database.sql, {
    user_id: user.id,
    realm_id: realm.id,
    device_hash: hashOf(mark),
    seen_at: login.at,
  });
  // Who logs in for the first time, or has just joined, knows.
  if (!isNew || user.first_login_at === null || !userSetting(user, "enable_login_emails")) return;
  const letter = newDeviceLetter(realm.state, user, login);
  await queueEmailsNow(realm, { kind: "login", recipient: user.delivery_email, letter });
}
