/** Browsers' log-ins. A log-in ends with everything that was opened through it: queues, waiting polls, streams. */
import type { IdentityId, SessionId, UserId } from "../../../storage/ids.ts";
import {
  deleteSession,
  deleteSessionsOf,
  findSessionsOf,
  findSession as findStored,
  insertSession,
  noteSessionSeen,
  noteConfirmed as noteStored,
  replaceToken as replaceStored,
  type SessionRow,
} from "../../../storage/users/sessions.ts";
import { notFound } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { idleRuleOf } from "../log-ins/policy.ts";

/** Characters of a User-Agent that are kept. Those of browsers have about 150. */
const maxUserAgent = 300;
/** Characters of an address. The longest that there are have 45. */
const maxAddress = 64;

/** With what a browser comes, and from where. */
export interface Browser {
  userAgent: string;
  ipAddress: string;
}

/** The identity by which somebody logged in, and the provider's name for their log-in there. */
export interface CameBy {
  identityId: IdentityId;
  providerSession: string | null;
}

const kept = ({ userAgent, ipAddress }: Browser) => ({
  user_agent: userAgent.replace(/\p{Cc}/gu, "").slice(0, maxUserAgent),
  ip_address: ipAddress.slice(0, maxAddress),
});

/** A log-in that is still valid, with its account's `api_key_version` at the same moment. */
export async function findSession(
  { state, database, environment }: RealmReader,
  tokenHash: Buffer,
): Promise<(SessionRow & { api_key_version: number }) | undefined> {
  const now = environment.clock();
  const found = await findStored(database.sql, tokenHash, now);
  const { endsAfterSecs } = idleRuleOf(state);
  const isIdle = endsAfterSecs !== undefined && found !== undefined && found.last_seen <= now - endsAfterSecs;
  return isIdle ? undefined : found;
}

/** Stores that a browser is logged in. Beyond the limit the account's oldest log-in ends. */
export function addSession(
  { id, database, environment }: RealmReader,
  session: Pick<SessionRow, "token_hash" | "user_id" | "csrf_token" | "expires_at">,
  browser: Browser,
  cameBy?: CameBy,
): Promise<void> {
  const now = environment.clock();
  const times = { date_created: now, last_seen: now, confirmed_at: now };
  const identity = { identity_id: cameBy?.identityId ?? null, provider_session: cameBy?.providerSession ?? null };
  return insertSession(database.sql, { ...session, ...kept(browser), ...times, ...identity, realm_id: id });
}

/** Notes that the person of a log-in has shown again, by a password or a code, who they are. */
export function noteConfirmed({ database, environment }: RealmReader, tokenHash: Buffer): Promise<void> {
  return noteStored(database.sql, tokenHash, environment.clock());
}

/** Notes that a log-in is in use, about once an hour, oftener where idle ones end. Undefined: it was noted lately. */
export function noteSeen(
  { state, database, environment }: RealmReader,
  { token_hash, last_seen }: Pick<SessionRow, "token_hash" | "last_seen">,
  browser: Browser,
): Promise<void> | undefined {
  const now = environment.clock();
  const { notedEverySecs } = idleRuleOf(state);
  if (last_seen > now - notedEverySecs) return undefined;
  return noteSessionSeen(database.sql, { token_hash, last_seen: now, ...kept(browser) }, notedEverySecs);
}

/** Gives a log-in another token, after which the old one is good for nothing. */
export function replaceToken(
  { database }: RealmReader,
  tokenHash: Buffer,
  next: Pick<SessionRow, "token_hash" | "csrf_token" | "expires_at">,
): Promise<void> {
  return replaceStored(database, tokenHash, next);
}

/** The log-ins of a person, the one seen last first. */
export function readSessions({ database, environment }: RealmReader, userId: UserId): Promise<SessionRow[]> {
  return findSessionsOf(database.sql, userId, environment.clock());
}

/** Ends one log-in of the caller. @throws a 404 for one that has ended, or is somebody else's */
export const endSession = command(async (tx: Tx, { actorId, id }: { actorId: UserId; id: SessionId }) => {
  const user = tx.user(actorId);
  await endOne(tx, user.id, id);
  return {};
});

/** Ends the caller's log-ins, but for the one that is named. Returns their number. */
export const endOtherSessions = command(
  async (tx: Tx, { actorId, keptId }: { actorId: UserId; keptId: SessionId | undefined }) => {
    const user = tx.user(actorId);
    const ended = (await findSessionsOf(tx.sql, user.id, tx.now)).filter(({ id }) => id !== keptId);
    endSessionsOf(tx, user.id, keptId);
    if (ended.length > 0)
      tx.audit({ type: "user_sessions_ended", userIds: [user.id], before: { session_ids: ended.map(({ id }) => id) } });
    return { ended: ended.length };
  },
);

/** @throws a 404 */
export async function endOne(tx: Tx, userId: UserId, id: SessionId): Promise<void> {
  const sessions = await findSessionsOf(tx.sql, userId, tx.now);
  if (!sessions.some((session) => session.id === id)) throw notFound("Session does not exist.");
  tx.audit({ type: "user_sessions_ended", userIds: [userId], before: { session_ids: [id] } });
  tx.write((sql) => deleteSession(sql, userId, id));
  tx.endSessions({ userId, ids: [id] });
}

/** Ends every log-in of an account, but perhaps for one. */
export function endSessionsOf(tx: Tx, userId: UserId, keptId?: SessionId): void {
  tx.write((sql) => deleteSessionsOf(sql, userId, keptId));
  tx.endSessions({ userId, ...(keptId !== undefined && { exceptId: keptId }) });
}
