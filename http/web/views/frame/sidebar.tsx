/** The sidebar on the left. */
import { computed, type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useCallback, useMemo, useRef } from "preact/hooks";
import { kept, textsOf } from "../../kept.ts";
import { type App, useApp } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { keyOfFolder, liveFolders } from "../../model/lists/folders.ts";
import { t } from "../../texts.ts";
import { type Narrow, termOf } from "../../wire/narrow.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { FixedList, type Reveal } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { keepRows } from "../parts/keep-rows.ts";
import { PresenceDot } from "../parts/presence.tsx";
import { LazyNewDirect } from "./lazy.tsx";
import { openChannelMenu, openFolderMenu, openTopicMenu } from "./menus.tsx";
import { openOwnMenu } from "./own-menu.tsx";
import { SideEdge } from "./side-edge.tsx";
import { SideFilter } from "./side-filter.tsx";
import { SideMoves } from "./side-moves.ts";
import {
  hashOfRow,
  placeOfOpen,
  type Section,
  type SideRow,
  saysTheSame,
  sectionsOf,
  sideRows,
  viewRows,
  withTopics,
} from "./sidebar-rows.ts";

const rowHeight = 32;
const foldsKey = "parley.folds";

const keptFolds = (): ReadonlySet<string> => new Set(textsOf(kept(foldsKey)));

export function Sidebar() {
  const app = useApp();
  const filter = useSignal("");
  const folds = useSignal(keptFolds());
  const moves: SideMoves = useMemo(() => new SideMoves(app, () => rows.peek()), []);
  const sections = useComputed(() => sectionsOf(app, moves.isChannelDragged.value));
  const rows = useRows(app, filter, folds, sections);
  const here = useComputed(() => hashHere(app));
  const fold = useCallback((key: string) => {
    const next = new Set(folds.value);
    if (!next.delete(key)) next.add(key);
    folds.value = next;
    localStorage.setItem(foldsKey, JSON.stringify([...next]));
  }, []);
  const reveal = useReveal(app, rows.value, moves);
  return (
    <nav
      class={`left${app.ui.isLeftOpen.value ? " open" : ""}`}
      aria-label={t.views}
      onDragStart={moves.start}
      onDragOver={moves.over}
      onDragLeave={moves.leave}
      onDrop={moves.drop}
      onDragEnd={moves.end}
      onKeyDown={moves.press}
      onContextMenu={openMenuByKey}
    >
      <Head />
      <SideFilter
        text={filter}
        take={() => {
          const hash = rows.value.map((row) => row.kind !== "view" && hashOfRow(app, row)).find(Boolean);
          if (hash) app.route.go(hash);
        }}
      />
      {filter.value === "" && <Views here={here} fold={fold} moves={moves} />}
      <FixedList
        items={rows.value}
        rowHeight={rowHeight}
        reveal={reveal}
        keyOf={({ key }) => key}
        kindOf={({ key, kind }) => (kind === "title" ? `title ${key}` : kind)}
        row={(row) => <Row row={row} here={here} fold={fold} moves={moves} />}
      />
      <SideEdge of="left" />
    </nav>
  );
}

/** What does not hang on the open place is not made again when that changes: there may be thousands of channels. */
function useRows(
  app: App,
  filter: ReadonlySignal<string>,
  folds: ReadonlySignal<ReadonlySet<string>>,
  sections: ReadonlySignal<readonly Section[]>,
): ReadonlySignal<readonly SideRow[]> {
  const before = useRef<readonly SideRow[]>([]);
  const topicsBefore = useRef<readonly SideRow[]>([]);
  const openPeople = useComputed(() => {
    const people = termOf(app.route.placeOnScreen.value.narrow, "dm")?.operand;
    return Array.isArray(people) ? people.join() : undefined;
  });
  const rows = useComputed(() => {
    const people = openPeople.value?.split(",").map(Number);
    const now = sideRows(app, { filter: filter.value, folds: folds.value, openPeople: people }, sections.value);
    return (before.current = keepRows(now, before.current, saysTheSame));
  });
  return useComputed(() => withTopics(app, rows.value, topicsBefore));
}

/** The places. They stay where they are while the channels below them scroll. */
function Views({ here, fold, moves }: Omit<RowProps, "row"> & { here: ReadonlySignal<string> }) {
  const app = useApp();
  const before = useRef<readonly SideRow[]>([]);
  const rows = useComputed(() => (before.current = keepRows([...viewRows(app)], before.current, saysTheSame)));
  return (
    <div class="side-views">
      {rows.value.map((row) => (
        <Row key={row.key} row={row} here={here} fold={fold} moves={moves} />
      ))}
    </div>
  );
}

/** The key for menus opens the one of the row that has the focus. */
function openMenuByKey(event: MouseEvent): void {
  if (event.button === 2 || !(event.target instanceof Element)) return;
  const button = event.target.closest("[data-section]")?.querySelector<HTMLElement>(".icon-button.of-row");
  if (!button) return;
  event.preventDefault();
  button.click();
}

/**
 * Brings the row of what is open into view, once for each place: whoever scrolls away from it stays there. A row that
 * is moved by keys is followed, and keeps the focus.
 */
function useReveal(app: App, rows: readonly SideRow[], moves: SideMoves): Reveal | undefined {
  const { narrow } = app.route.placeOnScreen.value;
  const done = useRef<{ narrow: Narrow; key: string; reveal: Reveal }>(undefined);
  return useMemo(() => {
    const at = placeOfOpen(app, rows);
    const row = rows[at];
    // A topic is listed a little later than its channel is.
    const isDone = done.current?.narrow === narrow && (done.current.key === row?.key || row?.kind !== "topic");
    if (row && !isDone) done.current = { narrow, key: row.key, reveal: { at } };
    const arrived = moves.arrived(rows);
    if (arrived) {
      done.current = { narrow, key: row?.key ?? "", reveal: { at: arrived.at } };
      const give = app.ui.focus.later();
      requestAnimationFrame(() => give(document.querySelector<HTMLElement>(`.left ${arrived.selector}`)));
    }
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

interface RowProps {
  row: SideRow;
  moves: SideMoves;
  fold(key: string): void;
}

/** Drawn again for another row, and when it begins or ceases to be the open one. */
function Row({ row, here, fold, moves }: RowProps & { here: ReadonlySignal<string> }) {
  const app = useApp();
  const isOpen = useMemo(() => computed(() => hashOfRow(app, row) === here.value), [row]);
  return <RowView row={row} hash={hashOfRow(app, row)} isOpen={isOpen.value} fold={fold} moves={moves} />;
}

function RowView({ row, hash, isOpen, fold, moves }: RowProps & { hash: string | undefined; isOpen: boolean }) {
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
      return <Title row={row} fold={fold} moves={moves} />;
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
        <div
          class={`side-with-menu${row.channel.is_muted ? " is-muted" : ""}${row.isDemoted ? " is-demoted" : ""}`}
          data-section={row.section}
          data-channel={row.channel.stream_id}
        >
          <a class="side-row" {...link} {...(row.isDemoted && { title: t.inactiveChannel })}>
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
        <div class={`side-with-menu topic${policy === policies.muted ? " is-muted" : ""}`} data-section={row.section}>
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
        <a class="side-row more" data-section={row.section} {...link}>
          {t.moreTopics}
        </a>
      );
  }
}

/** It shows itself at the pointer alone. All rows have one, so it has nothing in it and takes part in no layout. */
function MenuButton({ label, open }: { label: string; open(of: Element): void }) {
  const { ui } = useApp();
  return (
    <button
      type="button"
      class="icon-button small dots of-row"
      tabIndex={-1}
      aria-label={label}
      onClick={({ currentTarget }) => {
        // The focus comes back to it from the menu, though the pointer is elsewhere by then.
        for (const kept of document.querySelectorAll(".of-row[data-kept]")) kept.removeAttribute("data-kept");
        currentTarget.dataset["kept"] = "";
        open(currentTarget);
      }}
      onBlur={({ currentTarget }) => ui.menu.peek() || currentTarget.removeAttribute("data-kept")}
    />
  );
}

function Title({ row, fold, moves }: Omit<RowProps, "row"> & { row: Extract<SideRow, { kind: "title" }> }) {
  const app = useApp();
  const { isGuest, isAdmin, isLoggedIn } = app.permissions;
  const folder = liveFolders(app).find(({ id }) => keyOfFolder(id) === row.key);
  const target = useComputed(() => (moves.target.value?.section === row.key ? moves.target.value.side : undefined));
  return (
    <div
      class={`side-title-row${target.value ? ` drops-${target.value}` : ""}`}
      data-section={row.key}
      {...(folder && { "data-folder": folder.id, draggable: isAdmin })}
    >
      <button type="button" class="side-title" aria-expanded={!row.isFolded} onClick={() => fold(row.key)}>
        <Icon name={row.isFolded ? "right" : "down"} size={13} />
        {row.label}
        {row.isFolded && <Count count={row.count} />}
      </button>
      {folder && isAdmin && (
        <MenuButton label={`${t.folderActions}: ${folder.name}`} open={(of) => openFolderMenu(app, of, folder.id)} />
      )}
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
      {row.key === "channels" && isLoggedIn && !isGuest && (
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
  return route.hashOf({ view, narrow: narrow.filter(({ operator }) => operator !== "near") });
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
