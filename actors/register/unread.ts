/** `unread_msgs`: object 6.11 of spec/clients.md. */
import { findDirectConversations } from "../../storage/messages.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UnreadRow } from "../../storage/register.ts";
import type { UserRow } from "../../storage/rows.ts";
import { emptyTopicDisplayName } from "../realm/realm-settings.ts";
import type { RealmState } from "../realm/state.ts";
import type { RegisterView } from "./initial-state.ts";

interface Conversation {
  unread_message_ids: number[];
}

export const unreadMessages = {
  /** Participants of the direct conversations among the rows. */
  people(sql: Sql, rows: readonly UnreadRow[]): Promise<Map<number, number[]>> {
    return findDirectConversations(sql, [
      ...new Set(rows.filter((row) => row.channel_id === null).map((row) => row.recipient_id)),
    ]);
  },

  /** @param unread newest first */
  compose(
    state: RealmState,
    user: UserRow,
    { rows, isCut }: { rows: readonly UnreadRow[]; isCut: boolean },
    people: ReadonlyMap<number, number[]>,
    view: RegisterView,
  ): Record<string, unknown> {
    const pms = new Map<number, Conversation & { other_user_id: number; sender_id: number }>();
    const huddles = new Map<string, Conversation & { user_ids_string: string }>();
    const streams = new Map<string, Conversation & { stream_id: number; topic: string }>();
    const mentions: number[] = [];
    let count = 0;
    // Oldest first, so that every list comes out ascending.
    for (const row of rows.toReversed()) {
      if (row.channel_id !== null) {
        // Archived channels too: their messages stay, and no event says that they were read.
        if (!state.channels.has(row.channel_id)) continue;
        const isMuted = isTopicMuted(state, user.id, row.channel_id, row.topic);
        const topic = row.topic === "" && !view.has.has("empty_topic_name") ? emptyTopicDisplayName : row.topic;
        add(streams, `${row.channel_id}:${topic.toLowerCase()}`, { stream_id: row.channel_id, topic }, row.id);
        if (row.is_mentioned || row.topic_wildcard || row.channel_wildcard) mentions.push(row.id);
        if (!isMuted) count++;
        continue;
      }
      const ids = people.get(row.recipient_id) ?? [user.id];
      const others = ids.filter((id) => id !== user.id);
      if (others.length <= 1) {
        const other = others[0] ?? user.id;
        add(pms, other, { other_user_id: other, sender_id: other }, row.id);
      } else {
        const key = [...ids].sort((a, b) => a - b).join(",");
        add(huddles, key, { user_ids_string: key }, row.id);
      }
      if (row.is_mentioned) mentions.push(row.id);
      count++;
    }
    return {
      count,
      pms: [...pms.values()],
      streams: [...streams.values()],
      huddles: [...huddles.values()],
      mentions,
      old_unreads_missing: isCut,
    };
  },
};

function add<K, T extends object>(conversations: Map<K, T & Conversation>, key: K, fields: T, id: number): void {
  const conversation = conversations.get(key);
  if (conversation) conversation.unread_message_ids.push(id);
  else conversations.set(key, { ...fields, unread_message_ids: [id] });
}

/** Whether unread messages of a topic do not count: the topic is muted, or its channel is and the topic is not unmuted. */
export function isTopicMuted(state: RealmState, userId: number, channelId: number, topic: string): boolean {
  const policy = state.topicPolicy(userId, channelId, topic);
  return policy === 1 || (policy === 0 && state.subscriptions.isMuted(userId, channelId));
}
