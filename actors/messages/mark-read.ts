/**
 * Marking a few messages read, which is the most frequent command. Many people do it at once, and share a commit. Those
 * who mark the same messages, as a crowd does an announcement, share an entry of the log too.
 */
import type { ChannelId, MessageId, UserId } from "../../storage/ids.ts";
import {
  commitRead,
  findReadingStates,
  type ReadingPair,
  type ReadingState,
} from "../../storage/messages/mark-read.ts";
import { includesId } from "../../storage/messages/ranges.ts";
import { badRequest } from "../errors.ts";
import type { History } from "../history/history.ts";
import type { Group } from "../realm/commit/group.ts";
import { canReadMessage } from "./access.ts";

export interface MarkReadArgs {
  userId: UserId;
  /** Each once. */
  messageIds: readonly MessageId[];
  /** What the writer's node has in memory: the same for all. */
  history: History;
}

export interface MarkReadReply {
  updatedCount: number;
  ignoredChannelIds: ChannelId[];
}

interface Facts {
  states: ReadonlyMap<UserId, readonly ReadingState[]>;
  /** Who is told that they have read the same messages, by these. */
  told: Map<string, UserId[]>;
}

export const markReadGroup: Group<MarkReadArgs, Facts, ReadingState, MarkReadReply> = {
  async ask(database, realmId, all) {
    const states = new Map<UserId, ReadingState[]>();
    const told = new Map<string, UserId[]>();
    const pairs: ReadingPair[] = [];
    for (const args of all) {
      const known = recall(args);
      if (known) states.set(args.userId, known);
      else for (const message_id of args.messageIds) pairs.push({ user_id: args.userId, message_id });
    }
    if (pairs.length === 0) return { states, told };
    for (const state of await findReadingStates(database.sql, realmId, pairs)) {
      const known = states.get(state.user_id);
      if (known) known.push(state);
      else states.set(state.user_id, [state]);
    }
    return { states, told };
  },
  decide(state, { userId }, { states, told }) {
    const user = state.users.get(userId);
    if (!user?.is_active) throw badRequest("Account is deactivated");
    const writes = (states.get(userId) ?? []).filter(
      (message) => message.received && !message.is_read && canReadMessage(state, message, user),
    );
    const messages = writes.map(({ message_id }) => message_id);
    const reply = { updatedCount: messages.length, ignoredChannelIds: [] };
    if (messages.length === 0) return { entries: [], writes, reply };
    const others = told.get(messages.join());
    if (others) {
      others.push(userId);
      return { entries: [], writes, reply };
    }
    const ids = [userId];
    told.set(messages.join(), ids);
    const event = {
      type: "update_message_flags",
      op: "add",
      operation: "add",
      flag: "read",
      messages,
      all: false,
    } as const;
    return { entries: [{ event, audience: { to: "users", ids } }], writes, reply };
  },
  commit: commitRead,
};

/** What is in memory of a person and the messages; undefined: PostgreSQL has to be asked. */
function recall({ userId, messageIds, history }: MarkReadArgs): ReadingState[] | undefined {
  const { index, readers } = history;
  const lanes = readers.find(userId)?.lanes;
  if (!index || !lanes) return undefined;
  const states: ReadingState[] = [];
  for (const message_id of messageIds) {
    const place = index.find(message_id);
    if (!place) {
      if (message_id < index.floor) return undefined;
      continue;
    }
    const { recipientId: recipient_id, channelId: channel_id, first, end } = place;
    if (first === undefined) return undefined;
    const lane = lanes.get(recipient_id);
    states.push({
      user_id: userId,
      message_id,
      recipient_id,
      channel_id,
      // Who else takes part makes no difference to this person.
      participants: channel_id === null && lane ? [userId] : null,
      received: lane !== undefined && includesId(lane.received, message_id),
      is_read:
        (place.senderId === userId && place.isReadBySender) ||
        (lane !== undefined && includesId(lane.read, message_id)),
      first,
      end,
    });
  }
  return states;
}
