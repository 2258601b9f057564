/**
 * A log-in between the first factor and the second. The browser holds it, sealed: no node stores anything for people
 * who only know a password, and any node takes the second step.
 */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { secretKeyOf } from "../../../storage/users/credentials.ts";
import type { RealmReader } from "../../realm/reader.ts";

/** Long enough to find the telephone. */
const validSecs = 600;
/** Characters. The longest place and a pad need less. */
const maxLength = 8192;

interface Pending<Begun> {
  userId: UserId;
  /** `api_key_version`: another password ends it. */
  version: number;
  expiresAt: number;
  /** What the log-in needs to go on. */
  begun: Begun;
}

const about = ({ id }: RealmReader): string => `log-in to organization ${id}`;

export function sealPendingLogIn(realm: RealmReader, user: UserRow, begun: object): string {
  const expiresAt = realm.environment.clock() + validSecs;
  const pending: Pending<object> = { userId: user.id, version: user.api_key_version, expiresAt, begun };
  return secretKeyOf(realm.database.sql).seal(about(realm), JSON.stringify(pending)).toString("base64url");
}

/** Whose log-in it is, and what was sealed with it; undefined for one that is over, and for what is none. */
export function openPendingLogIn<Begun>(
  realm: RealmReader,
  sealed: string,
): { user: UserRow; begun: Begun } | undefined {
  if (sealed.length > maxLength) return undefined;
  let pending: Pending<Begun>;
  try {
    const opened = secretKeyOf(realm.database.sql).open(about(realm), Buffer.from(sealed, "base64url"));
    pending = JSON.parse(opened);
  } catch {
    return undefined;
  }
  const user = realm.state.users.get(pending.userId);
  const isGood = pending.expiresAt > realm.environment.clock() && user?.api_key_version === pending.version;
  return user?.is_active && isGood ? { user, begun: pending.begun } : undefined;
}
