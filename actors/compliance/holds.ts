/**
 * Legal holds. Owners put a person, a channel or what a search finds under a hold. Whoever deletes such a message, and
 * retention as well, takes it from everybody's sight. A copy is kept aside until the last hold on it ends.
 * Compliance exports have the copy (`export.ts`). The account of a held person cannot be deleted.
 */
import type { ChannelId, HoldId, UserId } from "../../storage/ids.ts";
import { deleteLegalHold, findLegalHolds, insertLegalHold } from "../../storage/messages/legal-holds.ts";
import { badRequest, notFound } from "../errors.ts";
import { requireOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { Tx } from "../realm/transaction.ts";
import { isLonger } from "../text/texts.ts";
import { deleteFiles } from "../uploads/deleted-files.ts";
import { operatorOf } from "../users/changes/operator.ts";

/** Holds that one organization may have: each is looked at when something is deleted. */
const maxHolds = 100;
const maxName = 100;
const maxQuery = 500;

export interface AddHoldArgs {
  /** undefined: whoever runs the server. */
  actorId: UserId | undefined;
  name: string;
  userId?: UserId | undefined;
  channelId?: ChannelId | undefined;
  query?: { text: string; words: string } | undefined;
}

/** @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const addLegalHold = command(async (tx: Tx, { actorId, name, userId, channelId, query }: AddHoldArgs) => {
  const actor = actorId === undefined ? operatorOf(tx.state) : tx.user(actorId);
  requireOwner(actor);
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("The hold needs a name.");
  if (isLonger(trimmed, maxName)) throw badRequest(`name is too long (limit: ${maxName} characters)`);
  if ([userId, channelId, query].filter((one) => one !== undefined).length !== 1)
    throw badRequest("A hold is on one of user_id, channel_id and query.");
  if (userId !== undefined && !tx.state.users.has(userId)) throw badRequest("Invalid user ID");
  if (channelId !== undefined && !tx.state.channels.has(channelId)) throw badRequest("Invalid channel ID");
  if (query !== undefined && (query.text.trim() === "" || isLonger(query.text, maxQuery)))
    throw badRequest(`query has no words, or is too long (limit: ${maxQuery} characters)`);
  if ((await findLegalHolds(tx.sql, tx.realmId)).length >= maxHolds)
    throw badRequest(`An organization can have at most ${maxHolds} legal holds.`);
  const hold = {
    id: await tx.id("object_ids"),
    realm_id: tx.realmId,
    name: trimmed,
    user_id: userId ?? null,
    channel_id: channelId ?? null,
    query: query?.text ?? null,
    creator_id: actor.id,
    date_created: tx.now,
  };
  tx.write((sql) => insertLegalHold(sql, hold, query?.words));
  const { realm_id: _realm, creator_id: _creator, date_created: _date, ...after } = hold;
  tx.audit({ type: "realm_legal_hold_created", after });
  return { id: hold.id };
});

/** Ends a hold, and deletes what was kept for it alone. @throws UNAUTHORIZED_PRINCIPAL, a 404 */
export const endLegalHold = command(async (tx: Tx, { actorId, id }: { actorId: UserId | undefined; id: HoldId }) => {
  requireOwner(actorId === undefined ? operatorOf(tx.state) : tx.user(actorId));
  const hold = (await findLegalHolds(tx.sql, tx.realmId)).find((one) => one.id === id);
  if (!hold) throw notFound("Legal hold does not exist.");
  deleteFiles(tx, await deleteLegalHold(tx.sql, tx.realmId, id));
  tx.audit({ type: "realm_legal_hold_ended", before: { id, name: hold.name } });
  return {};
});

/** The organization's holds, the oldest first. */
export async function readLegalHolds({ id, database }: RealmReader) {
  const holds = await findLegalHolds(database.sql, id);
  return holds.map(({ realm_id: _, ...hold }) => hold);
}
