/** Keyboard shortcuts outside of text fields: those of Zulip's page. */
import type { App } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { conversationOf, type Narrow, narrowOf, termOf } from "../../state/narrow.ts";
import type { Message } from "../../wire/types.ts";
import { editLast } from "../compose/edit-last.ts";
import { openViewer } from "../messages/image-viewer.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { openPerson } from "../parts/person-card.tsx";
import { LazyHistory, LazyMove, LazyNewDirect, LazyPalette, LazyReceipts } from "./lazy.tsx";
import { openMessageMenu, quote } from "./menus.tsx";
import { sideRows } from "./sidebar-rows.ts";

export function listenToKeys(app: App): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input, textarea, select, [contenteditable]");
    if (event.ctrlKey || event.metaKey) {
      const run = event.altKey || event.shiftKey ? undefined : controlKeys[event.key];
      if (!run || app.ui.dialogs.peek().length > 0) return;
      event.preventDefault();
      if (event.key === "[") leave(app, isTyping, target);
      else run(app);
      return;
    }
    if (event.altKey) return;
    if (event.key === "Escape") leave(app, isTyping, target);
    if (isTyping || app.ui.dialogs.peek().length > 0 || app.ui.menu.peek() || document.querySelector("dialog[open]"))
      return;
    // These keys press the focused button.
    if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, [role=button]")) return;
    if (perform(app, event.key)) event.preventDefault();
  });
}

function leave(app: App, isTyping: boolean, target: HTMLElement): void {
  // A dialog handles its own keys.
  if (app.ui.dialogs.peek().length > 0 || document.querySelector("dialog[open]")) return;
  if (app.ui.menu.peek()) app.ui.closeMenu();
  else if (app.ui.closeSides()) return;
  else if (isTyping) {
    target.blur();
    focusList();
  } else if (app.ui.selected.peek() !== undefined) app.ui.selected.value = undefined;
  else if (!app.route.overlay.peek()) {
    const staysThere = app.store.state.user_settings?.["web_escape_navigates_to_home_view"] === false;
    if (!staysThere) app.route.go(app.home);
  }
}

const focusList = (): void => document.querySelector<HTMLElement>(".virtual-list")?.focus({ preventScroll: true });

/** The message that shortcuts act on: the selected one, or the last one in view. */
function current(app: App): Message | undefined {
  const id = app.ui.selected.peek() ?? shownIds().at(-1);
  return id === undefined ? undefined : app.lists.cache.get(id);
}

const shownIds = (): number[] =>
  [...document.querySelectorAll<HTMLElement>(".virtual-list [data-message-id]")]
    .filter((element) => {
      const list = element.closest(".virtual-list")!.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return bottom > list.top + 4 && top < list.bottom - 4;
    })
    .map((element) => Number(element.dataset["messageId"]));

const elementOf = (message: Message): HTMLElement | null => document.querySelector(`[data-message-id="${message.id}"]`);

function select(app: App, step: number): void {
  const ids = app.open.list.peek()?.ids ?? [];
  if (ids.length === 0) return;
  const from = app.ui.selected.peek();
  const at =
    from === undefined ? ids.indexOf(shownIds().at(-1) ?? ids.at(-1)!) + (step > 0 ? -1 : 0) : ids.indexOf(from);
  const id = ids[Math.max(0, Math.min(ids.length - 1, at + step))]!;
  app.ui.selected.value = id;
  const element = document.querySelector<HTMLElement>(`[data-message-id="${id}"]`);
  if (element) element.scrollIntoView({ block: "nearest" });
  else app.open.jumpTo(id);
  focusList();
  app.reading.see([id]);
}

/** Opens the next conversation with unread messages, in the order of the sidebar. */
function nextUnread(app: App, kind: "topic" | "followed" | "direct"): void {
  const { directs, topics } = app.unread.counted.peek();
  if (kind === "direct") {
    const next = directs[0];
    if (next) app.route.open(narrowOf({ kind: "direct", userIds: next.userIds.length > 0 ? next.userIds : [app.me] }));
    return;
  }
  const { narrow } = app.route.place.peek();
  const [channel, topic] = [termOf(narrow, "channel")?.operand, termOf(narrow, "topic")?.operand];
  const isWanted = (channelId: number, name: string): boolean =>
    kind === "topic" || app.channels.policy(channelId, name) === policies.followed;
  const order = topics.filter(({ isMuted, channelId, topic: name }) => !isMuted && isWanted(channelId, name));
  const here = order.findIndex(({ channelId, topic: name }) => channelId === channel && name === topic);
  const next = order[(here + 1) % Math.max(1, order.length)];
  if (next) app.route.open(narrowOf({ kind: "topic", channelId: next.channelId, topic: next.topic }));
}

/** Opens the channel above or below the open one, in the order of the sidebar. */
function cycle(app: App, step: 1 | -1): void {
  const ids = sideRows(app, "", new Set()).flatMap((row) => (row.kind === "channel" ? [row.channel.stream_id] : []));
  if (ids.length === 0) return;
  const at = ids.indexOf(termOf(app.route.place.peek().narrow, "channel")?.operand as number);
  const next = at < 0 ? (step > 0 ? 0 : ids.length - 1) : (at + step + ids.length) % ids.length;
  app.route.open([{ operator: "channel", operand: ids[next]! }]);
}

/** From a feed to the conversation of a message, and from there to its channel. */
function goCloser(app: App, message: Message): void {
  const isHere = conversationOf(app.route.place.peek().narrow) !== undefined;
  const place: Narrow =
    isHere && message.type === "stream"
      ? [{ operator: "channel", operand: message.stream_id }]
      : narrowOf(app.conversationOf(message));
  app.route.open(place, message.id);
}

function showPicture(element: Element): void {
  const image = element.querySelector<HTMLImageElement>(
    ".message_inline_image:not(.youtube-video) img, img.inline-image",
  );
  if (image) openViewer(image);
}

type Run = (app: App) => void;

/** Makes a shortcut that acts on that message. */
const on =
  (run: (app: App, message: Message, element: Element) => void): Run =>
  (app) => {
    const message = current(app);
    if (message) run(app, message, elementOf(message) ?? document.body);
  };

const go =
  (hash: string): Run =>
  (app) =>
    app.route.go(hash);

const page =
  (share: number): Run =>
  () => {
    const list = document.querySelector(".virtual-list");
    list?.scrollBy({ top: list.clientHeight * share });
  };

/** Shortcuts with Ctrl. They work in text fields, too. */
const controlKeys: Readonly<Record<string, Run>> = {
  k: (app) => app.ui.openDialog(() => <LazyPalette />),
  s: on((app, message) => void app.actions.star(message)),
  ".": (app) => {
    const conversation = app.compose.conversation.peek();
    if (conversation) app.route.open(narrowOf(conversation));
  },
  "[": () => {},
};

/** Shortcuts, in the order of the help. */
export const keys: Readonly<Record<string, Run>> = {
  j: (app) => select(app, 1),
  ArrowDown: (app) => select(app, 1),
  k: (app) => select(app, -1),
  ArrowUp: (app) => select(app, -1),
  " ": page(0.9),
  J: page(0.9),
  PageDown: page(0.9),
  K: page(-0.9),
  PageUp: page(-0.9),
  G: (app) => app.open.jumpToNewest(),
  End: (app) => app.open.jumpToNewest(),
  Home: (app) => app.open.jumpToOldest(),
  n: (app) => nextUnread(app, "topic"),
  N: (app) => nextUnread(app, "followed"),
  p: (app) => nextUnread(app, "direct"),
  A: (app) => cycle(app, -1),
  D: (app) => cycle(app, 1),
  r: on((app, message) => app.compose.reply(message)),
  Enter: on((app, message) => app.compose.reply(message)),
  R: on((app, message) => {
    app.compose.replyToAuthor(message);
    app.route.open(narrowOf({ kind: "direct", userIds: [message.sender_id] }));
  }),
  ">": on((app, message) => void quote(app, message)),
  "@": on((app, message) => app.compose.replyWithMention(message)),
  c: (app) => app.compose.begin(),
  x: (app) => app.ui.openDialog(() => <LazyNewDirect />),
  "/": () => document.querySelector<HTMLElement>("#search")?.focus(),
  q: () => document.querySelector<HTMLElement>("#filter-channels")?.focus(),
  w: (app) => {
    app.ui.isRightOpen.value = true;
    requestAnimationFrame(() => document.querySelector<HTMLElement>("#find-people")?.focus());
  },
  s: on(goCloser),
  S: on((app, message) => {
    if (message.type === "stream") app.route.open([{ operator: "channel", operand: message.stream_id }], message.id);
    else app.route.open([{ operator: "is", operand: "dm" }], message.id);
  }),
  z: on((app, message) => {
    app.route.open(narrowOf(app.conversationOf(message)), message.id);
    app.reading.isPaused = true;
  }),
  u: on((app, message, element) => openPerson(app, message.sender_id, element)),
  e: on((app, message) => {
    app.ui.editing.value = message.id;
  }),
  m: on((app, message) => {
    if (message.type === "stream") app.ui.openDialog(() => <LazyMove message={message} />);
  }),
  M: on((app, message) => {
    if (message.type === "stream")
      void app.actions.setPolicy(
        message.stream_id,
        message.subject,
        app.channels.isMuted(message.stream_id, message.subject) ? 0 : 1,
      );
  }),
  "+": on((app, message) => {
    const emoji = app.emoji.byName("+1") ?? { name: "+1", code: "1f44d", type: "unicode_emoji" as const, text: "👍" };
    void app.actions.react(message, emoji);
  }),
  "=": on((app, message) => {
    const first = message.reactions[0];
    if (first) void app.actions.react(message, first);
  }),
  ":": on((app, message, element) => openEmojiPicker(app, element, (emoji) => void app.actions.react(message, emoji))),
  v: on((_app, _message, element) => showPicture(element)),
  V: on((app, message) => {
    if (app.permissions.seesReceipts) app.ui.openDialog(() => <LazyReceipts message={message} />);
  }),
  H: on((app, message) => {
    if (app.permissions.seesHistory) app.ui.openDialog(() => <LazyHistory message={message} />);
  }),
  "-": on((app, message) => void app.actions.collapse(message)),
  ArrowLeft: (app) => void editLast(app),
  U: on((app, message) => void app.actions.markUnreadFrom(message)),
  i: on((app, message, element) => openMessageMenu(app, element, message)),
  I: go("#inbox"),
  t: go("#recent"),
  a: go("#feed"),
  d: go("#drafts"),
  "*": (app) => app.route.open([{ operator: "is", operand: "starred" }]),
  P: (app) => app.route.open([{ operator: "is", operand: "dm" }]),
  g: () => document.querySelector<HTMLElement>(".me-button")?.click(),
  "?": go("#keyboard"),
};

/** Keys for somebody who has no account: those that only look. */
const readersKeys = new Set([..."jkJKGADsSzuva?/q ", "ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"]);

function perform(app: App, key: string): boolean {
  const run = keys[key];
  if (!run || app.route.overlay.peek()) return false;
  if (!app.permissions.isLoggedIn && !readersKeys.has(key)) return false;
  run(app);
  return true;
}
