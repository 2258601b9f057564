/** What commands do with the open list and the sidebar: the next message, unread topic or channel. */

import type { Message } from "../../../client/types.ts";
import type { App } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import { conversationOf, type Narrow, narrowOf, termOf } from "../../wire/narrow.ts";
import { openViewer } from "../messages/image-viewer.tsx";
import { sideRows } from "./sidebar-rows.ts";

export const focusList = (): void =>
  document.querySelector<HTMLElement>(".virtual-list")?.focus({ preventScroll: true });

/** The message that shortcuts act on: the selected one, or the last one in view. */
export function current(app: App): Message | undefined {
  const id = app.ui.selected.peek() ?? shownIds().at(-1);
  return id === undefined ? undefined : app.lists.cache.get(id);
}

const shownIds = (): number[] =>
  [...document.querySelectorAll<HTMLElement>(".virtual-list [data-message-id]")]
    .filter((element) => {
      const list = element.closest(".virtual-list")?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return list && bottom > list.top + 4 && top < list.bottom - 4;
    })
    .map((element) => Number(element.dataset["messageId"]));

export const elementOf = (message: Message): HTMLElement | null =>
  document.querySelector(`[data-message-id="${message.id}"]`);

/** Moves the focus in a list of conversations, or into it. */
export function focusRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(":is(.list-view, .own-list) [data-row]")];
  const at = document.activeElement instanceof HTMLElement ? rows.indexOf(document.activeElement) : -1;
  rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
}

export function select(app: App, step: number): void {
  if (!app.open.list.peek()) {
    focusRow(step);
    return;
  }
  const ids = app.open.list.peek()?.ids ?? [];
  const from = app.ui.selected.peek();
  const lastShown = (): number => {
    const shown = shownIds().at(-1);
    return shown === undefined ? ids.length - 1 : ids.indexOf(shown);
  };
  const at = from === undefined ? lastShown() + (step > 0 ? -1 : 0) : ids.indexOf(from);
  const id = ids[Math.max(0, Math.min(ids.length - 1, at + step))];
  if (id === undefined) return;
  app.ui.selected.value = id;
  const element = document.querySelector<HTMLElement>(`[data-message-id="${id}"]`);
  if (element) element.scrollIntoView({ block: "nearest" });
  else app.open.jumpTo(id);
  focusList();
  app.reading.see([id]);
}

/** Opens the next conversation with unread messages, in the order of the sidebar. */
export function nextUnread(app: App, kind: "topic" | "followed" | "direct"): void {
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
export function cycle(app: App, step: 1 | -1): void {
  const ids = sideRows(app, { filter: "", folds: new Set() }).flatMap((row) =>
    row.kind === "channel" ? [row.channel.stream_id] : [],
  );
  const open = termOf(app.route.place.peek().narrow, "channel")?.operand;
  const at = typeof open === "number" ? ids.indexOf(open) : -1;
  const next = ids[at < 0 ? (step > 0 ? 0 : ids.length - 1) : (at + step + ids.length) % ids.length];
  if (next !== undefined) app.route.open([{ operator: "channel", operand: next }]);
}

/** The channel that is open, or that of the selected message. */
export function channelHere(app: App): number | undefined {
  const open = termOf(app.route.place.peek().narrow, "channel")?.operand;
  if (typeof open === "number") return open;
  const message = current(app);
  return message?.type === "stream" ? message.stream_id : undefined;
}

/** From a feed to the conversation of a message, and from there to its channel. */
export function goCloser(app: App, message: Message): void {
  const isHere = conversationOf(app.route.place.peek().narrow) !== undefined;
  const place: Narrow =
    isHere && message.type === "stream"
      ? [{ operator: "channel", operand: message.stream_id }]
      : narrowOf(app.conversationOf(message));
  app.route.open(place, message.id);
}

export function showPicture({ ui }: App, element: Element): void {
  const image = element.querySelector<HTMLImageElement>(
    ".message_inline_image:not(.youtube-video) img, img.inline-image",
  );
  if (image) openViewer(ui.focus, image);
}
