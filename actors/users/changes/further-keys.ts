/**
 * Further API keys of a person, beside the one that clients are shown. Each has a name, may do less, and ends by itself
 * or is ended alone. Only a hash of one is stored.
 */
import { createHash } from "node:crypto";
import type { SessionId, UserId } from "../../../storage/ids.ts";
import { translate } from "../../../storage/postgres.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import {
  deleteFurtherKeysOf,
  deleteSession,
  type FurtherKeyRow,
  findFurtherKeysOf,
  findFurtherKey as findStored,
  insertFurtherKey,
  type KeyScope,
  neverEnds,
} from "../../../storage/users/sessions.ts";
import { badRequest, notFound } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLonger } from "../../text/texts.ts";
import { endPolls } from "./key-change.ts";

/** Keys that one person may have: more than anybody has programs, and few enough to look through. */
const maxKeys = 25;
const maxName = 60;

const hashOf = (apiKey: string): Buffer => createHash("sha256").update(apiKey).digest();

interface AddArgs {
  actorId: UserId;
  name: string;
  scope: KeyScope;
  /** undefined: it does not end. */
  validSecs?: number | undefined;
}

/** Makes a key, which is told this once. The caller has asked for the password. @throws BAD_REQUEST */
export const addFurtherKey = command(async (tx: Tx, { actorId, name, scope, validSecs }: AddArgs) => {
  const user = tx.user(actorId);
  if (user.is_bot) throw badRequest("Bots have one API key.");
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("The key needs a name.");
  if (isLonger(trimmed, maxName)) throw badRequest(`name is too long (limit: ${maxName} characters)`);
  if ((await findFurtherKeysOf(tx.sql, user.id, tx.now)).length >= maxKeys)
    throw badRequest(`You can have at most ${maxKeys} further API keys.`);
  const apiKey = generateApiKey();
  const row = {
    id: await tx.id("object_ids"),
    token_hash: hashOf(apiKey),
    realm_id: tx.realmId,
    user_id: user.id,
    name: trimmed,
    scope,
    date_created: tx.now,
    expires_at: validSecs === undefined ? neverEnds : tx.now + validSecs,
  };
  tx.write((sql) => insertFurtherKey(sql, row));
  const { id, name: called, expires_at } = row;
  tx.audit({ type: "user_further_key_created", userIds: [user.id], after: { id, name: called, scope, expires_at } });
  return { id: row.id, api_key: apiKey };
});

/** Ends one of the caller's keys, with the queues, polls and streams that it opened. @throws a 404 */
export const endFurtherKey = command(async (tx: Tx, { actorId, id }: { actorId: UserId; id: SessionId }) => {
  const user = tx.user(actorId);
  const keys = await findFurtherKeysOf(tx.sql, user.id, tx.now);
  if (!keys.some((key) => key.id === id)) throw notFound("API key does not exist.");
  tx.write((sql) => deleteSession(sql, user.id, id));
  tx.audit({ type: "user_further_key_ended", userIds: [user.id], before: { id } });
  tx.endSessions({ userId: user.id, ids: [id] });
  // Nodes remember keys that they have looked up.
  endPolls(tx, user);
  return {};
});

/** Ends all of an account's further keys. The caller changes `api_key_version`, by which nodes forget them. */
export async function endFurtherKeysOf(tx: Tx, userId: UserId): Promise<void> {
  const ids = (await findFurtherKeysOf(tx.sql, userId, tx.now)).map(({ id }) => id);
  if (ids.length === 0) return;
  tx.write((sql) => deleteFurtherKeysOf(sql, userId));
  tx.endSessions({ userId, ids });
}

/** The further key that this is, still valid, with its account's `api_key_version` at the same moment. */
export async function findFurtherKey(
  { database, environment }: RealmReader,
  apiKey: string,
): Promise<(FurtherKeyRow & { api_key_version: number }) | undefined> {
  try {
    return await findStored(database.sql, hashOf(apiKey), environment.clock());
  } catch (error) {
    throw translate(error);
  }
}

/** A person's further keys, the newest first. */
export async function readFurtherKeys({ database, environment }: RealmReader, userId: UserId) {
  const rows = await findFurtherKeysOf(database.sql, userId, environment.clock());
  return rows.map(({ id, name, scope, date_created, last_seen, expires_at }) => ({
    id,
    name,
    scope,
    date_created,
    last_used: last_seen === 0 ? null : last_seen,
    expires_at: expires_at === neverEnds ? null : expires_at,
  }));
}
