/** Recent conversations, by their newest message. */
import { useEffect } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import type { RecentConversation } from "../../model/lists/recent.ts";
import { narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { shortTime } from "../parts/dates.ts";
import { DirectMark } from "../parts/direct-mark.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";

const rowHeight = 52;
const shownPeople = 4;

export function Recent() {
  const app = useApp();
  useEffect(() => app.recent.show(), [app]);
  const entries = app.recent.all;
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

function RecentRow({ entry: { conversation, at, participants } }: { entry: RecentConversation }) {
  const app = useApp();
  const isDirect = conversation.kind === "direct";
  const unread = isDirect
    ? app.unread.ofPeople(conversation.userIds)
    : app.unread.ofTopic(conversation.channelId, conversation.topic);
  const shown = isDirect && conversation.userIds.length === 0 ? { ...conversation, userIds: [app.me] } : conversation;
  return (
    <div class="inbox-row recent-row">
      <a href={app.route.link(narrowOf(shown))}>
        {isDirect ? (
          <DirectMark userIds={conversation.userIds} />
        ) : (
          <span class="direct-mark">
            <ChannelMark channelId={conversation.channelId} size={16} />
          </span>
        )}
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
          {[...participants].slice(0, shownPeople).map((id) => (
            <Avatar key={id} user={app.people.get(id)} size={22} />
          ))}
        </span>
        <time class="soft">{shortTime(at, app.has24Hours)}</time>
        {unread > 0 && <span class="unread">{unread}</span>}
      </a>
    </div>
  );
}
