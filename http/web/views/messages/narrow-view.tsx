/** The messages of an opened narrow. */
import { computed, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { conversationKey } from "../../model/drafts.ts";
import type { MessageRange } from "../../model/lists/message-range.ts";
import { t } from "../../texts.ts";
import { type Conversation, conversationOf, keyOf, reactionsTo, termOf } from "../../wire/narrow.ts";
import { dayName } from "../parts/dates.ts";
import { Icon } from "../parts/icons.tsx";
import { ConversationBar } from "./conversation-bar.tsx";
import { MessageView, PendingView } from "./message.tsx";
import { conversationAt, type MessageRow, rowsOf } from "./message-rows.ts";
import { type Aim, type Measured, VirtualList } from "./virtual-list.tsx";

interface Props {
  list: MessageRange;
  /** Another number each time the list begins anew. */
  opening: number;
  /** Whether the list is in the page. What is not shown follows no events. */
  isShown: ReadonlySignal<boolean>;
  measured: Measured;
}

export function NarrowView(props: Props) {
  const app = useApp();
  const { list } = props;
  const status = list.status.value;
  if (status === "failed")
    return (
      <div class="empty">
        <p role="alert">{list.error.value || t.loadFailed}</p>
        <button type="button" class="button" onClick={() => app.lists.retry(list)}>
          {t.tryAgain}
        </button>
      </div>
    );
  if (status !== "ready")
    return (
      <div class="empty" aria-busy="true">
        <p>{t.loading}</p>
      </div>
    );
  return <Messages {...props} />;
}

function Messages({ list, opening, isShown, measured }: Props) {
  const app = useApp();
  const { cache } = app.lists;
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useMemo(() => signal(true), [opening]);
  const newBelow = useMemo(() => signal(0), [opening]);
  const read = useMemo(() => signal<Conversation | undefined>(undefined), []);
  const conversation = conversationOf(list.narrow);
  const firstUnread = useMemo(() => list.ids.find((id) => !cache.get(id)?.flags.includes("read")), [opening]);
  const shown = useRef<MessageRow[]>([]);
  const followed = useMemo(
    () =>
      computed(() => {
        if (!isShown.value) return shown.current;
        void list.version.value;
        void app.lists.changes.value;
        const pending = app.outbox.pending.value.filter(
          (one) => conversation && conversationKey(one.conversation) === conversationKey(conversation),
        );
        const facts = { me: app.me, firstUnread, hasConversations: !conversation, pending };
        return (shown.current = rowsOf(list, cache, facts, shown.current));
      }),
    [opening],
  );
  const rows = followed.value;
  const begins = useMemo(() => ({ at: aimOf(list, app.open.target, firstUnread, rows) }), [opening]);
  const ends = app.open.ends.value;
  const endsAtOpening = useMemo(() => ends, [opening]);
  // Whoever has sent something sees it, wherever they were.
  const aim = useMemo(() => (ends === endsAtOpening ? begins : { at: "end" as const }), [opening, ends]);
  const newest = list.ids.at(-1);
  const seen = useMemo(() => ({ current: newest }), [opening]);
  useEffect(() => {
    if (isAtEnd.peek() || newest === undefined) {
      seen.current = newest;
      newBelow.value = 0;
    } else {
      const from = Math.max(seen.current ?? 0, list.fetchedTo);
      newBelow.value = list.ids.filter((id) => id > from && cache.get(id)?.sender_id !== app.me).length;
    }
  }, [newest, opening]);

  if (list.ids.length === 0 && rows.every(({ kind }) => kind !== "pending")) return <Nothing list={list} />;
  const begin = conversationOf(list.narrow) && !isOfWords(list) ? t.begin : t.noneOlder;
  return (
    <>
      <div class={`message-list${conversation ? "" : " of-several"}`}>
        <VirtualList
          rows={rows}
          measured={measured}
          scroller={scroller}
          label={t.messages}
          aim={aim}
          draw={(row) => <RowView row={row} begin={begin} />}
          onScroll={(state) => {
            isAtEnd.value = state.isAtEnd;
            if (state.isAtEnd) {
              newBelow.value = 0;
              seen.current = list.ids.at(-1);
            }
            if (state.nearStart) void app.lists.more(list, "before");
            if (state.nearEnd) void app.lists.more(list, "after");
            if (!conversation) read.value = conversationAt(rows, state.first);
            const ids = state.visible.flatMap((row) => (row.kind === "message" ? [row.message.id] : []));
            app.open.topmost = ids[0];
            list.lowest = ids.at(-1);
            app.open.lowest.value = list.lowest;
            app.reading.show(ids, () => untracked(() => app.staysUnread(list.narrow)));
          }}
        />
        <Read conversation={read} />
        <Jump list={list} isAtEnd={isAtEnd} newBelow={newBelow} />
      </div>
      <StayUnread list={list} rows={followed} />
    </>
  );
}

/** Says that nothing here becomes read by being seen, where the person wants that, and marks it when they say so. */
function StayUnread({ list, rows }: { list: MessageRange; rows: ReadonlySignal<readonly MessageRow[]> }) {
  const app = useApp();
  if (!app.staysUnread(list.narrow)) return null;
  const isUnread = (row: MessageRow): boolean => row.kind === "message" && !row.message.flags.includes("read");
  if (!rows.value.some(isUnread)) return null;
  return (
    <div class="stay-unread">
      <span role="status">{t.stayUnread}</span>
      <button type="button" class="button small" onClick={() => void app.actions.markNarrowRead(list.narrow)}>
        {t.markRead}
      </button>
    </div>
  );
}

/** Says which conversation one reads, when its own heading has left the view. */
function Read({ conversation }: { conversation: ReadonlySignal<Conversation | undefined> }) {
  const now = conversation.value;
  return (
    now && (
      <div class="read-bar">
        <ConversationBar conversation={now} />
      </div>
    )
  );
}

function Jump({ list, isAtEnd, newBelow }: { list: MessageRange; isAtEnd: Signal<boolean>; newBelow: Signal<number> }) {
  const app = useApp();
  void list.version.value;
  if (isAtEnd.value && list.hasNewest) return null;
  return (
    <button type="button" class="jump" onClick={() => app.open.jumpToNewest()}>
      <Icon name="down" size={16} />
      {newBelow.value > 0 ? t.newBelow(newBelow.value) : t.jumpToNewest}
    </button>
  );
}

/** Where the list opens: the requested message in the middle, the first unread one near the top, or the end. */
function aimOf(
  list: MessageRange,
  target: number | "newest" | "oldest" | undefined,
  firstUnread: number | undefined,
  rows: readonly MessageRow[],
): Aim {
  if (target === "newest") return "end";
  if (target === "oldest" && rows[0]) return { key: rows[0].key, share: 0 };
  const has = (key: string): boolean => rows.some((row) => row.key === key);
  if (target !== undefined && has(`m${target}`) && target !== firstUnread) return { key: `m${target}`, share: 0.35 };
  if (firstUnread !== undefined && has("unread")) return { key: "unread", share: 0.2 };
  const anchor = list.anchor;
  return anchor !== undefined && !list.hasNewest && has(`m${anchor}`) ? { key: `m${anchor}`, share: 0.35 } : "end";
}

/** @param begin what is told above the oldest message */
function RowView({ row, begin }: { row: MessageRow; begin: string }) {
  switch (row.kind) {
    case "message":
      return <MessageView message={row.message} marked={row.marked} isFirst={row.isFirst} />;
    case "pending":
      return <PendingView pending={row.pending} isFirst={row.isFirst} />;
    case "conversation":
      return <ConversationBar conversation={row.conversation} />;
    case "date":
      return (
        <div class="date-line">
          <span>{dayName(row.at)}</span>
        </div>
      );
    case "unread":
      return (
        <div class="unread-line">
          <span>{t.newMessages}</span>
        </div>
      );
    case "more":
      return <div class="list-edge">{t.loading}</div>;
    default:
      return <div class="list-edge">{begin}</div>;
  }
}

const isOfWords = (list: MessageRange): boolean => list.narrow.some(({ operator }) => operator === "search");

function Nothing({ list }: { list: MessageRange }) {
  const { me } = useApp();
  const isSearch = isOfWords(list);
  const hint = isSearch ? t.searchEmptyHint : hintOf(list, me);
  return (
    <div class="empty">
      <Icon name={isSearch ? "search" : "feed"} size={40} />
      <p>{isSearch ? t.searchEmpty : t.nothingHere}</p>
      {hint && <p class="soft">{hint}</p>}
    </div>
  );
}

/** How something comes to be where nothing is yet. */
function hintOf({ narrow }: MessageRange, me: number): string | undefined {
  if (conversationOf(narrow)) return t.firstMessage;
  if (keyOf(narrow) === keyOf(reactionsTo(me))) return t.reactionsEmptyHint;
  const is = narrow.length === 1 ? termOf(narrow, "is")?.operand : undefined;
  return is === "mentioned" ? t.mentionsEmptyHint : is === "starred" ? t.starredEmptyHint : undefined;
}
