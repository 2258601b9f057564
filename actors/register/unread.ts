/** The `unread_msgs` of the register answer. https://zulip.com/api/register-queue */
import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import { findDirectConversations } from "../../storage/messages/messages.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UnreadConversation } from "../../storage/register.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { StoredLists } from "../../storage/stored-state.ts";
import { canReadContent } from "../realm/access.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { isTopicMuted } from "../topics/changes/muted.ts";
import type { UnreadMessages } from "./answer.ts";
import type { RegisterView } from "./view.ts";

export const unreadMessages = {
  /** Participants of the direct conversations among them. @param lists that tell some of them already */
  async people(
    sql: Sql,
    conversations: readonly UnreadConversation[],
    lists: StoredLists,
  ): Promise<Map<RecipientId, UserId[]>> {
    const direct = conversations.filter((unread) => unread.channel_id === null);
    if (direct.length === 0) return new Map();
    const known = new Map(lists.conversations.map(({ recipient_id, user_ids }) => [recipient_id, user_ids]));
    const others = direct.map(({ recipient_id }) => recipient_id).filter((id) => !known.has(id));
    for (const [id, userIds] of await findDirectConversations(sql, others)) known.set(id, userIds);
    return known;
  },

  compose(
    state: RealmState,
    user: UserRow,
    { conversations, isCut }: { conversations: readonly UnreadConversation[]; isCut: boolean },
    people: ReadonlyMap<RecipientId, UserId[]>,
    view: RegisterView,
  ): UnreadMessages {
    const pms: UnreadMessages["pms"] = [];
    const huddles: UnreadMessages["huddles"] = [];
    const streams: UnreadMessages["streams"] = [];
    const mentions: MessageId[] = [];
    let count = 0;
    for (const { recipient_id, channel_id, topic, ids: unread_message_ids, mentions: mentioning } of conversations) {
      if (channel_id !== null) {
        // Archived channels count too: their messages stay, and no event says that they were read. A channel that
        // messages were moved to may have been closed to the person.
        const channel = state.channels.get(channel_id);
        if (!channel || !canReadContent(state, channel, user)) continue;
        const shown = topic === "" && !view.has.has("empty_topic_name") ? emptyTopicDisplayName : topic;
        streams.push({ stream_id: channel_id, topic: shown, unread_message_ids });
        if (!isTopicMuted(state, user.id, channel_id, topic)) count += unread_message_ids.length;
      } else {
        const ids = people.get(recipient_id) ?? [user.id];
        const others = ids.filter((id) => id !== user.id);
        if (others.length <= 1) {
          const other = others[0] ?? user.id;
          pms.push({ other_user_id: other, sender_id: other, unread_message_ids });
        } else {
          const user_ids_string = [...ids].sort((a, b) => a - b).join(",");
          huddles.push({ user_ids_string, unread_message_ids });
        }
        count += unread_message_ids.length;
      }
      mentions.push(...mentioning);
    }
    mentions.sort((a, b) => a - b);
    return { count, pms, streams, huddles, mentions, old_unreads_missing: isCut };
  },
};
