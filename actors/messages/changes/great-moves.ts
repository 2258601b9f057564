/**
 * Moves of more messages than one commit takes. The first commit stores what was decided, as a row. Each later one
 * moves the oldest messages that are left, and notes in the row how far it is. The last one removes the row. A job goes
 * on with rows that a writer left behind. So a move that was answered is done, and done once, whatever crashes.
 *
 * An organization does one move after the other: the topic of a later one may be filled by an earlier one. Messages
 * that were sent later, or that somebody moved elsewhere meanwhile, stay where they are.
 */
import { defined, firstOf, lastOf } from "../../../storage/failures.ts";
import type { MessageId, MoveId } from "../../../storage/ids.ts";
import { findMessageAccess, type MessageAccess } from "../../../storage/messages/access.ts";
import { topicHasOthers } from "../../../storage/messages/changes.ts";
import {
  deleteUnfinishedMove,
  findRealmsWithIdleMoves,
  findTopicSpan,
  findUnfinishedMoves,
  insertUnfinishedMove,
  type UnfinishedMove,
  updateUnfinishedMove,
} from "../../../storage/messages/unfinished-moves.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { errors } from "../../errors.ts";
import { renderTopicLinks } from "../../markdown/render.ts";
import { markdownContext } from "../../organization/markdown-context.ts";
import type { Command } from "../../realm/command.ts";
import type { Job } from "../../realm/job.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { Tx } from "../../realm/transaction.ts";
import { knownTopics } from "../../topics/known-topics.ts";
import { endMove } from "./move.ts";
import { awaitedSize, commitSize, type Move, type MoveRequest } from "./move-plan.ts";
import { recordEdit } from "./record-change.ts";

/** Each may take the writer half of its time for minutes, and nobody waits for them. */
const maxUnfinished = 20;
/** A part takes a fraction of a second, so a move without one for so long has lost its writer. */
const idleAfterSecs = 5;

/** Stores a move that was decided, as a part of the running command. @throws SERVICE_UNAVAILABLE */
export async function beginGreatMove(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow,
  move: Move,
  request: MoveRequest,
): Promise<void> {
  const span = move.great!;
  const before = await findUnfinishedMoves(tx.sql, tx.realmId, maxUnfinished);
  if (before.length === maxUnfinished)
    throw errors.SERVICE_UNAVAILABLE("Other great moves are still under way. Please try again later.");
  const mostAwaited = awaitedSize(tx.state, channel.id, move.target);
  const place = { recipientId: channel.recipient_id, topic: message.topic };
  const isAwaited =
    before.length === 0 && (await findTopicSpan(tx.sql, place, span, mostAwaited + 1)).length <= mostAwaited;
  const id = await tx.id("object_ids");
  tx.write((sql) =>
    insertUnfinishedMove(sql, tx.realmId, {
      ...span,
      id,
      user_id: user.id,
      message_id: message.id,
      channel_id: channel.id,
      topic: message.topic,
      new_channel_id: move.target?.id ?? null,
      new_topic: move.topic,
      propagate_mode: request.propagateMode === "change_later" ? "change_later" : "change_all",
      notify_old_thread: request.notifyOldThread,
      notify_new_thread: request.notifyNewThread,
      is_toggle: move.isToggle,
      is_whole_topic: move.isWholeTopic,
      target_had_topic: move.targetHadTopic,
      touched_at: tx.now,
    }),
  );
  tx.later((next) => goOn(next, id));
  tx.restIsStored(isAwaited ? "awaited" : "answered before");
}

/** Goes on with the moves that a writer left behind. */
export const continueMoves: Command<object, object> = ({ realm }) => ({
  decide: async (tx) => {
    await goOn(tx, Number.MAX_SAFE_INTEGER);
    tx.restIsStored("answered before");
    return {};
  },
  committed: () => memoryOf(realm, knownTopics).clear(),
});

export const unfinishedMovesJob: Job = {
  name: "unfinished moves",
  everySecs: idleAfterSecs,
  async run(realm) {
    await realm.execute("continueMoves", {});
  },
  findWaiting: (sql, now) => findRealmsWithIdleMoves(sql, now - idleAfterSecs),
  onlyWaiting: true,
};

/** Does a part of the organization's oldest move, up to the one with this id, and leaves the next part for later. */
async function goOn(tx: Tx, lastId: MoveId): Promise<void> {
  const [move] = await findUnfinishedMoves(tx.sql, tx.realmId, 1);
  if (!move || move.id > lastId) return;
  await movePart(tx, move);
  tx.later((next) => goOn(next, lastId));
}

async function movePart(tx: Tx, row: UnfinishedMove): Promise<void> {
  const { state } = tx;
  const user = state.users.get(row.user_id);
  const channel = state.channels.get(row.channel_id);
  const target = row.new_channel_id === null ? undefined : state.channels.get(row.new_channel_id);
  if (!user || !channel || (row.new_channel_id !== null && !target)) {
    tx.write((sql) => deleteUnfinishedMove(sql, row.id));
    return;
  }
  const size = commitSize(state, channel.id, target);
  const found = await findTopicSpan(tx.sql, { recipientId: channel.recipient_id, topic: row.topic }, row, size + 1);
  const ids = found.slice(0, size).map(({ id }) => id);
  const isLast = found.length <= size;
  const move: Move = {
    ids,
    count: row.moved + ids.length,
    topic: row.new_topic,
    topicChanges: row.new_topic !== row.topic,
    topicLinks: renderTopicLinks(row.new_topic, markdownContext(state, undefined)),
    target,
    isToggle: row.is_toggle,
    isWholeTopic: row.is_whole_topic && (!isLast || (await leavesNothing(tx, channel, row, ids))),
    targetHadTopic: row.target_had_topic,
  };
  const request = {
    propagateMode: row.propagate_mode,
    notifyOldThread: row.notify_old_thread,
    notifyNewThread: row.notify_new_thread,
  };
  if (ids.length > 0) {
    const told = ids.includes(row.message_id) ? row.message_id : firstOf(ids);
    const [message] = await findMessageAccess(tx.sql, tx.realmId, user.id, [told]);
    // The topic as the request has it: messages may have it in other letters.
    await recordEdit(
      tx,
      user,
      { ...defined(message, "message of this conversation"), topic: row.topic },
      channel,
      { move },
      request,
    );
  }
  if (isLast) {
    // Somebody else may have moved all of them elsewhere.
    if (move.count > 0) await endMove(tx, user, channel, row.topic, move, request);
    tx.write((sql) => deleteUnfinishedMove(sql, row.id));
  } else {
    const progress = { id: row.id, after_id: lastOf(ids), moved: move.count, touched_at: tx.now };
    tx.write((sql) => updateUnfinishedMove(sql, progress));
  }
}

/** Whether nothing of what was there at the beginning stays in the topic when these go, the last ones. */
async function leavesNothing(
  tx: Tx,
  channel: ChannelRow,
  row: UnfinishedMove,
  ids: readonly MessageId[],
): Promise<boolean> {
  // In other letters it is the same topic: all that went is still in it.
  if (row.new_channel_id === null && row.topic.toLowerCase() === row.new_topic.toLowerCase()) return true;
  return !(await topicHasOthers(tx.sql, channel.recipient_id, row.topic, ids, row.to_id));
}
