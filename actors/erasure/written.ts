/** Deleting what somebody wrote whose account ends. */
import type { MessageId, UserId } from "../../storage/ids.ts";
import { findMessages } from "../../storage/messages/messages.ts";
import { findWritten, type WrittenKinds } from "../../storage/personal/traces.ts";
import { maxDeletedAtOnce } from "../messages/changes/delete.ts";
import { erase } from "../messages/changes/erase.ts";
import type { Command } from "../realm/command.ts";
import { memoryOf } from "../realm/memory.ts";
import { knownTopics } from "../topics/known-topics.ts";
import { checkMayEnd } from "../users/changes/states.ts";

export interface DeleteWrittenArgs {
  actorId: UserId;
  userId: UserId;
  kinds: WrittenKinds;
  /** Only messages after this one. */
  after: MessageId;
  /** Whether the account is to be deleted for good, which fewer may do. */
  deletesProfile: boolean;
  /** Whether it has just been ended: this is for what was written meanwhile. */
  isEnded: boolean;
}

/**
 * Deletes one batch of what a person wrote, the oldest first. It comes before the account ends: who is interrupted can
 * ask for the same again.
 *
 * @returns where the next batch begins; null: nothing is left
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER, as ending the account does
 */
export const deleteWritten: Command<DeleteWrittenArgs, { after: MessageId | null }> = ({ realm }, args) => ({
  decide: async (tx) => {
    const actor = tx.user(args.actorId);
    if (!args.isEnded) await checkMayEnd(tx, actor, args.userId, args.deletesProfile);
    else if (tx.state.users.get(args.userId)?.is_active !== false) return { after: null };
    const ids = await findWritten(tx.sql, tx.realmId, args, maxDeletedAtOnce);
    await erase(tx, await findMessages(tx.sql, tx.realmId, ids));
    return { after: ids.length === maxDeletedAtOnce ? (ids.at(-1) ?? null) : null };
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});
