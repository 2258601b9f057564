/** The topics of a channel: with last words, ages and unread counts, filtered and in an order that one chooses. */
import { useComputed } from "@preact/signals";
import { resolvedPrefix } from "../../../client/state/resolved.ts";
import { type App, useApp } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { folded } from "../../model/people.ts";
import type { Topic } from "../../model/topics.ts";
import { t } from "../../texts.ts";
import { narrowOf, termOf } from "../../wire/narrow.ts";
import { openTopicMenu } from "../frame/menus.tsx";
import { TopicName } from "../messages/topic-name.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { AgoOf, LastWords } from "../parts/last-words.tsx";
import { ListTools, NoneLeft } from "./list-tools.tsx";

/** In pixels. On a phone names have two lines. */
const rowHeight = { page: 58, phone: 64 };

const kinds = () =>
  [
    ["unread", t.unreadOnly],
    ["followed", t.followedOnly],
    ["unresolved", t.unresolvedOnly],
  ] as const;

/** Orders other than the newest first. The filter keeps which one was chosen. */
const byUnread = "by-unread";
const byName = "by-name";

export function Topics() {
  const app = useApp();
  const channelId = Number(termOf(app.route.place.value.narrow, "channel")?.operand);
  const topics = app.topics.of(channelId);
  const shown = useComputed(() => topicsShown(app, Number(termOf(app.route.place.value.narrow, "channel")?.operand)));
  if (!topics) return <div class="empty">{t.loading}</div>;
  if (topics.length === 0)
    return (
      <div class="empty">
        <Icon name="list" size={44} />
        <p>{t.noTopics}</p>
      </div>
    );
  return (
    <div class="list-view">
      <ListTools filter={app.topicsFilter} kinds={kinds()}>
        <Order />
      </ListTools>
      {shown.value.length === 0 ? (
        <NoneLeft filter={app.topicsFilter} />
      ) : (
        <FixedList
          items={shown.value}
          rowHeight={app.ui.isPhone.value ? rowHeight.phone : rowHeight.page}
          keyOf={({ name }) => name}
          row={(topic) => <TopicRow channelId={channelId} topic={topic} />}
          label={t.topicsOf(app.channels.name(channelId))}
        />
      )}
    </div>
  );
}

function Order() {
  const { topicsFilter: filter } = useApp();
  const chosen = [byUnread, byName].find((order) => filter.isOn(order)) ?? "";
  const choose = (order: string) => {
    for (const one of [chosen, order]) if (one !== "" && chosen !== order) filter.toggle(one);
  };
  return (
    <select
      class="list-order"
      aria-label={t.order}
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{t.newestFirst}</option>
      <option value={byUnread}>{t.mostUnreadFirst}</option>
      <option value={byName}>{t.orderByName}</option>
    </select>
  );
}

/** The server has the newest first. */
function topicsShown(app: App, channelId: number): readonly Topic[] {
  const { topicsFilter: filter, channels, unread } = app;
  const wanted = folded(filter.text.value.trim());
  const shown = (app.topics.of(channelId) ?? []).filter(
    ({ name }) =>
      folded(name || t.generalChat).includes(wanted) &&
      !(filter.isOn("unread") && unread.ofTopic(channelId, name) === 0) &&
      !(filter.isOn("followed") && channels.policy(channelId, name) !== policies.followed) &&
      !(filter.isOn("unresolved") && name.startsWith(resolvedPrefix)),
  );
  if (filter.isOn(byUnread))
    return shown.sort((one, other) => unread.ofTopic(channelId, other.name) - unread.ofTopic(channelId, one.name));
  if (filter.isOn(byName)) return shown.sort((one, other) => one.name.localeCompare(other.name));
  return shown;
}

function TopicRow({ channelId, topic: { name, max_id: lastId } }: { channelId: number; topic: Topic }) {
  const app = useApp();
  const unread = app.unread.ofTopic(channelId, name);
  const policy = app.channels.policy(channelId, name);
  const { isMuted } = app.channels.standing()(channelId, name);
  return (
    <div class={`inbox-row recent-row${unread > 0 ? " has-unread" : ""}${isMuted ? " is-muted" : ""}`}>
      <a data-row href={app.route.link(narrowOf({ kind: "topic", channelId, topic: name }))}>
        <span class="label two-lines">
          <span class="ellipsis">
            <TopicName topic={name} />
          </span>
          <LastWords id={lastId} />
        </span>
        {policy === policies.followed && (
          <span class="soft" role="img" aria-label={t.followedOnly} title={t.followedOnly}>
            <Icon name="bell" size={13} />
          </span>
        )}
        <AgoOf id={lastId} />
        <span class="count">{unread > 0 && <span class={`unread${isMuted ? " quiet" : ""}`}>{unread}</span>}</span>
      </a>
      <button
        type="button"
        class="icon-button small dots"
        aria-label={`${t.topicActions}: ${name || t.generalChat}`}
        onClick={(event) => openTopicMenu(app, event.currentTarget, channelId, name)}
      />
    </div>
  );
}
