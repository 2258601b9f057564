/**
 * Flags that people put on messages: read, starred, collapsed. https://zulip.com/api/update-message-flags
 *
 * A message that a person never received, such as one from before they subscribed, counts as read. It gets flags when
 * the person stars or collapses it. A subscriber gives it flags by marking it unread, too.
 */

import { firstOf } from "../../../storage/failures.ts";
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import { clearFlag, type FlagState, findFlagStates, setFlag } from "../../../storage/messages/flags.ts";
import { newestMessageId } from "../../../storage/messages/messages.ts";
import { addReceived, markAllRead, markRead, markUnread } from "../../../storage/messages/read-state.ts";
import { findAround } from "../../../storage/narrow/walk.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import type { UnreadDetails } from "../../events/messages.ts";
import { historyMemory } from "../../history/history.ts";
import { accessChannel, readableMessages } from "../../realm/access.ts";
import { type Command, command } from "../../realm/command.ts";
import { grouped } from "../../realm/commit/group.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { Tx } from "../../realm/transaction.ts";
import { topicNames } from "../../topics/empty-topic.ts";
import { canReadMessage } from "../access.ts";
import { markReadGroup } from "../mark-read.ts";

export const changeableFlags = ["read", "starred", "collapsed"] as const;
export type ChangeableFlag = (typeof changeableFlags)[number];
export type FlagOperation = "add" | "remove";

export interface UpdateFlagsArgs {
  userId: UserId;
  messageIds: MessageId[];
  op: FlagOperation;
  flag: ChangeableFlag;
}

export interface UpdateFlagsReply {
  /** How many messages changed their flags. */
  updatedCount: number;
  /** Channels whose messages stayed read, since the user is not subscribed to them; ascending. */
  ignoredChannelIds: ChannelId[];
}

/** The most ids in one event: clients keep an event in memory. */
const maxIdsOfEvent = 5000;
/** Up to so many messages are marked read in a commit that people share. */
const maxGrouped = 200;
/** Messages whose flags one commit changes. It takes a few hundredths of a second. */
const idsPerTurn = 1000;
/**
 * The most unread messages that are marked at once: as many as `unread_msgs` holds.
 * https://zulip.com/api/register-queue
 */
const maxUnread = 50_000;

/**
 * Adds a flag to messages or removes it. With `read`, ids that the user may not read are ignored.
 *
 * @throws BAD_REQUEST for such ids with any other flag
 */
export const updateMessageFlags: Command<UpdateFlagsArgs, UpdateFlagsReply> = async ({ realm, database }, args) => {
  const ids = [...new Set(args.messageIds)];
  if (args.flag !== "read" || args.op !== "add" || ids.length > maxGrouped)
    return { decide: (tx) => updateFlags(tx, args, ids) };
  const history = memoryOf(realm, historyMemory);
  // Whoever marks one message will mark the next. The facts for that decision are in memory by then, if there is room.
  if (history.index) await history.readers.read(database.sql, args.userId);
  const member = { userId: args.userId, messageIds: ids, history };
  return {
    // A message that a person marks twice is decided the second time after the first commit.
    key: `read:${args.userId}`,
    grouped: grouped(markReadGroup, member, ids.length),
    decide: (tx) => updateFlags(tx, args, ids),
  };
};

async function updateFlags(
  tx: Tx,
  { userId, op, flag }: UpdateFlagsArgs,
  ids: readonly MessageId[],
): Promise<UpdateFlagsReply> {
  const isRare = flag !== "read";
  if (isRare && (await findReadable(tx, tx.user(userId), ids)).length < ids.length)
    throw badRequest("Invalid message(s)");
  const reply: UpdateFlagsReply = { updatedCount: 0, ignoredChannelIds: [] };
  const turn = async (now: Tx, some: readonly MessageId[]) => {
    const user = now.user(userId);
    const readable = await findReadable(now, user, some);
    const change = isRare
      ? updateRareFlag(now, user, readable, op, flag)
      : op === "add"
        ? addRead(now, user, readable)
        : removeRead(now, user, readable);
    reply.updatedCount += change.updatedCount;
    reply.ignoredChannelIds = [...new Set([...reply.ignoredChannelIds, ...change.ignoredChannelIds])].sort(
      (a, b) => a - b,
    );
  };
  await turn(tx, ids.slice(0, idsPerTurn));
  for (let first = idsPerTurn; first < ids.length; first += idsPerTurn)
    tx.later((next) => turn(next, ids.slice(first, first + idsPerTurn)));
  return reply;
}

async function findReadable(tx: Tx, user: UserRow, ids: readonly MessageId[]): Promise<FlagState[]> {
  const found = await findFlagStates(tx.sql, tx.realmId, user.id, ids);
  return found.filter((message) => canReadMessage(tx.state, message, user));
}

export interface MarkAllAsReadArgs {
  userId: UserId;
}

/** Marks everything that the user received as read. */
export const markAllAsRead = command(async (tx: Tx, { userId }: MarkAllAsReadArgs) => {
  tx.user(userId);
  const newest = await newestMessageId(tx.sql, tx.realmId);
  tx.write((sql) => markAllRead(sql, tx.realmId, userId, newest));
  tx.event(
    { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages: [], all: true },
    { to: "users", ids: [userId] },
  );
  return {};
});

export interface MarkChannelAsReadArgs {
  userId: UserId;
  channelId: ChannelId;
  /** Only this topic. */
  topic?: string;
}

/**
 * Marks a channel, or a topic of it, as read, as far as the user may read it.
 *
 * @throws BAD_REQUEST for a channel that the user cannot see
 */
export const markChannelAsRead = command(async (tx: Tx, { userId, channelId, topic }: MarkChannelAsReadArgs) => {
  const user = tx.user(userId);
  const channel = accessChannel(tx.state, user, channelId);
  if (readableMessages(tx.state, channel, user) !== "none") await markConversationRead(tx, userId, channel, topic);
  return {};
});

/** Marks what a user received in a channel read and tells them, the newest first, a part at a time. */
async function markConversationRead(tx: Tx, userId: UserId, channel: ChannelRow, topic?: string): Promise<void> {
  const newest = await newestMessageId(tx.sql, tx.realmId);
  const turn = async (now: Tx, before: number, left: number) => {
    const unread = await findUnreadIn(now, userId, channel, topic, before);
    if (unread.length === 0) return;
    const isAll = unread.length < idsPerTurn;
    if (topic === undefined && isAll) {
      // One range up to the newest, instead of one gap for each message.
      now.write((sql) => markAllRead(sql, now.realmId, userId, newest, channel.recipient_id));
    } else now.write((sql) => markRead(sql, now.realmId, userId, unread));
    tellFlags(now, userId, "add", "read", unread);
    if (!isAll && left > idsPerTurn) now.later((next) => turn(next, firstOf(unread), left - idsPerTurn));
  };
  await turn(tx, Number.MAX_SAFE_INTEGER, maxUnread);
}

/** The newest of them, as many as are marked in one turn. @param anchor only those before it */
function findUnreadIn(
  tx: Tx,
  userId: UserId,
  channel: ChannelRow,
  topic: string | undefined,
  anchor: MessageId,
): Promise<MessageId[]> {
  return findAround(
    tx.sql,
    {
      realmId: tx.realmId,
      userId,
      scope: { in: "receivedIn", recipientId: channel.recipient_id },
      conditions: [
        { is: "unread", negated: false },
        ...(topic === undefined ? [] : [{ is: "topic" as const, topics: topicNames(topic), negated: false }]),
      ],
    },
    { anchor, includeAnchor: false, before: idsPerTurn, after: 0 },
  );
}

function updateRareFlag(
  tx: Tx,
  user: UserRow,
  messages: readonly FlagState[],
  op: FlagOperation,
  flag: "starred" | "collapsed",
): UpdateFlagsReply {
  const changing = messages.filter((message) => message[flag] !== (op === "add"));
  const ids = changing.map(({ id }) => id);
  if (op === "add") {
    const historical = changing.filter(({ received }) => !received).map(({ id }) => id);
    tx.write((sql) => setFlag(sql, tx.realmId, user.id, flag, ids, historical));
  } else tx.write((sql) => clearFlag(sql, user.id, flag, ids));
  tellFlags(tx, user.id, op, flag, ids);
  return { updatedCount: ids.length, ignoredChannelIds: [] };
}

function addRead(tx: Tx, user: UserRow, messages: readonly FlagState[]): UpdateFlagsReply {
  const ids = messages.filter(({ received, is_read }) => received && !is_read).map(({ id }) => id);
  tx.write((sql) => markRead(sql, tx.realmId, user.id, ids));
  tellFlags(tx, user.id, "add", "read", ids);
  return { updatedCount: ids.length, ignoredChannelIds: [] };
}

function removeRead(tx: Tx, user: UserRow, messages: readonly FlagState[]): UpdateFlagsReply {
  const ignored = new Set<ChannelId>();
  const changing = messages.filter(({ channel_id, received, is_read }) => {
    if (channel_id !== null && !tx.state.subscriptions.has(user.id, channel_id)) {
      ignored.add(channel_id);
      return false;
    }
    return is_read || !received;
  });
  const ids = changing.map(({ id }) => id);
  const missed = changing.filter(({ received }) => !received).map(({ id }) => id);
  tx.write((sql) => markUnread(sql, tx.realmId, user.id, ids));
  if (missed.length > 0) tx.write((sql) => addReceived(sql, tx.realmId, user.id, missed));
  if (ids.length > 0) {
    tx.event(
      {
        type: "update_message_flags",
        op: "remove",
        operation: "remove",
        flag: "read",
        messages: ids,
        all: false,
        message_details: Object.fromEntries(changing.map((message) => [message.id, unreadDetails(message, user)])),
      },
      { to: "users", ids: [user.id] },
    );
  }
  return { updatedCount: ids.length, ignoredChannelIds: [...ignored].sort((a, b) => a - b) };
}

/** The conversation of a message that became unread again. */
function unreadDetails(message: FlagState, user: UserRow): UnreadDetails {
  const mentioned = message.mentioned && { mentioned: true };
  if (message.channel_id !== null)
    return { type: "stream", ...mentioned, stream_id: message.channel_id, topic: message.topic };
  return { type: "private", ...mentioned, user_ids: (message.participants ?? []).filter((id) => id !== user.id) };
}

function tellFlags(tx: Tx, userId: UserId, op: FlagOperation, flag: ChangeableFlag, ids: readonly MessageId[]): void {
  for (let first = 0; first < ids.length; first += maxIdsOfEvent) {
    const messages = ids.slice(first, first + maxIdsOfEvent);
    tx.event(
      { type: "update_message_flags", op, operation: op, flag, messages, all: false },
      { to: "users", ids: [userId] },
    );
  }
}
