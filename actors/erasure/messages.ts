/** The parts of an erasure that change messages: those that the person wrote, and those that name the person. */
import type { MessageId, UserId } from "../../storage/ids.ts";
import { findMessageAccess, type MessageAccess } from "../../storage/messages/access.ts";
import { findMessages } from "../../storage/messages/messages.ts";
import { noteErased } from "../../storage/personal/erasures.ts";
import { dropFromLists, findMessagesBy, putRenamed, type RenamedMessage } from "../../storage/personal/traces.ts";
import { maxDeletedAtOnce } from "../messages/changes/delete.ts";
import { erase } from "../messages/changes/erase.ts";
import { showRendering } from "../messages/changes/link-previews.ts";
import { type Command, command } from "../realm/command.ts";
import { memoryOf } from "../realm/memory.ts";
import type { Tx } from "../realm/transaction.ts";
import { knownTopics } from "../topics/known-topics.ts";
import { accessErasure, countErased } from "./begin.ts";
import { namesIn, type Renamed, renamedHistory, renamedHtml, renamedText } from "./names.ts";

/** Deletes one batch of what the person wrote, the oldest first. */
export const eraseMessages: Command<{ personId: UserId }, { more: boolean }> = ({ realm }, { personId: userId }) => ({
  decide: async (tx) => {
    if (!(await accessErasure(tx, userId))?.erasure.deletes_messages) return { more: false };
    const ids = await findMessagesBy(tx.sql, tx.realmId, userId, maxDeletedAtOnce);
    await erase(tx, await findMessages(tx.sql, tx.realmId, ids));
    if (ids.length > 0) countErased(tx, userId, { messages: ids.length });
    return { more: ids.length === maxDeletedAtOnce };
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});

export interface RenameArgs {
  personId: UserId;
  /** Messages that name the person; all have a place in the walk after `erasure.mentions_to`. */
  ids: readonly MessageId[];
  /** How many between them a hold keeps as they are. */
  held: number;
  /** Up to here the walk is done. */
  to: MessageId;
}

/** Calls the person otherwise in some messages. Their readers are told of new HTML, as when a preview comes. */
export const renameMentions = command(async (tx: Tx, { personId: userId, ids, held, to }: RenameArgs) => {
  const found = await accessErasure(tx, userId);
  if (!found) return {};
  const { erasure, user } = found;
  const who = { userId, before: erasure.names, now: user.full_name };
  let mentions = 0;
  for (const message of await findMessageAccess(tx.sql, tx.realmId, null, ids)) {
    const next = renamed(message, who);
    if (!next) continue;
    mentions++;
    tx.write((sql) => putRenamed(sql, tx.realmId, [next]));
    if (next.content === message.content && next.rendered_content === message.rendered_content) continue;
    await showRendering(tx, withoutThem({ ...message, ...next }, userId), next.rendered_content);
  }
  if (ids.length > 0) {
    tx.write((sql) => dropFromLists(sql, tx.realmId, ids, userId));
    tx.reread(ids);
  }
  // A walk that two do at once counts what it leaves once.
  const counts = { mentions, ...(to > erasure.mentions_to && { held_mentions: held }) };
  tx.write((sql) => noteErased(sql, tx.realmId, userId, tx.now, { counts, mentionsTo: to }));
  return {};
});

/** Undefined: the message says the same. */
function renamed(message: MessageAccess, who: Renamed): RenamedMessage | undefined {
  const { id, content, rendered_content, edit_history } = message;
  const next = {
    id,
    content: renamedText(content, who, namesIn(rendered_content, who)),
    rendered_content: renamedHtml(rendered_content, who),
    edit_history: renamedHistory(edit_history, who),
  };
  const isSame =
    next.content === content &&
    next.rendered_content === rendered_content &&
    JSON.stringify(next.edit_history) === JSON.stringify(edit_history);
  return isSame ? undefined : next;
}

/** A message that neither mentions nor alerts somebody. */
function withoutThem(message: MessageAccess, userId: UserId): MessageAccess {
  const others = (ids: readonly UserId[] | null) => ids?.filter((id) => id !== userId) ?? null;
  const { mentioned, topic_participants, alerted } = message;
  return {
    ...message,
    mentioned: others(mentioned),
    topic_participants: others(topic_participants),
    alerted: others(alerted),
  };
}
