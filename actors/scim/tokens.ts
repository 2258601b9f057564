/** Tokens by which directories provision accounts. Owners make, see and end them. Only a hash of one is stored. */
import { createHash, randomBytes } from "node:crypto";
import type { ScimTokenId, UserId } from "../../storage/ids.ts";
import { translate } from "../../storage/postgres.ts";
import {
  deleteScimToken,
  findScimTokens,
  findScimToken as findStored,
  insertScimToken,
  noteScimTokenUsed,
  type ScimTokenRow,
} from "../../storage/scim.ts";
import { neverEnds } from "../../storage/users/sessions.ts";
import { badRequest, errors, notFound } from "../errors.ts";
import { isOwner, requireOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { isLonger } from "../text/texts.ts";
import { operatorOf } from "../users/changes/operator.ts";

/** Tokens that one organization may have: one for each directory, and one more while it is exchanged. */
const maxTokens = 10;
const maxName = 60;
/** By which scanners of secrets recognize one. */
const prefix = "parley_scim_";
const tokenPattern = /^parley_scim_[\w-]{43}$/;

const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();

interface AddArgs {
  /** undefined: whoever runs the server. */
  actorId: UserId | undefined;
  name: string;
  /** undefined: it does not end. */
  validSecs?: number | undefined;
}

/** Makes a token, which is told this once. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const addScimToken = command(async (tx: Tx, { actorId, name, validSecs }: AddArgs) => {
  const actor = actorId === undefined ? operatorOf(tx.state) : tx.user(actorId);
  requireOwner(actor);
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("The token needs a name.");
  if (isLonger(trimmed, maxName)) throw badRequest(`name is too long (limit: ${maxName} characters)`);
  if ((await findScimTokens(tx.sql, tx.realmId, tx.now)).length >= maxTokens)
    throw badRequest(`An organization can have at most ${maxTokens} SCIM tokens.`);
  const token = prefix + randomBytes(32).toString("base64url");
  const row = {
    id: await tx.id("object_ids"),
    realm_id: tx.realmId,
    token_hash: hashOf(token),
    name: trimmed,
    creator_id: actor.id,
    date_created: tx.now,
    expires_at: validSecs === undefined ? neverEnds : tx.now + validSecs,
  };
  tx.write((sql) => insertScimToken(sql, row));
  const after = { id: row.id, name: trimmed, expires_at: row.expires_at };
  tx.audit({ type: "realm_scim_token_created", after });
  return { id: row.id, token };
});

/** Ends a token. @throws UNAUTHORIZED_PRINCIPAL, a 404 */
export const endScimToken = command(
  async (tx: Tx, { actorId, id }: { actorId: UserId | undefined; id: ScimTokenId }) => {
    requireOwner(actorId === undefined ? operatorOf(tx.state) : tx.user(actorId));
    const tokens = await findScimTokens(tx.sql, tx.realmId, tx.now);
    if (!tokens.some((token) => token.id === id)) throw notFound("SCIM token does not exist.");
    tx.write((sql) => deleteScimToken(sql, tx.realmId, id));
    tx.audit({ type: "realm_scim_token_ended", before: { id } });
    return {};
  },
);

/** The organization's tokens, the newest first. */
export async function readScimTokens({ id, database, environment }: RealmReader) {
  const rows = await findScimTokens(database.sql, id, environment.clock());
  return rows.map(({ id: tokenId, name, creator_id, date_created, last_used, expires_at }) => ({
    id: tokenId,
    name,
    creator_id,
    date_created,
    last_used: last_used === 0 ? null : last_used,
    expires_at: expires_at === neverEnds ? null : expires_at,
  }));
}

/** The token that this is. It is looked up each time, so one that was ended opens nothing. @throws UNAUTHORIZED */
export async function accessScimToken(realm: RealmReader, token: string): Promise<ScimTokenRow> {
  const { id, database, environment } = realm;
  try {
    const now = environment.clock();
    const row = tokenPattern.test(token) ? await findStored(database.sql, id, hashOf(token), now) : undefined;
    if (!row) throw errors.UNAUTHORIZED("This needs a SCIM token of the organization.");
    // Nothing depends on it, and the next request tries again.
    noteScimTokenUsed(database.sql, row.id, now).catch(() => {});
    return row;
  } catch (error) {
    throw translate(error);
  }
}

/**
 * In whose name a directory acts: that of the owner who made its token, or of another one where they are no owner any
 * more. A company's directory goes on when somebody leaves. @throws BAD_REQUEST where nobody owns the organization
 */
export function actorOf(state: RealmState, { creator_id }: ScimTokenRow): UserId {
  const creator = state.users.get(creator_id);
  return creator?.is_active && isOwner(creator) ? creator.id : operatorOf(state).id;
}
