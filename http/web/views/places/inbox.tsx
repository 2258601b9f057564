/** Conversations with unread messages: a table by channel, with a filter. */
import { useComputed } from "@preact/signals";
import type { MessageId } from "../../../client/types.ts";
import { isTurned } from "../../languages/speaking.ts";
import { type App, useApp } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { folded } from "../../model/people.ts";
import { namesOf } from "../../model/route.ts";
import type { UnreadTopic } from "../../model/unread.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { openReadMenu } from "../frame/menus.tsx";
import { TopicName } from "../messages/topic-name.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { DirectMark } from "../parts/direct-mark.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { AgoOf, LastWords } from "../parts/last-words.tsx";
import { lazy } from "../parts/lazy.tsx";
import { ListTools, NoneLeft } from "./list-tools.tsx";
import { WhatDidIMiss } from "./missed.tsx";

type Row =
  | { key: string; kind: "title"; label: string; channelId?: number; count: number }
  | { key: string; kind: "direct"; userIds: readonly number[]; count: number; lastId: MessageId | undefined }
  | { key: string; kind: "topic"; entry: UnreadTopic };

/** In pixels. On a phone names have two lines. */
const rowHeight = { page: 56, phone: 64 };

const kinds = () =>
  [
    ["mentions", t.mentionsOnly],
    ["followed", t.followedOnly],
    ["direct", t.directMessages],
  ] as const;

const LazyFirstRun = lazy(() => import("./first-run.tsx").then((module) => module.FirstRun));

export function Inbox() {
  const { firstRun } = useApp();
  return (
    <>
      {firstRun.isShown.value && <LazyFirstRun />}
      <Unread />
    </>
  );
}

function Unread() {
  const app = useApp();
  const rows = useComputed(() => inboxRows(app));
  const { directs, topics } = app.unread.counted.value;
  const { isLoggedIn, isGuest } = app.permissions;
  const isEmpty = directs.length === 0 && !topics.some(({ isMuted, hasMention }) => !isMuted || hasMention);
  if (isEmpty)
    return (
      <div class="empty">
        <Icon name="inbox" size={44} />
        <p>{t.inboxEmpty}</p>
        <p class="soft">{t.inboxEmptyHint}</p>
        <div class="offers">
          <a class="button" href="#recent">
            {t.recent}
          </a>
          {isLoggedIn && !isGuest && (
            <a class="button quiet" href="#channels">
              {t.browseChannels}
            </a>
          )}
        </div>
      </div>
    );
  return (
    <div class="list-view">
      <ListTools filter={app.inboxFilter} kinds={kinds()}>
        <button
          type="button"
          class="button quiet small mark-all"
          aria-label={t.markManyRead}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => openReadMenu(app, currentTarget)}
        >
          <Icon name="checks" size={16} /> <span>{t.markManyRead}</span>
        </button>
      </ListTools>
      <WhatDidIMiss />
      {rows.value.length === 0 ? (
        <NoneLeft filter={app.inboxFilter} />
      ) : (
        <FixedList
          items={rows.value}
          rowHeight={app.ui.isPhone.value ? rowHeight.phone : rowHeight.page}
          keyOf={({ key }) => key}
          row={(row) => <InboxRow row={row} />}
          label={t.inbox}
        />
      )}
    </div>
  );
}

function inboxRows(app: App): Row[] {
  const { directs: allDirects, topics } = app.unread.counted.value;
  const filter = app.inboxFilter;
  const wanted = folded(filter.text.value.trim());
  const matches = (name: string): boolean => wanted === "" || folded(name).includes(wanted);
  const hasKind = kinds().some(([kind]) => filter.isOn(kind));
  const directs =
    hasKind && !filter.isOn("direct") ? [] : allDirects.filter(({ userIds }) => matches(namesOf(app.people, userIds)));
  const rows: Row[] = [];
  const isOpen = (key: string): boolean => wanted !== "" || !filter.isFolded(key);
  const newest = (ids: readonly number[]): number => ids.at(-1) ?? 0;
  const countOf = (list: readonly { ids: readonly number[] }[]) => list.reduce((sum, { ids }) => sum + ids.length, 0);
  if (directs.length > 0) rows.push({ key: "direct", kind: "title", label: t.directMessages, count: countOf(directs) });
  if (isOpen("direct"))
    for (const { userIds, ids } of [...directs].sort((a, b) => newest(b.ids) - newest(a.ids)))
      rows.push({ key: `d${userIds.join()}`, kind: "direct", userIds, count: ids.length, lastId: ids.at(-1) });
  const byChannel = new Map<number, UnreadTopic[]>();
  for (const entry of topics) {
    if (entry.isMuted && !entry.hasMention) continue;
    if (hasKind && !isOfKind(app, entry)) continue;
    if (!matches(`${entry.topic || t.generalChat} ${app.channels.name(entry.channelId)}`)) continue;
    const known = byChannel.get(entry.channelId);
    if (known) known.push(entry);
    else byChannel.set(entry.channelId, [entry]);
  }
  const channels = [...byChannel].sort(([a], [b]) => {
    const pins = Number(app.channels.get(b)?.pin_to_top ?? false) - Number(app.channels.get(a)?.pin_to_top ?? false);
    return pins || app.channels.name(a).localeCompare(app.channels.name(b));
  });
  for (const [channelId, entries] of channels) {
    const key = `c${channelId}`;
    rows.push({ key, kind: "title", label: app.channels.name(channelId), channelId, count: countOf(entries) });
    if (!isOpen(key)) continue;
    for (const entry of entries.sort((a, b) => newest(b.ids) - newest(a.ids)))
      rows.push({ key: `t${channelId}:${entry.topic}`, kind: "topic", entry });
  }
  return rows;
}

const isOfKind = (app: App, { channelId, topic, hasMention }: UnreadTopic): boolean =>
  (app.inboxFilter.isOn("mentions") && hasMention) ||
  (app.inboxFilter.isOn("followed") && app.channels.policy(channelId, topic) === policies.followed);

function InboxRow({ row }: { row: Row }) {
  const app = useApp();
  if (row.kind === "title")
    return (
      <div class="inbox-title">
        <FoldButton of={row.key} name={row.label} />
        {row.channelId === undefined ? (
          <Icon name="person" size={16} />
        ) : (
          <ChannelMark channelId={row.channelId} size={16} />
        )}
        {row.channelId === undefined ? (
          <h2 class="ellipsis">{row.label}</h2>
        ) : (
          <h2 class="ellipsis" dir="auto">
            <a href={app.route.link([{ operator: "channel", operand: row.channelId }])}>{row.label}</a>
          </h2>
        )}
        <span class="unread quiet">{row.count}</span>
      </div>
    );
  if (row.kind === "direct") {
    const { userIds } = row;
    const conversation = { kind: "direct" as const, userIds: userIds.length > 0 ? userIds : [app.me] };
    const name = namesOf(app.people, userIds);
    return (
      <div class="inbox-row">
        <a data-row href={app.route.link(narrowOf(conversation))}>
          <DirectMark userIds={userIds} />
          <span class="label two-lines">
            <bdi class="ellipsis">{name}</bdi>
            <LastWords id={row.lastId} />
          </span>
          <AgoOf id={row.lastId} />
          <span class="unread">{row.count}</span>
        </a>
        <ReadButton run={() => app.actions.markRead(conversation)} name={name} />
      </div>
    );
  }
  const { channelId, topic, ids, hasMention } = row.entry;
  const conversation = { kind: "topic" as const, channelId, topic };
  return (
    <div class="inbox-row">
      <a data-row href={app.route.link(narrowOf(conversation))}>
        <span class="label two-lines">
          <span class="ellipsis">
            <TopicName topic={topic} />
          </span>
          <LastWords id={ids.at(-1)} />
        </span>
        <AgoOf id={ids.at(-1)} />
        {hasMention && <span class="at">@</span>}
        <span class="unread">{ids.length}</span>
      </a>
      <ReadButton run={() => app.actions.markRead(conversation)} name={topic || t.generalChat} />
    </div>
  );
}

function FoldButton({ of, name }: { of: string; name: string }) {
  const { inboxFilter: filter } = useApp();
  const isFolded = filter.isFolded(of);
  return (
    <button
      type="button"
      class="icon-button small"
      data-row
      aria-expanded={!isFolded}
      aria-label={isFolded ? t.unfold(name) : t.fold(name)}
      onClick={() => filter.fold(of)}
      onKeyDown={(event) => {
        // The keys of a tree, as in the left side.
        if (event.key !== (isFolded === isTurned() ? "ArrowLeft" : "ArrowRight")) return;
        event.preventDefault();
        filter.fold(of);
      }}
    >
      <Icon name={isFolded ? "right" : "down"} size={15} />
    </button>
  );
}

function ReadButton({ run, name }: { run(): Promise<void>; name: string }) {
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={`${t.markRead}: ${name}`}
      title={t.markRead}
      onClick={() => void run()}
    >
      <Icon name="check" size={16} />
    </button>
  );
}
