/** The rows of the sidebar: places, direct conversations, and channels by folder with their topics. */

import { sameTopic } from "../../../client/state/unread.ts";
import type { App } from "../../model/app.ts";
import type { Channel } from "../../model/channels.ts";
import { keyOfPlace, placesOf } from "../../model/lists/folders.ts";
import { folded } from "../../model/people.ts";

import { t } from "../../texts.ts";
import { type Narrow, narrowOf, reactionsTo, termOf } from "../../wire/narrow.ts";
import type { IconName } from "../parts/icons.tsx";
import { keepRows } from "../parts/keep-rows.ts";

export type SideRow =
  | { kind: "view"; key: string; icon: IconName; label: string; hash: string; count: number; isQuiet?: boolean }
  | { kind: "title"; key: string; label: string; isFolded: boolean; count: number }
  | { kind: "direct"; key: string; userIds: readonly number[]; count: number }
  | {
      kind: "channel";
      key: string;
      section: string;
      channel: Channel;
      count: number;
      mutedCount: number;
      hasMention: boolean;
      /** Whether it is listed last, as nobody writes there. */
      isDemoted: boolean;
    }
  | { kind: "topic"; key: string; section: string; channelId: number; topic: string; count: number }
  | { kind: "more"; key: string; section: string; channelId: number };

/** Topics of a channel, and direct conversations, that are shown at first. */
const maxTopics = 8;
const maxDirect = 12;

const starredNarrow: Narrow = [{ operator: "is", operand: "starred" }];
const mentionsNarrow: Narrow = [{ operator: "is", operand: "mentioned" }];

/** The places that stand above the channels. */
export function* viewRows(app: App): Generator<SideRow> {
  const { unread, store, route } = app;
  const counted = unread.counted.value;
  const state = store.read("personal");
  const lengthOf = (field: "starred_messages" | "drafts" | "scheduled_messages" | "reminders"): number =>
    state[field]?.length ?? 0;
  const view = (key: string, icon: IconName, label: string, hash: string, count = 0, isQuiet = false): SideRow => ({
    kind: "view",
    key: `view-${key}`,
    icon,
    label,
    hash,
    count,
    isQuiet,
  });
  if (!app.permissions.isLoggedIn) {
    yield view("feed", "feed", t.feed, "#feed");
    return;
  }
  yield view("inbox", "inbox", t.inbox, "#inbox", counted.total);
  yield view("recent", "recent", t.recent, "#recent");
  yield view("feed", "feed", t.feed, "#feed");
  yield view("mentions", "mention", t.mentions, route.link(mentionsNarrow), counted.mentions);
  yield view("starred", "star", t.starred, route.link(starredNarrow), lengthOf("starred_messages"), true);
  yield view("reactions", "smile", t.reactionsToMe, route.link(reactionsTo(app.me)));
  yield view("drafts", "draft", t.drafts, "#drafts", lengthOf("drafts"), true);
  if (lengthOf("scheduled_messages") > 0)
    yield view("scheduled", "clock", t.scheduledMessages, "#scheduled", lengthOf("scheduled_messages"), true);
  if (lengthOf("reminders") > 0)
    yield view("reminders", "bell", t.reminders, "#reminders", lengthOf("reminders"), true);
}

/** @param open whose conversation is open: it is listed in any case */
function* directs(app: App, filter: string, open: readonly number[] | undefined): Generator<SideRow> {
  const { store, unread, people } = app;
  const conversations = store.read("conversations").recent_private_conversations ?? [];
  const matches = (ids: readonly number[]): boolean =>
    filter === "" || ids.some((id) => folded(people.name(id)).includes(filter));
  const keys = new Set<string>();
  let shown = 0;
  for (const { user_ids } of conversations) {
    const count = unread.ofPeople(user_ids);
    const isOpen = open !== undefined && [...open].sort().join() === [...user_ids].sort().join();
    if ((shown >= maxDirect && count === 0 && !isOpen) || !matches(user_ids)) continue;
    shown++;
    const key = `direct-${user_ids.join()}`;
    keys.add(key);
    yield { kind: "direct", key, userIds: user_ids, count };
  }
  if (open !== undefined && !keys.has(`direct-${open.join()}`) && shown === keys.size && filter === "") {
    const isListed = conversations.some(
      ({ user_ids }) =>
        [...user_ids].sort().join() ===
        open
          .filter((id) => id !== app.me)
          .sort()
          .join(),
    );
    if (!isListed) yield { kind: "direct", key: `direct-${open.join()}`, userIds: open, count: 0 };
  }
}

export interface Section {
  key: string;
  label: string;
  channels: Channel[];
  /** Whether it is shown without channels, too. */
  isKept: boolean;
}

/** @param withEmpty also what nothing is in yet, for somebody who is dragging a channel */
export function sectionsOf(app: App, withEmpty = false): Section[] {
  const { channels } = app;
  const listed = app.permissions.isLoggedIn ? channels.subscribed.value : channels.all.value;
  const places = placesOf(app);
  const inPlaces = new Map<string, Channel[]>(places.map(({ key }) => [key, []]));
  const archived: Channel[] = [];
  for (const channel of listed) (inPlaces.get(keyOfPlace(app, channel)) ?? archived).push(channel);
  const rankOf = (channel: Channel): number => (channels.isDemoted(channel) ? 2 : 0) + (channel.is_muted ? 1 : 0);
  const quietLast = (list: Channel[]): Channel[] => list.sort((one, other) => rankOf(one) - rankOf(other));
  // Who is in no channel yet finds them there.
  const mayJoin = listed.length === 0 && app.permissions.isLoggedIn && !app.permissions.isGuest;
  const isPlain = !withEmpty && places.length === 2 && inPlaces.get("pinned")?.length === 0;
  const sections = places.map(({ key, label }) => ({
    key,
    label: isPlain && key === "channels" ? t.channels : label,
    channels: key === "pinned" ? (inPlaces.get(key) ?? []) : quietLast(inPlaces.get(key) ?? []),
    isKept: withEmpty || (mayJoin && key === "channels"),
  }));
  const ended = { key: "archived", label: t.archived, channels: archived, isKept: false };
  return [...sections, ended].filter((section) => section.isKept || section.channels.length > 0);
}

interface Shown {
  filter: string;
  folds: ReadonlySet<string>;
  openPeople?: readonly number[] | undefined;
}

/** All rows but those of topics, which go from one channel to the other. */
export function sideRows(
  app: App,
  { filter: filterText, folds, openPeople }: Shown,
  sections: readonly Section[] = sectionsOf(app),
): SideRow[] {
  const filter = folded(filterText.trim());
  const rows: SideRow[] = [];
  if (app.permissions.isLoggedIn) {
    const isFolded = folds.has("direct") && filter === "";
    rows.push({
      kind: "title",
      key: "direct",
      label: t.directMessages,
      isFolded,
      count: app.unread.counted.value.direct,
    });
    if (!isFolded) rows.push(...directs(app, filter, openPeople));
  }
  const { byChannel } = app.unread.counted.value;
  for (const { key, label, channels, isKept } of sections) {
    const found = filter === "" ? channels : channels.filter(({ name }) => folded(name).includes(filter));
    if (found.length === 0 && !isKept) continue;
    // Archived channels are folded at first.
    const isFolded = filter === "" && folds.has(key) !== (key === "archived");
    const count = found.reduce((sum, { stream_id }) => sum + (byChannel.get(stream_id)?.audible ?? 0), 0);
    rows.push({ kind: "title", key, label, isFolded, count });
    if (isFolded) continue;
    for (const channel of found) {
      const { audible = 0, muted = 0, hasMention = false } = byChannel.get(channel.stream_id) ?? {};
      rows.push({
        kind: "channel",
        key: `c${channel.stream_id}`,
        section: key,
        channel,
        count: audible,
        mutedCount: muted,
        hasMention,
        isDemoted: app.channels.isDemoted(channel),
      });
    }
  }
  return rows;
}

/** With the topics of the open channel below it. @param before the rows of topics that are shown now */
export function withTopics(app: App, rows: readonly SideRow[], before: { current: readonly SideRow[] }) {
  const open = termOf(app.route.placeOnScreen.value.narrow, "channel")?.operand;
  const at = rows.findIndex((row) => row.kind === "channel" && row.channel.stream_id === open);
  const row = rows[at];
  if (row?.kind !== "channel") return rows;
  before.current = keepRows([...topicRows(app, row.channel.stream_id, row.section)], before.current, saysTheSame);
  return [...rows.slice(0, at + 1), ...before.current, ...rows.slice(at + 1)];
}

function* topicRows(app: App, channelId: number, section: string): Generator<SideRow> {
  const topics = app.topics.of(channelId);
  if (!topics) return;
  const open = termOf(app.route.placeOnScreen.value.narrow, "topic")?.operand;
  let shown = 0;
  for (const { name } of topics) {
    const isOpen = typeof open === "string" && open.toLowerCase() === name.toLowerCase();
    if (shown >= maxTopics && !isOpen) continue;
    shown++;
    const count = app.unread.ofTopic(channelId, name);
    yield { kind: "topic", key: `t${channelId}:${name}`, section, channelId, topic: name, count };
  }
  if (topics.length > shown) yield { kind: "more", key: `more${channelId}`, section, channelId };
}

export const hashOfRow = (app: App, row: SideRow): string | undefined => {
  switch (row.kind) {
    case "view":
      return row.hash;
    case "direct":
      return app.route.link(narrowOf({ kind: "direct", userIds: row.userIds.length > 0 ? row.userIds : [app.me] }));
    case "channel":
      return app.route.link([{ operator: "channel", operand: row.channel.stream_id }]);
    case "topic":
      return app.route.link(narrowOf({ kind: "topic", channelId: row.channelId, topic: row.topic }));
    case "more":
      return app.route.linkToTopics(row.channelId);
    default:
      return undefined;
  }
};

/** The place of the row that stands for what is open, or else of the row of its channel; -1 for none. */
export function placeOfOpen({ me, route }: App, rows: readonly SideRow[]): number {
  const { narrow } = route.placeOnScreen.value;
  const people = termOf(narrow, "dm")?.operand;
  const nameOf = (ids: readonly number[]): string =>
    ids
      .filter((id) => id !== me)
      .sort((a, b) => a - b)
      .join();
  if (Array.isArray(people))
    return rows.findIndex((row) => row.kind === "direct" && nameOf(row.userIds) === nameOf(people));
  const channelId = termOf(narrow, "channel")?.operand;
  const topic = termOf(narrow, "topic")?.operand;
  const ofTopic =
    typeof topic === "string"
      ? rows.findIndex((row) => row.kind === "topic" && row.channelId === channelId && sameTopic(row.topic, topic))
      : -1;
  return ofTopic >= 0
    ? ofTopic
    : rows.findIndex((row) => row.kind === "channel" && row.channel.stream_id === channelId);
}

export function saysTheSame(one: SideRow, other: SideRow): boolean {
  for (const name in one) if (Reflect.get(other, name) !== Reflect.get(one, name)) return false;
  return true;
}
