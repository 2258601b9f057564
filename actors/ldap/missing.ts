/**
 * Ends accounts whose people are not in their directory any more. The job looks every quarter of an hour. A first look
 * that misses somebody only says so, in the log and the audit log. The next one ends the account, unless they are back.
 * More than a tenth of all at once is a mistake of somebody's until whoever runs the server says that it is none.
 * Organizations that nobody has loaded are loaded where somebody is missing, and nowhere else.
 */
import type { IdentityId, RealmId, UserId } from "../../storage/ids.ts";
import { findRealms } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import {
  findIdentityById,
  findLinkedAmong,
  findLinkedIdentities,
  noteIdentitiesMissing,
} from "../../storage/users/identities.ts";
import { ApiError } from "../errors.ts";
import { type Directory, directoryAt, directoryOf, issuerOf } from "../identities/directories.ts";
import { command } from "../realm/command.ts";
import type { RealmEnvironment } from "../realm/environment.ts";
import type { Job } from "../realm/job.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { JobRealm } from "../realm/served.ts";
import type { Tx } from "../realm/transaction.ts";
import { operatorOf } from "../users/changes/operator.ts";
import { endAccount } from "../users/changes/states.ts";
import { everybodyIn } from "./client.ts";
import { byDirectory } from "./keep.ts";

/** Of those whom the directory knew, at most this part ends at once, rounded up. */
const largestPart = 1 / 10;
const lookEverySecs = 900;
/** Two looks are this far apart: another node that takes the organization over looks at once. */
const apartSecs = 600;

/** Somebody whom the directory has no more. */
interface Missing {
  identityId: IdentityId;
  user: UserRow;
  /** UNIX seconds of the first look that missed them; null: this one. */
  since: number | null;
}

export interface Look {
  /** Active accounts that are linked with somebody in the directory. */
  known: number;
  missing: readonly Missing[];
  /** Those who are back after they were missed. */
  back: readonly IdentityId[];
  /** So many may end at once. */
  limit: number;
}

/** Whom a directory has no more. Changes nothing. @throws where the directory does not tell all whom it has */
export async function lookForMissing(realm: RealmReader, directory: Directory): Promise<Look> {
  // Read first: whoever joins meanwhile is not missed.
  const rows = await findLinkedIdentities(realm.database.sql, realm.id, issuerOf(directory));
  const linked = rows.flatMap((row) => {
    const user = realm.state.users.get(row.user_id);
    return user?.is_active ? [{ row, user }] : [];
  });
  if (linked.length === 0) return { known: 0, missing: [], back: [], limit: 0 };
  const there = await everybodyIn(directory, realm.environment.clock());
  const missing = linked.filter(({ row }) => !there.has(row.subject));
  return {
    known: linked.length,
    missing: missing.map(({ row, user }) => ({ identityId: row.id, user, since: row.missing_since })),
    back: linked.flatMap(({ row }) => (row.missing_since !== null && there.has(row.subject) ? [row.id] : [])),
    limit: Math.ceil(linked.length * largestPart),
  };
}

/** Ends these accounts. Returns those that ended: the last owner does not. */
export async function endMissing(realm: JobRealm, missing: readonly Missing[]): Promise<UserRow[]> {
  const ended: UserRow[] = [];
  for (const { identityId, user } of missing) {
    try {
      await realm.execute("endDirectoryAccount", { userId: user.id, identityId }, byDirectory);
      ended.push(user);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 503) throw error;
      const { log } = realm.environment;
      log.warn({ realm: realm.id, user: user.id, reason: error.message }, "an account outlasts its directory");
    }
  }
  return ended;
}

/**
 * The organizations among those that nobody has loaded whose directory has somebody no more, or again. Each directory
 * is asked once, for all of them. One that does not answer is asked again the next time.
 */
async function findAsleep(environment: RealmEnvironment, asleep: readonly RealmId[]): Promise<RealmId[]> {
  const { database, log } = environment;
  const isAsleep = new Set(asleep);
  const byDirectory = new Map<Directory, RealmId[]>();
  for (const { id, host, is_deactivated } of await findRealms(database.sql)) {
    const directory = directoryAt(environment, new URL(environment.urlOf(host)).host);
    if (is_deactivated || !isAsleep.has(id) || !directory?.deactivates) continue;
    byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), id]);
  }
  const found = new Set<RealmId>();
  for (const [directory, ids] of byDirectory) {
    const linked = await findLinkedAmong(database.sql, ids);
    const theirs = linked.filter(({ issuer }) => issuer === issuerOf(directory));
    if (theirs.length === 0) continue;
    try {
      const there = await everybodyIn(directory, environment.clock());
      for (const { realm_id, subject, missing_since } of theirs)
        if (!there.has(subject) || missing_since !== null) found.add(realm_id);
    } catch (error) {
      log.warn({ directory: directory.name, err: error }, "a directory does not tell whom it has");
    }
  }
  return [...found];
}

export const missingPeopleJob: Job = {
  name: "end accounts whom their directory has no more",
  everySecs: lookEverySecs,
  isOn: ({ directories }) => [...directories.values()].some(({ deactivates }) => deactivates),
  findAsleep,
  async run(realm, now) {
    const directory = directoryOf(realm.state);
    if (!directory?.deactivates) return;
    const { known, missing, back, limit } = await lookForMissing(realm, directory);
    const { log } = realm.environment;
    const about = { realm: realm.id, directory: directory.name, known, missing: missing.length, limit };
    if (missing.length > limit) {
      log.warn(about, "a directory misses too many people: parley ldap sync says whom, and ends their accounts");
      return;
    }
    const isNew = missing.filter(({ since }) => since === null);
    if (isNew.length + back.length > 0) {
      const missed = isNew.map(({ identityId, user }) => ({ identityId, userId: user.id }));
      await realm.execute("noteMissingPeople", { missed, back }, byDirectory);
    }
    for (const { user } of isNew) log.warn({ ...about, user: user.id }, "a directory has somebody no more");
    await endMissing(
      realm,
      missing.filter(({ since }) => since !== null && since + apartSecs <= now),
    );
  },
};

/** Notes who is missed from now on, and who is back. */
export const noteMissingPeople = command(
  (tx: Tx, args: { missed: { identityId: IdentityId; userId: UserId }[]; back: readonly IdentityId[] }) => {
    const missed = args.missed.map(({ identityId }) => identityId);
    tx.write((sql) => noteIdentitiesMissing(sql, tx.realmId, missed, tx.now));
    tx.write((sql) => noteIdentitiesMissing(sql, tx.realmId, args.back, null));
    for (const { userId } of args.missed)
      tx.audit({ type: "user_missing_in_directory", userIds: [userId], merges: true });
    return {};
  },
);

/** Ends an account, if it is still that of whom the directory has no more. @throws CANNOT_DEACTIVATE_LAST_USER */
export const endDirectoryAccount = command(
  async (tx: Tx, { userId, identityId }: { userId: UserId; identityId: IdentityId }) => {
    const row = await findIdentityById(tx.sql, tx.realmId, identityId);
    const user = tx.user(userId);
    if (row?.state !== "linked" || row.user_id !== userId || !user.is_active) return {};
    endAccount(tx, operatorOf(tx.state), user);
    return {};
  },
);
