/** Recent conversations, by their newest message. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { conversationKey } from "../../model/drafts.ts";
import { type Conversation, conversationOfMessage, narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { call } from "../../wire/api.ts";
import type { Message, MessagesAnswer } from "../../wire/types.ts";
import { ChannelMark } from "../messages/conversation-bar.tsx";
import { TopicName } from "../messages/topic-name.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { shortTime } from "../parts/dates.ts";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";

/** Messages that are searched for conversations. */
const looked = 1000;
const rowHeight = 52;
const shownPeople = 4;

interface Entry {
  key: string;
  conversation: Conversation;
  at: number;
  participants: readonly number[];
}

export function Recent() {
  const app = useApp();
  const entries = useSignal<readonly Entry[] | undefined>(undefined);
  const changes = app.lists.changes.value;
  useEffect(() => {
    let isOver = false;
    const params = {
      anchor: "newest",
      num_before: looked,
      num_after: 0,
      narrow: [],
      client_gravatar: true,
      allow_empty_topic_name: true,
    };
    call<MessagesAnswer>("GET", "/messages", params).then(
      ({ messages }) => {
        if (!isOver) entries.value = entriesOf(messages, app.me);
      },
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [app, changes]);
  if (!entries.value) return <div class="empty">{t.loading}</div>;
  if (entries.value.length === 0)
    return (
      <div class="empty">
        <Icon name="recent" size={44} />
        <p>{t.nobodyYet}</p>
      </div>
    );
  return (
    <div class="list-view">
      <FixedList
        items={entries.value}
        rowHeight={rowHeight}
        keyOf={({ key }) => key}
        row={(entry) => <RecentRow entry={entry} />}
        label={t.recent}
      />
    </div>
  );
}

function entriesOf(messages: readonly Message[], me: number): Entry[] {
  const found = new Map<string, { conversation: Conversation; at: number; participants: Set<number> }>();
  for (const message of messages.toReversed()) {
    const conversation = conversationOfMessage(message, me);
    const key = conversationKey(conversation);
    const entry = found.get(key) ?? { conversation, at: message.timestamp, participants: new Set<number>() };
    entry.participants.add(message.sender_id);
    found.set(key, entry);
  }
  return [...found].map(([key, entry]) => ({ key, ...entry, participants: [...entry.participants] }));
}

function RecentRow({ entry: { conversation, at, participants } }: { entry: Entry }) {
  const app = useApp();
  const isDirect = conversation.kind === "direct";
  const unread = isDirect
    ? app.unread.ofPeople(conversation.userIds)
    : app.unread.ofTopic(conversation.channelId, conversation.topic);
  const shown = isDirect && conversation.userIds.length === 0 ? { ...conversation, userIds: [app.me] } : conversation;
  return (
    <div class="inbox-row recent-row">
      <a href={app.route.link(narrowOf(shown))}>
        {isDirect ? <Icon name="person" size={16} /> : <ChannelMark channelId={conversation.channelId} size={16} />}
        <span class="label two-lines">
          {isDirect ? (
            <bdi>{conversation.userIds.map((id) => app.people.name(id)).join(", ") || t.notesToSelf}</bdi>
          ) : (
            <>
              <TopicName topic={conversation.topic} />
              <span class="soft">{app.channels.name(conversation.channelId)}</span>
            </>
          )}
        </span>
        <span class="faces">
          {participants.slice(0, shownPeople).map((id) => (
            <Avatar key={id} user={app.people.get(id)} size={22} />
          ))}
        </span>
        <time class="soft">{shortTime(at)}</time>
        {unread > 0 && <span class="unread">{unread}</span>}
      </a>
    </div>
  );
}
