/** The header: the open place, search, and who is online. */
import { useApp } from "../../model/app.ts";
import { namesOf, placeName } from "../../model/route.ts";
import { t } from "../../texts.ts";
import { feed, keyOf, type Narrow, narrowOf, termOf } from "../../wire/narrow.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { PresenceDot } from "../parts/presence.tsx";
import { LazyJumpToDate, LazyMoveTopic } from "./lazy.tsx";
import { openChannelMenu, openTopicMenu } from "./menus.tsx";
import { Search } from "./search-box.tsx";

export function Header() {
  const app = useApp();
  const isMessages = app.route.place.value.view === "messages";
  return (
    <header class="top">
      <button
        type="button"
        class="icon-button only-small"
        aria-label={t.menu}
        onClick={() => (app.ui.isLeftOpen.value = true)}
      >
        <Icon name="menu" />
      </button>
      <h1 class="title">
        <Title />
      </h1>
      <Search />
      {isMessages && (
        <button
          type="button"
          class="icon-button"
          aria-label={t.jumpToDate}
          title={t.jumpToDate}
          onClick={() => app.ui.openDialog(() => <LazyJumpToDate />)}
        >
          <Icon name="calendar" />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={t.showPeople}
        title={t.showPeople}
        aria-pressed={app.ui.isRightOpen.value}
        onClick={() => (app.ui.isRightOpen.value = !app.ui.isRightOpen.value)}
      >
        <Icon name="people" />
      </button>
    </header>
  );
}

const viewIcons: Readonly<Record<string, IconName>> = {
  inbox: "inbox",
  recent: "recent",
  direct: "chat",
  drafts: "draft",
  scheduled: "clock",
  reminders: "bell",
};

function Title() {
  const app = useApp();
  const place = app.route.place.value;
  const { view, narrow } = place;
  if (view === "topics") return <ChannelTitle channelId={Number(termOf(narrow, "channel")?.operand)} isList />;
  if (view === "messages" && !termOf(narrow, "search")) {
    const people = termOf(narrow, "dm")?.operand;
    if (Array.isArray(people)) return <DirectTitle userIds={people} />;
    const channelId = termOf(narrow, "channel")?.operand;
    const topic = termOf(narrow, "topic")?.operand;
    if (typeof channelId === "number")
      return <ChannelTitle channelId={channelId} topic={typeof topic === "string" ? topic : undefined} />;
  }
  return <Named icon={viewIcons[view] ?? narrowIcon(narrow)} name={placeName(app, place)} />;
}

function narrowIcon(narrow: Narrow): IconName {
  if (keyOf(narrow) === keyOf(feed)) return "feed";
  const is = narrow.length === 1 ? termOf(narrow, "is")?.operand : undefined;
  return is === "mentioned" ? "mention" : is === "starred" ? "star" : "search";
}

function Named({ icon, name }: { icon: IconName; name: string }) {
  return (
    <>
      <Icon name={icon} />
      <span class="ellipsis">
        <bdi>{name}</bdi>
      </span>
    </>
  );
}

function DirectTitle({ userIds }: { userIds: readonly number[] }) {
  const app = useApp();
  const [other, ...more] = userIds.filter((id) => id !== app.me);
  return (
    <>
      <PresenceDot user={other !== undefined && more.length === 0 ? app.people.get(other) : undefined} />
      <span class="ellipsis">
        <bdi>{namesOf(app.people, userIds)}</bdi>
      </span>
    </>
  );
}

interface ChannelTitleProps {
  channelId: number;
  topic?: string | undefined;
  /** Whether its topics are listed. */
  isList?: boolean;
}

function ChannelTitle({ channelId, topic, isList = false }: ChannelTitleProps) {
  const app = useApp();
  const channel = app.channels.get(channelId);
  return (
    <>
      <ChannelMark channelId={channelId} size={18} />
      <a class="ellipsis" href={app.route.link([{ operator: "channel", operand: channelId }])}>
        <bdi>{channel?.name ?? channelId}</bdi>
      </a>
      {topic !== undefined ? (
        <TopicTitle channelId={channelId} topic={topic} />
      ) : isList ? (
        <>
          <Then />
          <span class="ellipsis">{t.moreTopics}</span>
        </>
      ) : (
        <>
          <a
            class="icon-button small"
            aria-label={t.moreTopics}
            title={t.moreTopics}
            href={app.route.linkToTopics(channelId)}
          >
            <Icon name="list" size={16} />
          </a>
          <span class="description ellipsis">
            <bdi>{channel?.description}</bdi>
          </span>
        </>
      )}
      <button
        type="button"
        class="icon-button small"
        aria-label={topic === undefined ? t.channelActions : t.topicActions}
        onClick={(event) =>
          topic === undefined
            ? openChannelMenu(app, event.currentTarget, channelId)
            : openTopicMenu(app, event.currentTarget, channelId, topic)
        }
      >
        <Icon name="more" size={16} />
      </button>
    </>
  );
}

const Then = () => (
  <span class="soft" aria-hidden="true">
    ›
  </span>
);

function TopicTitle({ channelId, topic }: { channelId: number; topic: string }) {
  const { channels, permissions, route, ui } = useApp();
  return (
    <>
      <Then />
      <a class="ellipsis topic-title" href={route.link(narrowOf({ kind: "topic", channelId, topic }))}>
        <TopicName topic={topic} />
      </a>
      {!ui.isPhone.value && permissions.movesTopics(channels.get(channelId)) && (
        <button
          type="button"
          class="icon-button small move-topic"
          aria-label={t.moveTopic}
          title={t.moveTopic}
          onClick={() => ui.openDialog(() => <LazyMoveTopic from={{ channelId, topic }} />)}
        >
          <Icon name="draft" size={15} />
        </button>
      )}
    </>
  );
}
