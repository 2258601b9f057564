/** The right side: people, those online first; where a channel is open, those who subscribe to it. */
import { computed, useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { UserRecord } from "../../../client/state/state.ts";
import { type App, useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { narrowOf, termOf } from "../../wire/narrow.ts";
import { Avatar } from "../parts/avatar.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { openPerson } from "../parts/person-card.tsx";
import { PresenceDot, StatusEmoji, StatusText } from "../parts/presence.tsx";
import { SideEdge } from "./side-edge.tsx";

/** By `user_list_style`: names alone, names with pictures, and both with a line for the status. */
const rowHeights: Readonly<Record<number, number>> = { 1: 30, 2: 36, 3: 48 };
const usualStyle = 2;
/** Of a larger channel the subscribers are nearly everybody, and a long answer. */
const largestListed = 1000;
/** Most people shown. Others are found by searching. */
const maxFound = 500;

type Entry = { key: string; title: string } | UserRecord;

const isUser = (entry: Entry): entry is UserRecord => "user_id" in entry;

export function PeoplePane() {
  const app = useApp();
  const text = useSignal("");
  const isOfChannel = useSignal(true);
  const entries = useComputed((): Entry[] => {
    const { people, presence } = app;
    if (text.value.trim() !== "") return people.search(text.value, maxFound);
    const channelId = isOfChannel.value ? channelHere(app) : undefined;
    if (channelId !== undefined) return membersOf(app, channelId) ?? [];
    const online = new Set(presence.online());
    const here = [...online]
      .flatMap((id) => (people.isActive(id) ? (people.get(id) ?? []) : []))
      .filter(({ is_bot }) => !is_bot);
    here.sort((a, b) => (people.foldedName(a) < people.foldedName(b) ? -1 : 1));
    const present = titled("online", t.online, here);
    // To sort 50,000 people takes long. What was opened is shown first.
    if (!app.ui.isSettled.value) return present;
    const away = people.sorted.value.filter((user) => !online.has(user.user_id));
    return [...present, ...titled("away", t.notOnline, away)];
  });
  const style = Number(app.store.read("settings").user_settings?.["user_list_style"] ?? usualStyle);
  const hasChannel = useComputed(() => channelHere(app) !== undefined).value;
  return (
    <aside class="right" aria-label={t.people}>
      <div class="search-field">
        <Icon name="search" size={15} />
        <input
          type="search"
          id="find-people"
          placeholder={t.findPeople}
          aria-label={t.findPeople}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = entries.value.find(isUser);
            if (event.key === "Enter" && first) app.route.open(narrowOf({ kind: "direct", userIds: [first.user_id] }));
          }}
        />
        <button
          type="button"
          class="icon-button small only-small"
          aria-label={t.hideSidebar}
          onClick={() => (app.ui.isRightOpen.value = false)}
        >
          <Icon name="close" size={15} />
        </button>
      </div>
      {hasChannel && text.value.trim() === "" && (
        <div class="whose" role="group" aria-label={t.people}>
          {([true, false] as const).map((isHere) => (
            <button
              key={String(isHere)}
              type="button"
              aria-pressed={isOfChannel.value === isHere}
              onClick={() => (isOfChannel.value = isHere)}
            >
              {isHere ? t.inThisChannel : t.everybody}
            </button>
          ))}
        </div>
      )}
      {text.value.trim() !== "" && entries.value.length === 0 && app.ui.isSettled.value ? (
        <p class="soft padded">{t.noneFound}</p>
      ) : (
        <FixedList
          items={entries.value}
          rowHeight={rowHeights[style] ?? 36}
          keyOf={(entry) => (isUser(entry) ? entry.user_id : entry.key)}
          kindOf={(entry) => (isUser(entry) ? "person" : entry.key)}
          row={(entry) =>
            isUser(entry) ? <PersonRow user={entry} style={style} /> : <h2 class="side-title">{entry.title}</h2>
          }
        />
      )}
      <SideEdge of="right" />
    </aside>
  );
}

/** The open channel, if its people are listed: those of a very large one are not. */
function channelHere(app: App): number | undefined {
  const channelId = termOf(app.route.placeOnScreen.value.narrow, "channel")?.operand;
  // What was opened is shown first.
  if (typeof channelId !== "number" || !app.permissions.isLoggedIn || !app.ui.isSettled.value) return undefined;
  const { subscriber_count: count = 0 } = app.channels.get(channelId) ?? { subscriber_count: largestListed + 1 };
  return count <= largestListed ? channelId : undefined;
}

/** Undefined while they are fetched. */
function membersOf({ members, people, presence }: App, channelId: number): Entry[] | undefined {
  const ids = members.of(channelId);
  if (!ids) return undefined;
  const isHere = (user: UserRecord): boolean => ["active", "idle"].includes(presence.of(user));
  const all = [...ids].flatMap((id) => (people.isActive(id) ? (people.get(id) ?? []) : []));
  all.sort((a, b) => (people.foldedName(a) < people.foldedName(b) ? -1 : 1));
  const [here, away] = [all.filter(isHere), all.filter((user) => !isHere(user))];
  return [...titled("online", t.online, here), ...titled("away", t.notOnline, away)];
}

/** Under a title that says how many they are. */
const titled = (key: string, title: string, list: readonly UserRecord[]): Entry[] =>
  list.length > 0 ? [{ key, title: `${title} · ${list.length}` }, ...list] : [];

function PersonRow({ user, style }: { user: UserRecord; style: number }) {
  const app = useApp();
  // Computed, so that the row is drawn again for its own count only. The row may show another person later.
  const unread = useMemo(
    () => computed(() => app.unread.ofPeople(user.user_id === app.me ? [] : [user.user_id])),
    [user.user_id],
  ).value;
  return (
    <div class="person-row">
      <a
        href={app.route.link(narrowOf({ kind: "direct", userIds: [user.user_id] }))}
        onClick={() => app.ui.leavePlace()}
      >
        {style === 1 ? (
          <PresenceDot user={user} />
        ) : (
          <span class="avatar-with-dot">
            <Avatar user={user} size={style === 3 ? 32 : 24} />
            <PresenceDot user={user} />
          </span>
        )}
        <span class="name">
          <bdi>{user.full_name}</bdi>
          {user.user_id === app.me && <span class="soft"> ({t.you.toLowerCase()})</span>}
          {style === 3 ? <StatusText userId={user.user_id} /> : <StatusEmoji userId={user.user_id} />}
        </span>
        {unread > 0 && <span class="unread">{unread}</span>}
      </a>
      <button
        type="button"
        class="icon-button small dots"
        aria-label={`${t.profile}: ${user.full_name}`}
        onClick={(event) => openPerson(app, user.user_id, event.currentTarget)}
      />
    </div>
  );
}
