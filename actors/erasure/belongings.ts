/** The parts of an erasure that are about what hangs on messages, files, and rows that nobody else saw. */
import { defined } from "../../storage/failures.ts";
import type { AttachmentId, MessageId, UserId } from "../../storage/ids.ts";
import { findMessageAccess } from "../../storage/messages/access.ts";
import { findUploadSpaceUsed } from "../../storage/messages/attachments.ts";
import { keepHeldFile } from "../../storage/messages/legal-holds.ts";
import { noteErased } from "../../storage/personal/erasures.ts";
import { deleteOwnRows, deleteVotes, findOwnFiles, findVotedIn } from "../../storage/personal/traces.ts";
import type { SubscriptionRow } from "../../storage/rows.ts";
import { removeReactionsOf } from "../messages/changes/reactions.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { deleteFiles } from "../uploads/deleted-files.ts";
import { stepUpload } from "../uploads/upload-machine.ts";
import { perform } from "../uploads/uploads.ts";
import { accessErasure, countErased } from "./begin.ts";

/** Rows of one part. */
const rowsAtOnce = 500;

/** Takes the person's reactions from some messages. */
export const eraseReactions = command(
  async (tx: Tx, { personId: userId, ids }: { personId: UserId; ids: readonly MessageId[] }) => {
    const found = await accessErasure(tx, userId);
    if (!found) return {};
    let reactions = 0;
    for (const message of await findMessageAccess(tx.sql, tx.realmId, null, ids))
      reactions += await removeReactionsOf(tx, found.user, message);
    const reactionsTo = Math.max(0, ...ids);
    tx.write((sql) => noteErased(sql, tx.realmId, userId, tx.now, { counts: { reactions }, reactionsTo }));
    return {};
  },
);

/** Takes the person's votes from others' polls. Clients see it when they fetch the messages next. */
export const eraseVotes = command(async (tx: Tx, { personId: userId }: { personId: UserId }) => {
  if (!(await accessErasure(tx, userId))) return { more: false };
  const ids = await findVotedIn(tx.sql, tx.realmId, userId, rowsAtOnce);
  if (ids.length === 0) return { more: false };
  tx.write((sql) => deleteVotes(sql, ids, userId));
  tx.reread(ids);
  countErased(tx, userId, { votes: ids.length });
  return { more: ids.length === rowsAtOnce };
});

export interface EraseFilesArgs {
  personId: UserId;
  /** Where the bytes of each are. Pictures made of it go with it. */
  files: readonly { id: AttachmentId; stored: string }[];
}

/** Deletes those of these files that go. A legal hold keeps the bytes. */
export const eraseFiles = command(async (tx: Tx, { personId: userId, files }: EraseFilesArgs) => {
  const found = await accessErasure(tx, userId);
  if (!found) return {};
  const places = new Map(files.map(({ id, stored }) => [id, stored]));
  const isNamedToo = found.erasure.deletes_messages;
  const theirs = await findOwnFiles(tx.sql, tx.realmId, userId, { isNamedToo, among: [...places.keys()] });
  let used = theirs.length === 0 ? 0 : await findUploadSpaceUsed(tx.sql, tx.realmId);
  let held = 0;
  for (const { id, path_id, size, create_time, file_name: name } of theirs) {
    used -= size;
    const step = stepUpload("claimed", { type: "deletion.asked", byOwner: true });
    const record = { id, name, path_id, size, create_time, messages: [], message_ids: [] };
    perform(tx, [{ step, ownerId: userId, record }], [], used);
    const stored = [defined(places.get(id), "place of the file")];
    if (await keepHeldFile(tx.sql, tx.realmId, path_id, stored)) held++;
    else deleteFiles(tx, stored);
  }
  countErased(tx, userId, { files: theirs.length - held, held_files: held });
  return {};
});

/** What a subscription is that somebody never had: nobody but them saw how theirs looked. */
const ended = (row: SubscriptionRow): SubscriptionRow => ({
  user_id: row.user_id,
  channel_id: row.channel_id,
  realm_id: row.realm_id,
  is_active: false,
  color: 0,
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
});

/** Ends subscriptions and memberships, and deletes rows that nobody else saw, some of each at a time. */
export const eraseRows = command(async (tx: Tx, { personId: userId }: { personId: UserId }) => {
  if (!(await accessErasure(tx, userId))) return { more: false };
  const { state } = tx;
  const some = <Row>(rows: Iterable<Row> | undefined): Row[] => [...(rows ?? [])].slice(0, rowsAtOnce);
  const channels = some([...state.subscriptions.of(userId)].filter((row) => row.is_active || row.color !== 0));
  const topics = some(state.userTopics.get(userId)?.values());
  const muted = some(state.mutedUsers.get(userId)?.values());
  const groups = some(
    [...state.groups.byId.values()].filter(({ id }) => state.groups.directMembers(id).includes(userId)),
  );
  tx.put("subscriptions", ...channels.map(ended));
  tx.remove("user_topics", ...topics.map(({ user_id, channel_id, topic_key }) => ({ user_id, channel_id, topic_key })));
  tx.remove("muted_users", ...muted.map(({ user_id, muted_user_id }) => ({ user_id, muted_user_id })));
  tx.remove("user_group_members", ...groups.map(({ id: group_id }) => ({ group_id, user_id: userId })));
  const { deleted, isDone } = await deleteOwnRows(tx.sql, userId, rowsAtOnce);
  const lists = [channels, topics, muted, groups];
  countErased(tx, userId, { rows: deleted + lists.reduce((sum, list) => sum + list.length, 0) });
  return { more: !isDone || lists.some((list) => list.length === rowsAtOnce) };
});
