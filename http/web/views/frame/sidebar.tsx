/** The sidebar on the left. */
import { computed, type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useCallback, useMemo, useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { t } from "../../texts.ts";
import type { Narrow } from "../../wire/narrow.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { FixedList, type Reveal } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { keepRows } from "../parts/keep-rows.ts";
import { PresenceDot } from "../parts/presence.tsx";
import { MenuItems } from "./layers.tsx";
import { LazyNewDirect, LazyStatus } from "./lazy.tsx";
import { openChannelMenu, openTopicMenu } from "./menus.tsx";
import { SideEdge } from "./side-edge.tsx";
import { hashOfRow, placeOfOpen, type SideRow, saysTheSame, sectionsOf, sideRows, viewRows } from "./sidebar-rows.ts";

const rowHeight = 32;
const foldsKey = "parley.folds";

function keptFolds(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(localStorage.getItem(foldsKey) ?? "[]") as string[]);
  } catch {
    return new Set();
  }
}

export function Sidebar() {
  const app = useApp();
  const filter = useSignal("");
  const folds = useSignal(keptFolds());
  const sections = useComputed(() => sectionsOf(app));
  const before = useRef<readonly SideRow[]>([]);
  const rows = useComputed(() => {
    const now = sideRows(app, filter.value, folds.value, sections.value);
    return (before.current = keepRows(now, before.current, saysTheSame));
  });
  const here = useComputed(() => hashHere(app));
  const fold = useCallback((key: string) => {
    const next = new Set(folds.value);
    if (!next.delete(key)) next.add(key);
    folds.value = next;
    localStorage.setItem(foldsKey, JSON.stringify([...next]));
  }, []);
  const reveal = useReveal(app, rows.value);
  return (
    <nav class={`left${app.ui.isLeftOpen.value ? " open" : ""}`} aria-label={t.views}>
      <Head />
      <div class="search-field">
        <Icon name="search" size={15} />
        <input
          type="search"
          id="filter-channels"
          placeholder={t.filterChannels}
          aria-label={t.filterChannels}
          value={filter}
          onInput={(event) => (filter.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            const hash = rows.value.map((row) => row.kind !== "view" && hashOfRow(app, row)).find(Boolean);
            if (hash) app.route.go(hash);
            filter.value = "";
          }}
        />
      </div>
      {filter.value === "" && <Views here={here} fold={fold} />}
      <FixedList
        items={rows.value}
        rowHeight={rowHeight}
        reveal={reveal}
        keyOf={({ key }) => key}
        row={(row) => <Row row={row} here={here} fold={fold} />}
      />
      <SideEdge of="left" />
    </nav>
  );
}

/** The places. They stay where they are while the channels below them scroll. */
function Views({ here, fold }: Omit<RowProps, "row"> & { here: ReadonlySignal<string> }) {
  const app = useApp();
  const before = useRef<readonly SideRow[]>([]);
  const rows = useComputed(() => (before.current = keepRows([...viewRows(app)], before.current, saysTheSame)));
  return (
    <div class="side-views">
      {rows.value.map((row) => (
        <Row key={row.key} row={row} here={here} fold={fold} />
      ))}
    </div>
  );
}

/** Brings the row of what is open into view, once for each place: whoever scrolls away from it stays there. */
function useReveal(app: App, rows: readonly SideRow[]): Reveal | undefined {
  const { narrow } = app.route.placeOnScreen.value;
  const done = useRef<{ narrow: Narrow; key: string; reveal: Reveal }>(undefined);
  // In the drawing itself: one that follows it would lay the page out and paint it once more.
  return useMemo(() => {
    const at = placeOfOpen(app, rows);
    const row = rows[at];
    // A topic is listed a little later than its channel is.
    const isDone = done.current?.narrow === narrow && (done.current.key === row?.key || row?.kind !== "topic");
    if (row && !isDone) done.current = { narrow, key: row.key, reveal: { at } };
    return done.current?.reveal;
  }, [narrow, rows]);
}

function Head() {
  const app = useApp();
  const { me } = app.people;
  const name = String(app.store.read("realm")["realm_name"] ?? "");
  return (
    <header class="side-head">
      <img src={String(app.store.state["realm_icon_url"] ?? "/static/icon.svg")} alt="" width="28" height="28" />
      <strong class="realm-name" title={name}>
        <bdi>{name}</bdi>
      </strong>
      {me ? (
        <button
          type="button"
          class="me-button"
          aria-label={t.menu}
          aria-haspopup="menu"
          onClick={(event) => openOwnMenu(app, event.currentTarget)}
        >
          <span class="avatar-with-dot">
            <Avatar user={me} size={26} />
            <PresenceDot user={me} />
          </span>
        </button>
      ) : (
        <a class="button small" href="/login/">
          {t.logIn}
        </a>
      )}
    </header>
  );
}

function openOwnMenu(app: App, of: Element): void {
  const { route, ui, permissions } = app;
  ui.openMenu(of, t.menu, () => (
    <MenuItems
      items={[
        { icon: "smile", label: t.setStatus, run: () => ui.openDialog(() => <LazyStatus />) },
        { icon: "settings", label: t.settings, run: () => route.go("#settings/profile") },
        { icon: "hash", label: t.channels, run: () => route.go("#channels") },
        { icon: "people", label: t.groups, run: () => route.go("#groups") },
        { icon: "globe", label: t.organization, run: () => route.go("#organization/profile") },
        app.store.state["can_invite_others_to_realm"] === true &&
          !permissions.isGuest && { icon: "plus", label: t.invite, run: () => route.go("#invite") },
        undefined,
        { icon: "palette", label: t.keyboard, run: () => route.go("#keyboard") },
        { icon: "door", label: t.logOut, run: () => logOut(app) },
      ]}
    />
  ));
}

function logOut(app: App): void {
  app.session.pauseWhile(async () => {
    const done = await app.actions.try<{ logout_url?: string }>("POST", "/sessions/end");
    if (!done) return;
    await app.offline.forget();
    location.assign(done.logout_url ?? "/login/");
    // The page is being left: nothing goes on in it.
    await new Promise(() => {});
  });
}

interface RowProps {
  row: SideRow;
  fold(key: string): void;
}

/** Drawn again for another row, and when it begins or ceases to be the open one. */
function Row({ row, here, fold }: RowProps & { here: ReadonlySignal<string> }) {
  const app = useApp();
  const isOpen = useMemo(() => computed(() => hashOfRow(app, row) === here.value), [row]);
  return <RowView row={row} hash={hashOfRow(app, row)} isOpen={isOpen.value} fold={fold} />;
}

function RowView({ row, hash, isOpen, fold }: RowProps & { hash: string | undefined; isOpen: boolean }) {
  const app = useApp();
  // Also where it leads to the place that is open.
  const close = () => app.ui.leavePlace();
  const link = { href: hash ?? "#", onClick: close, ...(isOpen && { "aria-current": "page" as const }) };
  switch (row.kind) {
    case "view":
      return (
        <a class="side-row" {...link}>
          <Icon name={row.icon} size={17} />
          <span class="label">{row.label}</span>
          <Count count={row.count} isQuiet={row.isQuiet ?? false} />
        </a>
      );
    case "title":
      return <Title row={row} fold={fold} />;
    case "direct":
      return (
        <a class="side-row" {...link}>
          <PresenceDot user={row.userIds.length === 1 ? app.people.get(row.userIds[0]!) : undefined} />
          <span class="label">
            <bdi>{row.userIds.map((id) => app.people.name(id)).join(", ") || t.notesToSelf}</bdi>
          </span>
          <Count count={row.count} />
        </a>
      );
    case "channel":
      return (
        <div class={`side-with-menu${row.channel.is_muted ? " is-muted" : ""}`}>
          <a class="side-row" {...link}>
            <ChannelMark channelId={row.channel.stream_id} />
            <span class="label">
              <bdi>{row.channel.name}</bdi>
            </span>
            {row.hasMention && <span class="at">@</span>}
            <Count count={row.count || row.mutedCount} isQuiet={row.count === 0} />
          </a>
          <MenuButton
            label={`${t.channelActions}: ${row.channel.name}`}
            open={(of) => openChannelMenu(app, of, row.channel.stream_id)}
          />
        </div>
      );
    case "topic": {
      const policy = app.channels.policy(row.channelId, row.topic);
      return (
        <div class={`side-with-menu topic${policy === policies.muted ? " is-muted" : ""}`}>
          <a class="side-row" {...link}>
            <span class="label">
              <TopicName topic={row.topic} />
            </span>
            {policy === policies.followed && <Icon name="bell" size={13} />}
            <Count count={row.count} isQuiet={policy === policies.muted} />
          </a>
          <MenuButton
            label={`${t.topicActions}: ${row.topic}`}
            open={(of) => openTopicMenu(app, of, row.channelId, row.topic)}
          />
        </div>
      );
    }
    case "more":
      return (
        <a class="side-row more" href={`#channels/${row.channelId}/topics`}>
          {t.moreTopics}
        </a>
      );
  }
}

function MenuButton({ label, open }: { label: string; open(of: Element): void }) {
  return (
    <button
      type="button"
      class="icon-button small"
      tabIndex={-1}
      aria-label={label}
      onClick={(event) => open(event.currentTarget)}
    >
      <Icon name="more" size={15} />
    </button>
  );
}

function Title({ row, fold }: { row: Extract<SideRow, { kind: "title" }>; fold(key: string): void }) {
  const app = useApp();
  const { isGuest } = app.permissions;
  return (
    <div class="side-title-row">
      <button type="button" class="side-title" aria-expanded={!row.isFolded} onClick={() => fold(row.key)}>
        <Icon name={row.isFolded ? "right" : "down"} size={13} />
        {row.label}
        {row.isFolded && <Count count={row.count} />}
      </button>
      {row.key === "direct" && (
        <button
          type="button"
          class="icon-button small"
          aria-label={t.newDirect}
          onClick={() => app.ui.openDialog(() => <LazyNewDirect />)}
        >
          <Icon name="plus" size={15} />
        </button>
      )}
      {row.key === "channels" && app.permissions.isLoggedIn && !isGuest && (
        <a class="icon-button small" aria-label={t.browseChannels} href="#channels">
          <Icon name="plus" size={15} />
        </a>
      )}
    </div>
  );
}

/** The address of what is open, without the message that it was opened at. */
function hashHere({ route }: App): string {
  const { view, narrow } = route.place.value;
  return view === "messages" ? route.link(narrow.filter(({ operator }) => operator !== "near")) : `#${view}`;
}

function Count({ count, isQuiet = false }: { count: number; isQuiet?: boolean }) {
  if (count === 0) return null;
  return (
    <span
      class={`unread${isQuiet ? " quiet" : ""}`}
      aria-label={isQuiet ? String(count) : t.unreadCount(count)}
      role="img"
    >
      {count > 999 ? "999+" : count}
    </span>
  );
}
