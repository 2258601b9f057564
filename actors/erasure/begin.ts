/**
 * Erasing a person's data, by whoever runs the server. The account is deleted at once: nobody can use it, and it has
 * its new name. Then everything else goes in parts, a command each. The row of the erasure says how far it is, so that
 * anybody can go on with it (`walk.ts`).
 *
 * | Rule | What                                   | Becomes of it                                              |
 * | ER1  | profile, keys, log-ins, devices        | gone at once; name and address are the account's id        |
 * | ER2  | messages that the person wrote         | stay under the new name, or are deleted: as is asked       |
 * | ER3  | mentions, in texts and earlier texts   | silent ones of the new name; a message under a hold stays  |
 * | ER4  | reactions, and votes in others' polls  | gone                                                       |
 * | ER5  | files that no message names            | gone; the others go as messages do                         |
 * | ER6  | a person under a legal hold            | nothing goes                                               |
 * | ER7  | what is deleted under another hold     | a copy stays until that hold ends                          |
 * | ER8  | an erasure that was ended              | goes on where it was, within a minute                      |
 */
import { defined } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import {
  type ErasedCounts,
  type Erasure,
  findErasure,
  finishErasure,
  noteErased,
  putErasure,
} from "../../storage/personal/erasures.ts";
import { deleteMailTo, giveUpUploads } from "../../storage/personal/traces.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { command } from "../realm/command.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { operatorOf } from "../users/changes/operator.ts";
import { deleteAccount, refuseHeld } from "../users/changes/states.ts";

/** A person whose data can be erased, or was. @throws BAD_REQUEST */
export function accessPerson(state: RealmState, userId: UserId): UserRow {
  const user = state.users.get(userId);
  if (!user || user.is_bot || user.is_system_bot) throw badRequest("No such user");
  return user;
}

export interface BeginErasureArgs {
  /** Not `userId`: it is not they who ask. */
  personId: UserId;
  deletesMessages: boolean;
}

/** Begins an erasure, or goes on with one; then also with the messages that it left. @throws BAD_REQUEST */
export const beginErasure = command(async (tx: Tx, { personId: userId, deletesMessages }: BeginErasureArgs) => {
  const user = accessPerson(tx.state, userId);
  const before = await findErasure(tx.sql, tx.realmId, userId);
  if (before?.deletes_messages && !deletesMessages)
    throw badRequest("This person's messages are deleted already: say --messages delete.");
  if (user.is_deleted) await refuseHeld(tx, userId);
  else {
    await deleteAccount(tx, operatorOf(tx.state), userId, user);
    tx.write((sql) => deleteMailTo(sql, tx.realmId, user.delivery_email));
  }
  const names = user.is_deleted ? [] : [user.full_name];
  tx.write((sql) => giveUpUploads(sql, tx.realmId, userId));
  tx.write((sql) => putErasure(sql, tx.realmId, { userId, deletesMessages, names }, tx.now));
  tx.audit({ type: "user_erasure_begun", userIds: [userId], after: { deletes_messages: deletesMessages } });
  return {};
});

/** The erasure that a part is of. Undefined: it has ended. @throws BAD_REQUEST while the person is under a hold */
export async function accessErasure(tx: Tx, userId: UserId): Promise<{ erasure: Erasure; user: UserRow } | undefined> {
  const erasure = await findErasure(tx.sql, tx.realmId, userId);
  if (!erasure || erasure.finished_at !== null) return undefined;
  await refuseHeld(tx, userId);
  return { erasure, user: defined(tx.state.users.get(userId), "erased account") };
}

/** Adds to what went. */
export function countErased(tx: Tx, userId: UserId, counts: ErasedCounts): void {
  tx.write((sql) => noteErased(sql, tx.realmId, userId, tx.now, { counts }));
}

/** Ends an erasure whose parts are all done. */
export const endErasure = command(async (tx: Tx, { personId: userId }: { personId: UserId }) => {
  const found = await accessErasure(tx, userId);
  if (!found) return {};
  tx.write((sql) => finishErasure(sql, tx.realmId, userId, tx.now));
  const { deletes_messages, counts } = found.erasure;
  tx.audit({ type: "user_erased", userIds: [userId], after: { deletes_messages, ...counts } });
  return {};
});
