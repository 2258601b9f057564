/** Who is near to a text that is written: whom its mentions are likely to mean. */
import type { App } from "../../model/app.ts";
import { conversationKey } from "../../model/drafts.ts";
import type { Near, Wildcard } from "../../model/writing/completion.ts";
import type { Conversation } from "../../wire/narrow.ts";

/** Messages of the open list whose senders count as being in the topic. */
const looked = 300;
/** In a channel with more subscribers, telling everybody takes a permission. The server's rule. */
const largestFreeWildcard = 15;

export function nearTo(app: App, conversation: Conversation | undefined): Near {
  return {
    inTopic: conversation ? writersOf(app, conversation) : new Set(),
    members: conversation?.kind === "topic" ? app.members.of(conversation.channelId) : undefined,
    talkedWith: new Set(
      (app.store.read("conversations").recent_private_conversations ?? []).flatMap(({ user_ids }) => user_ids),
    ),
    wildcards: wildcardsOf(app, conversation),
  };
}

function writersOf(app: App, conversation: Conversation): Set<number> {
  const key = conversationKey(conversation);
  const ids = app.open.list.peek()?.ids ?? [];
  const writers = new Set(conversation.kind === "direct" ? conversation.userIds : []);
  for (const id of ids.slice(-looked)) {
    const message = app.lists.cache.get(id);
    if (message && message.sender_id !== app.me && conversationKey(app.conversationOf(message)) === key)
      writers.add(message.sender_id);
  }
  return writers;
}

function wildcardsOf(app: App, conversation: Conversation | undefined): Wildcard[] {
  if (conversation?.kind !== "topic") return conversation && conversation.userIds.length > 1 ? ["all"] : [];
  const { subscriber_count: count = 0 } = app.channels.get(conversation.channelId) ?? {};
  return count <= largestFreeWildcard || app.permissions.has("can_mention_many_users_group")
    ? ["all", "topic"]
    : ["topic"];
}
