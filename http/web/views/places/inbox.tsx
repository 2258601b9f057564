/** Conversations with unread messages. */

import { useComputed } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import type { UnreadTopic } from "../../model/unread.ts";
import { narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { DirectMark } from "../parts/direct-mark.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";

type Row =
  | { key: string; kind: "title"; label: string; channelId?: number; count: number }
  | { key: string; kind: "direct"; userIds: readonly number[]; count: number }
  | { key: string; kind: "topic"; entry: UnreadTopic };

const rowHeight = 44;

export function Inbox() {
  const app = useApp();
  const rows = useComputed(() => inboxRows(app));
  if (rows.value.length === 0)
    return (
      <div class="empty">
        <Icon name="inbox" size={44} />
        <p>{t.inboxEmpty}</p>
        <p class="soft">{t.inboxEmptyHint}</p>
        <a class="button" href="#recent">
          {t.recent}
        </a>
      </div>
    );
  return (
    <div class="list-view">
      <div class="list-tools">
        <button type="button" class="button quiet small" onClick={() => void app.actions.markRead("everything")}>
          <Icon name="checks" size={16} /> {t.markAllRead}
        </button>
      </div>
      <FixedList
        items={rows.value}
        rowHeight={rowHeight}
        keyOf={({ key }) => key}
        row={(row) => <InboxRow row={row} />}
        label={t.inbox}
      />
    </div>
  );
}

function inboxRows(app: ReturnType<typeof useApp>): Row[] {
  const { directs, topics, direct } = app.unread.counted.value;
  const rows: Row[] = [];
  const newest = (ids: readonly number[]): number => ids.at(-1) ?? 0;
  if (directs.length > 0) rows.push({ key: "direct", kind: "title", label: t.directMessages, count: direct });
  for (const { userIds, ids } of [...directs].sort((a, b) => newest(b.ids) - newest(a.ids)))
    rows.push({ key: `d${userIds.join()}`, kind: "direct", userIds, count: ids.length });
  const byChannel = new Map<number, UnreadTopic[]>();
  for (const entry of topics) {
    if (entry.isMuted && !entry.hasMention) continue;
    const known = byChannel.get(entry.channelId);
    if (known) known.push(entry);
    else byChannel.set(entry.channelId, [entry]);
  }
  const channels = [...byChannel].sort(([a], [b]) => {
    const pins = Number(app.channels.get(b)?.pin_to_top ?? false) - Number(app.channels.get(a)?.pin_to_top ?? false);
    return pins || app.channels.name(a).localeCompare(app.channels.name(b));
  });
  for (const [channelId, entries] of channels) {
    const count = entries.reduce((sum, { ids }) => sum + ids.length, 0);
    rows.push({ key: `c${channelId}`, kind: "title", label: app.channels.name(channelId), channelId, count });
    for (const entry of entries.sort((a, b) => newest(b.ids) - newest(a.ids)))
      rows.push({ key: `t${channelId}:${entry.topic}`, kind: "topic", entry });
  }
  return rows;
}

function InboxRow({ row }: { row: Row }) {
  const app = useApp();
  if (row.kind === "title")
    return (
      <div class="inbox-title">
        {row.channelId === undefined ? (
          <Icon name="person" size={16} />
        ) : (
          <ChannelMark channelId={row.channelId} size={16} />
        )}
        {row.channelId === undefined ? (
          <h2>{row.label}</h2>
        ) : (
          <h2>
            <a href={app.route.link([{ operator: "channel", operand: row.channelId }])}>{row.label}</a>
          </h2>
        )}
        <span class="unread quiet">{row.count}</span>
      </div>
    );
  if (row.kind === "direct") {
    const { userIds } = row;
    const conversation = { kind: "direct" as const, userIds: userIds.length > 0 ? userIds : [app.me] };
    const name = userIds.map((id) => app.people.name(id)).join(", ") || t.notesToSelf;
    return (
      <div class="inbox-row">
        <a href={app.route.link(narrowOf(conversation))}>
          <DirectMark userIds={userIds} />
          <bdi class="label">{name}</bdi>
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
      <a href={app.route.link(narrowOf(conversation))}>
        <span class="label">
          <TopicName topic={topic} />
        </span>
        {hasMention && <span class="at">@</span>}
        <span class="unread">{ids.length}</span>
      </a>
      <ReadButton run={() => app.actions.markRead(conversation)} name={topic || t.generalChat} />
    </div>
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
