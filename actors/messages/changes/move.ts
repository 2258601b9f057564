/**
 * Moving messages to another topic or channel. Here is decided which messages go, whether the user may move them, and
 * what follows. Read states, followed and muted topics, the channels' first messages and the notification bot's notices
 * go along.
 */
import { firstOf } from "../../../storage/failures.ts";
import type { MessageId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import { carryReadState, receiversOf } from "../../../storage/messages/carry.ts";
import { dropFlags, findTopicMessages, firstMessageBeside, topicHasOthers } from "../../../storage/messages/changes.ts";
import { newestMessageId, topicExists } from "../../../storage/messages/messages.ts";
import {
  countTopicSpan,
  findTopicSpan,
  isBeingFilled,
  type TopicSpan,
} from "../../../storage/messages/unfinished-moves.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { badRequest, errors } from "../../errors.ts";
import type { RealmEvent } from "../../events/events.ts";
import { renderTopicLinks } from "../../markdown/render.ts";
import { markdownContext } from "../../organization/markdown-context.ts";
import { accessChannel, canReadContent, canReadHistory, checkCanPost } from "../../realm/access.ts";
import type { Audience } from "../../realm/entry.ts";
import { limits } from "../../realm/state/settings.ts";
import type { Tx } from "../../realm/transaction.ts";
import { moveTopicPolicies } from "../../topics/changes/move-visibility-policies.ts";
import { hasOpenHistory, messageAudience } from "../audience.ts";
import {
  checkCanBeResolved,
  checkCanMoveOut,
  checkCanMoveTopic,
  checkCanResolve,
  moveLimit,
  togglesResolved,
} from "../permissions.ts";
import { checkTopic } from "../send-rules.ts";
import { normalizeTopic, truncate } from "../typed-text.ts";
import { putFirstMessage } from "./first-message.ts";
import { findMovedRead } from "./leave-read.ts";
import { sendMoveNotices } from "./move-notices.ts";
import { commitSize, type Move, type MoveRequest, type PropagateMode } from "./move-plan.ts";

const cutTopic = (topic: string): string => truncate(topic, limits.topic, "...");

/**
 * Checks a move and finds the messages that go. Undefined when they would stay where they are.
 *
 * @throws BAD_REQUEST, STREAM_DOES_NOT_EXIST, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED
 */
export async function planMove(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow,
  request: MoveRequest,
): Promise<Move | undefined> {
  const { state } = tx;
  const topic = request.topic === undefined ? message.topic : normalizeTopic(request.topic);
  const topicChanges = topic !== message.topic;
  const target =
    request.channelId === undefined || request.channelId === channel.id
      ? undefined
      : accessChannel(state, user, request.channelId);
  if (!topicChanges && !target) return undefined;
  checkCanBeResolved(message.topic, topic);
  const isToggle = topicChanges && !target && togglesResolved(message.topic, topic, cutTopic);
  const into = target ?? channel;
  if (isToggle) checkCanResolve(state, user, channel);
  else if (topicChanges) checkCanMoveTopic(state, user, channel, into);
  if (target) {
    checkCanMoveOut(state, user, channel);
    checkCanPost(state, target, user);
  }
  const isSameTopic = !target && topic.toLowerCase() === message.topic.toLowerCase();
  const isNew = !isSameTopic && !isToggle && !(await topicExists(tx.sql, into.recipient_id, topic));
  checkTopic(state, into, user, topic, isNew);
  const { ids, great } = await chooseMessages(tx, user, message, channel, request.propagateMode, isToggle, {
    topicChanges,
    target,
  });
  return {
    ids,
    count: ids.length,
    great,
    topic,
    topicChanges,
    topicLinks: renderTopicLinks(topic, markdownContext(state, undefined)),
    target,
    isToggle,
    isWholeTopic: await isWhole(tx, message, great ?? ids),
    targetHadTopic: await topicExists(tx.sql, into.recipient_id, topic),
  };
}

/** Whether nothing stays behind in the topic. Where only some may be read, the end of a great move shows it. */
async function isWhole(tx: Tx, message: MessageAccess, moved: TopicSpan | readonly MessageId[]): Promise<boolean> {
  if (!("after_id" in moved)) return !(await topicHasOthers(tx.sql, message.recipient_id, message.topic, moved));
  const before = { toId: moved.after_id, limit: 1 };
  return (await findTopicMessages(tx.sql, message.recipient_id, message.topic, before)).length === 0;
}

/** Who is told that messages go. */
export async function movedAudience(
  tx: Tx,
  channel: ChannelRow,
  target: ChannelRow | undefined,
  ids: readonly MessageId[],
): Promise<Audience> {
  return target && hasOpenHistory(channel)
    ? { to: "moved", from: channel.id, into: target.id }
    : await messageAudience(tx.state, tx.sql, { channel }, ids);
}

/**
 * The messages that go: those that the user may read, and that are young enough for them to move. Of very many only the
 * oldest are looked at here. Those that a later commit finds too old stay.
 */
async function chooseMessages(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow,
  mode: PropagateMode,
  isToggle: boolean,
  { topicChanges, target }: Pick<Move, "topicChanges" | "target">,
): Promise<{ ids: MessageId[]; great?: TopicSpan }> {
  const { state } = tx;
  const limit = isToggle ? undefined : moveLimit(state, user, { topic: topicChanges, channel: target !== undefined });
  const sentSince = limit === undefined ? null : tx.now - limit;
  const isInTime = (sentAt: number) => sentSince === null || sentAt >= sentSince;
  const tooLate = badRequest("The time limit for editing this message's topic has passed");
  if (mode === "change_one") {
    if (!isInTime(message.sent_at)) throw tooLate;
    return { ids: [message.id] };
  }
  const span: TopicSpan = {
    after_id: mode === "change_later" ? message.id - 1 : 0,
    to_id: await newestMessageId(tx.sql, tx.realmId),
    received_by: canReadHistory(state, channel, user) ? null : user.id,
    sent_since: sentSince,
  };
  const size = commitSize(state, channel.id, target);
  const place = { recipientId: message.recipient_id, topic: message.topic };
  const oldest = await findTopicSpan(tx.sql, place, { ...span, sent_since: null }, size + 1);
  if (!oldest.every(({ sent_at }) => isInTime(sent_at))) {
    if (mode === "change_later") throw tooLate;
    const { total, allowed, first } = await countTopicSpan(tx.sql, place, span);
    if (first === null) throw tooLate;
    throw errors.MOVE_MESSAGES_TIME_LIMIT_EXCEEDED({
      first_message_id_allowed_to_move: first,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    });
  }
  const isGreat = oldest.length > size || (await isBeingFilled(tx.sql, channel.id, message.topic));
  return isGreat ? { ids: [], great: span } : { ids: oldest.map(({ id }) => id) };
}

/** Records what follows as messages go: the event, who has read what, and the channels' first messages. */
export async function recordMove(
  tx: Tx,
  message: MessageAccess,
  channel: ChannelRow,
  { target, ids }: Pick<Move, "target" | "ids">,
  event: RealmEvent,
  audience: Audience,
): Promise<void> {
  if (!target) {
    tx.event(event, audience);
    return;
  }
  await moveBetween(tx, channel, target, message.topic, ids, event, audience);
  await shiftFirstMessages(tx, channel, target, ids);
}

/** Records what follows once all messages went: whose topic it is now, and the notices. */
export async function endMove(
  tx: Tx,
  user: UserRow,
  channel: ChannelRow,
  topic: string,
  move: Move,
  request: MoveRequest,
): Promise<void> {
  const from = { channel, topic };
  const to = { channel: move.target ?? channel, topic: move.topic };
  if (move.isWholeTopic) moveTopicPolicies(tx, from, { ...to, existed: move.targetHadTopic });
  await sendMoveNotices(tx, user, from, to, move, request);
}

/** Sends the events to those who keep and those who lose the messages, and moves what people have read. */
async function moveBetween(
  tx: Tx,
  channel: ChannelRow,
  target: ChannelRow,
  topic: string,
  ids: readonly MessageId[],
  event: RealmEvent,
  before: Audience,
): Promise<void> {
  const { state } = tx;
  const receivers = await receiversOf(tx.sql, channel.recipient_id, ids);
  const canRead = (id: UserId) => {
    const user = state.knownUser(id);
    return state.subscriptions.has(id, target.id)
      ? canReadContent(state, target, user)
      : canReadHistory(state, target, user);
  };
  const keepers = receivers.filter(canRead);
  const kept = new Set(keepers);
  const losers = receivers.filter((id) => !kept.has(id));
  let gone: Audience = { to: "movedAway", from: channel.id, into: target.id };
  let audience = before;
  if (!hasOpenHistory(channel)) {
    const told = new Set(before.to === "users" ? before.ids : []);
    gone = { to: "users", ids: losers.filter((id) => told.has(id)) };
    const newcomers = state.subscriptions.subscribers(target.id).values();
    audience = {
      to: "users",
      ids: [...new Set([...keepers.filter((id) => told.has(id)), ...newcomers])].sort((a, b) => a - b),
    };
  }
  const outsiders = keepers.filter((id) => !state.subscriptions.has(id, target.id));
  const tellRead = await findMovedRead(tx, channel.recipient_id, outsiders, ids);
  const people = { keepers, readers: outsiders };
  const place = { recipientId: target.recipient_id, isProtected: !hasOpenHistory(target) };
  tx.write((sql) => carryReadState(sql, tx.realmId, channel.recipient_id, place, ids, people));
  if (losers.length > 0) tx.write((sql) => dropFlags(sql, ids, losers));
  tx.event(event, audience);
  tellRead();
  if (gone.to === "users" && gone.ids.length === 0) return;
  tx.event(
    { type: "delete_message", message_type: "stream", stream_id: channel.id, topic, message_ids: [...ids] },
    gone,
    ids.length,
  );
}

/** Updates the oldest message of both channels, where it has changed. */
async function shiftFirstMessages(
  tx: Tx,
  channel: ChannelRow,
  target: ChannelRow,
  ids: readonly MessageId[],
): Promise<void> {
  const first = channel.first_message_id;
  if (first !== null && ids.includes(first))
    putFirstMessage(tx, channel.id, await firstMessageBeside(tx.sql, channel.recipient_id, ids, first));
  if (target.first_message_id === null || firstOf(ids) < target.first_message_id)
    putFirstMessage(tx, target.id, firstOf(ids));
}
