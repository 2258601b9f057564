/** Recent conversations, by their newest message: a table with a filter. */
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { conversationKey } from "../../model/drafts.ts";
import type { RecentConversation } from "../../model/lists/recent.ts";
import { folded } from "../../model/people.ts";
import { namesOf } from "../../model/route.ts";
import { t } from "../../texts.ts";
import { type Conversation, narrowOf } from "../../wire/narrow.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { DirectMark } from "../parts/direct-mark.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { Ago, AgoOf, LastWords } from "../parts/last-words.tsx";
import { ListTools, NoneLeft } from "./list-tools.tsx";

/** In pixels. On a phone names have two lines. */
const rowHeightOf = ({ ui }: App): number => (ui.isPhone.value ? 64 : 58);
const shownPeople = 4;

const kinds = () =>
  [
    ["unread", t.unreadOnly],
    ["mine", t.participated],
    ["direct", t.directMessages],
    ["muted", t.withMuted],
  ] as const;

export function Recent() {
  const app = useApp();
  useEffect(() => app.recent.show(), [app]);
  const entries = app.recent.all;
  const shown = useComputed(() => (entries.value ?? []).filter((entry) => isShown(app, entry)));
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
      <ListTools filter={app.recentFilter} kinds={kinds()} />
      {shown.value.length === 0 ? (
        <NoneLeft filter={app.recentFilter} />
      ) : (
        <FixedList
          items={shown.value}
          rowHeight={rowHeightOf(app)}
          keyOf={({ key }) => key}
          row={(entry) => <RecentRow entry={entry} />}
          label={t.recent}
        />
      )}
    </div>
  );
}

const unreadOf = (app: App, conversation: Conversation): number =>
  conversation.kind === "direct"
    ? app.unread.ofPeople(conversation.userIds)
    : app.unread.ofTopic(conversation.channelId, conversation.topic);

function isShown(app: App, { conversation, participants }: RecentConversation): boolean {
  const filter = app.recentFilter;
  const isDirect = conversation.kind === "direct";
  const isMuted = !isDirect && app.channels.isMuted(conversation.channelId, conversation.topic);
  if (isMuted && !filter.isOn("muted")) return false;
  if (filter.isOn("direct") && !isDirect) return false;
  if (filter.isOn("mine") && !participants.has(app.me)) return false;
  if (filter.isOn("unread") && unreadOf(app, conversation) === 0) return false;
  const wanted = folded(filter.text.value.trim());
  if (wanted === "") return true;
  const name = isDirect
    ? namesOf(app.people, conversation.userIds)
    : `${conversation.topic || t.generalChat} ${app.channels.name(conversation.channelId)}`;
  return folded(name).includes(wanted);
}

/** Direct conversations alone, all of them. The newest words of those that are long past are fetched when shown. */
export function Direct() {
  const app = useApp();
  useEffect(() => app.recent.show(), [app]);
  const shown = useComputed(() => directsOf(app));
  if (shown.value.length === 0)
    return (
      <div class="empty">
        <Icon name="chat" size={44} />
        <p>{t.nobodyYet}</p>
      </div>
    );
  return (
    <div class="list-view">
      <FixedList
        items={shown.value}
        rowHeight={rowHeightOf(app)}
        keyOf={({ key }) => key}
        row={(entry) => <RecentRow entry={entry} />}
        label={t.directMessages}
      />
    </div>
  );
}

function directsOf(app: App): RecentConversation[] {
  const known = new Map((app.recent.all.value ?? []).map((entry) => [entry.key, entry]));
  const all = app.store.read("conversations").recent_private_conversations ?? [];
  return all.map(({ user_ids: userIds, max_message_id: lastId }) => {
    const conversation: Conversation = { kind: "direct", userIds };
    const key = conversationKey(conversation);
    return known.get(key) ?? { key, conversation, at: 0, lastId: Number(lastId), participants: new Set() };
  });
}

function RecentRow({ entry: { conversation, at, lastId, participants } }: { entry: RecentConversation }) {
  const app = useApp();
  const isDirect = conversation.kind === "direct";
  const unread = unreadOf(app, conversation);
  const shown = isDirect && conversation.userIds.length === 0 ? { ...conversation, userIds: [app.me] } : conversation;
  return (
    <div class={`inbox-row recent-row${unread > 0 ? " has-unread" : ""}`}>
      <a data-row href={app.route.link(narrowOf(shown))}>
        {isDirect ? (
          <DirectMark userIds={conversation.userIds} />
        ) : (
          <span class="direct-mark">
            <ChannelMark channelId={conversation.channelId} size={16} />
          </span>
        )}
        <span class="label two-lines">
          {isDirect ? (
            <bdi class="ellipsis">{namesOf(app.people, conversation.userIds)}</bdi>
          ) : (
            <span class="ellipsis">
              <TopicName topic={conversation.topic} />{" "}
              <span class="soft of-channel" dir="auto">
                {app.channels.name(conversation.channelId)}
              </span>
            </span>
          )}
          <LastWords id={lastId} />
        </span>
        <span class="faces">
          {(isDirect ? [] : [...participants]).slice(0, shownPeople).map((id) => (
            <Avatar key={id} user={app.people.get(id)} size={22} />
          ))}
        </span>
        {at === 0 ? <AgoOf id={lastId} /> : <Ago at={at} />}
        <span class="count">{unread > 0 && <span class="unread">{unread}</span>}</span>
      </a>
    </div>
  );
}
