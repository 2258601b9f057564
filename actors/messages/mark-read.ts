/** Marking a few messages read, which is the most frequent command. Many people do it at once, and share a commit. */
import type { ChannelId, MessageId, UserId } from "../../storage/ids.ts";
import { commitRead, findReadingStates, type ReadingState } from "../../storage/messages/mark-read.ts";
import { badRequest } from "../errors.ts";
import type { Group } from "../realm/commit/group.ts";
import { canReadMessage } from "./access.ts";

export interface MarkReadArgs {
  userId: UserId;
  /** Each once. */
  messageIds: readonly MessageId[];
}

export interface MarkReadReply {
  updatedCount: number;
  ignoredChannelIds: ChannelId[];
}

/** By user. */
type States = ReadonlyMap<UserId, readonly ReadingState[]>;

export const markReadGroup: Group<MarkReadArgs, States, ReadingState, MarkReadReply> = {
  async ask(database, realmId, all) {
    const pairs = all.flatMap(({ userId, messageIds }) =>
      messageIds.map((message_id) => ({ user_id: userId, message_id })),
    );
    const states = new Map<UserId, ReadingState[]>();
    for (const state of await findReadingStates(database.sql, realmId, pairs)) {
      const known = states.get(state.user_id);
      if (known) known.push(state);
      else states.set(state.user_id, [state]);
    }
    return states;
  },
  decide(state, { userId }, states) {
    const user = state.users.get(userId);
    if (!user?.is_active) throw badRequest("Account is deactivated");
    const writes = (states.get(userId) ?? []).filter(
      (message) => message.received && !message.is_read && canReadMessage(state, message, user),
    );
    const messages = writes.map(({ message_id }) => message_id);
    const event = {
      type: "update_message_flags",
      op: "add",
      operation: "add",
      flag: "read",
      messages,
      all: false,
    } as const;
    return {
      entries: messages.length === 0 ? [] : [{ event, audience: { to: "users", ids: [userId] } }],
      writes,
      reply: { updatedCount: messages.length, ignoredChannelIds: [] },
    };
  },
  commit: commitRead,
};
