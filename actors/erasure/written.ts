/**
 * Deleting what somebody wrote whose account ends. It is looked for outside of the writer, some thousand messages at a
 * time; a command deletes a part of what was found.
 */
import { lastOf } from "../../storage/failures.ts";
import type { MessageId, UserId } from "../../storage/ids.ts";
import { findMessages } from "../../storage/messages/messages.ts";
import { findWritten, type WrittenKinds } from "../../storage/personal/traces.ts";
import { maxDeletedAtOnce } from "../messages/changes/delete.ts";
import { erase } from "../messages/changes/erase.ts";
import type { Command } from "../realm/command.ts";
import { memoryOf } from "../realm/memory.ts";
import type { ServedRealm } from "../realm/served.ts";
import { knownTopics } from "../topics/known-topics.ts";
import { checkMayEnd } from "../users/changes/states.ts";

/** Whose account ends, and by whom. */
interface Ending {
  actorId: UserId;
  userId: UserId;
  /** Whether the account is to be deleted for good, which fewer may do. */
  deletesProfile: boolean;
  /** Whether it has just been ended: this is for what was written meanwhile. */
  isEnded: boolean;
}

export interface DeleteWrittenArgs extends Ending {
  /** At most `maxDeletedAtOnce`. */
  ids: readonly MessageId[];
}

/**
 * Deletes some of what a person wrote. It comes before the account ends: who is interrupted can ask for the same again.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, CANNOT_DEACTIVATE_LAST_USER, as ending the account does
 */
export const deleteWritten: Command<DeleteWrittenArgs, object> = ({ realm }, args) => ({
  decide: async (tx) => {
    const { userId, isEnded } = args;
    if (!isEnded) await checkMayEnd(tx, tx.user(args.actorId), userId, args.deletesProfile);
    else if (tx.state.users.get(userId)?.is_active !== false) return {};
    const messages = (await findMessages(tx.sql, tx.realmId, args.ids)).filter(({ sender_id }) => sender_id === userId);
    await erase(tx, messages);
    if (messages.length > 0)
      tx.audit({ type: "user_messages_deleted", userIds: [userId], after: { messages: messages.length } });
    return {};
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});

/** Messages that are looked through at once. */
const window = 5_000;

/** Deletes what a person wrote after a message. Returns the newest message that was looked at. */
export async function walkWritten(
  realm: ServedRealm,
  ending: Ending,
  kinds: WrittenKinds,
  after: MessageId,
): Promise<MessageId> {
  for (let seen = after; ; ) {
    const found = await findWritten(realm.database.sql, realm.id, {
      userId: ending.userId,
      kinds,
      after: seen,
      window,
    });
    const ids = found.filter(({ fits }) => fits).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += maxDeletedAtOnce)
      await realm.execute("deleteWritten", { ...ending, ids: ids.slice(at, at + maxDeletedAtOnce) });
    if (found.length < window) return found.at(-1)?.id ?? seen;
    seen = lastOf(found).id;
  }
}
