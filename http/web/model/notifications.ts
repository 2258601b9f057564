/**
 * Notifies of messages that the person is not looking at: in the title, on the desktop, by a sound, and for screen
 * readers.
 */
import { computed, effect } from "@preact/signals";
import type { Message } from "../../client/types.ts";
import { spoken } from "../languages/speaking.ts";
import { t } from "../texts.ts";
import { conversationOf, conversationOfMessage, isMentioned, narrowOf } from "../wire/narrow.ts";
import type { Channels } from "./channels.ts";
import { conversationKey } from "./drafts.ts";
import { textOf } from "./lists/plain-words.ts";
import type { People } from "./people.ts";
import { placeName, type Route } from "./route.ts";
import { chime } from "./sound.ts";
import type { Store } from "./store.ts";
import type { Ui } from "./ui.ts";
import type { Counted, Unread } from "./unread.ts";

interface Parts {
  store: Store;
  unread: Unread;
  people: People;
  channels: Channels;
  route: Route;
  ui: Ui;
}

/** Values of `desktop_icon_count_display` that are not all. https://zulip.com/api/update-settings */
const shown = { notableOrFollowed: 2, notable: 3, none: 4 } as const;
const maxTextLength = 180;

/** On the icon of the page where it is installed. */
function showBadge(count: number): void {
  // Not every browser has badges, whatever the DOM's types say.
  const badges: Partial<NavigatorBadge> = navigator;
  (count > 0 ? badges.setAppBadge?.(count) : badges.clearAppBadge?.())?.catch(() => {});
}

export class Notifications {
  constructor(private readonly app: Parts) {}

  begin(): void {
    const count = computed(() => this.#count());
    effect(() => this.#showTitle(count.value));
    effect(() => showBadge(count.value));
  }

  #count(): number {
    const { store, unread } = this.app;
    const settings = store.read("settings").user_settings ?? {};
    return countOf(unread.counted.value, settings["desktop_icon_count_display"]);
  }

  #showTitle(count: number): void {
    void spoken.value;
    const name = String(this.app.store.read("realm")["realm_name"] ?? "Parley");
    const title = `${placeName(this.app, this.app.route.place.value)} – ${name}`;
    document.title = count > 0 ? `(${count}) ${title}` : title;
  }

  arrived(message: Message): void {
    const { people, ui } = this.app;
    if (message.sender_id === people.myId || message.flags.includes("read")) return;
    const isLooking = document.visibilityState === "visible" && document.hasFocus();
    const isOpen = isLooking && this.#isOpen(message);
    if (isOpen) ui.announcement.value = t.announceMessage(people.name(message.sender_id), textOf(message.content));
    if (isOpen || people.muted.peek().has(message.sender_id)) return;
    const wants = this.#wants(message);
    if (wants.sound) chime();
    if (wants.desktop && !isLooking) this.#show(message);
  }

  #isOpen(message: Message): boolean {
    const { route, people } = this.app;
    const open = conversationOf(route.place.peek().narrow);
    return !!open && conversationKey(open) === conversationKey(conversationOfMessage(message, people.myId));
  }

  /** The notifications that the person's settings ask for. */
  #wants(message: Message): { desktop: boolean; sound: boolean } {
    const { store, channels } = this.app;
    const settings = store.state.user_settings ?? {};
    if (message.type === "private" || isMentioned(message) || message.flags.includes("has_alert_word"))
      return {
        desktop: settings["enable_desktop_notifications"] !== false,
        sound: settings["enable_sounds"] !== false && settings["notification_sound"] !== "none",
      };
    const channel = channels.get(message.stream_id);
    if (!channel || channels.isMuted(message.stream_id, message.subject)) return { desktop: false, sound: false };
    const own = (name: string, general: string): boolean => (channel[name] ?? settings[general]) === true;
    return {
      desktop: own("desktop_notifications", "enable_stream_desktop_notifications"),
      sound: own("audible_notifications", "enable_stream_audible_notifications"),
    };
  }

  #show(message: Message): void {
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    const { people, channels, route, store } = this.app;
    const isSecret =
      message.type === "private" && store.state.user_settings?.["pm_content_in_desktop_notifications"] === false;
    const place = message.type === "stream" ? ` (#${channels.name(message.stream_id)} › ${message.subject})` : "";
    const notification = new Notification(`${people.name(message.sender_id)}${place}`, {
      body: isSecret ? t.newDirectMessage : textOf(message.content).slice(0, maxTextLength),
      icon: "/static/icon.svg",
      tag: `message-${message.id}`,
    });
    notification.addEventListener("click", () => {
      window.focus();
      route.open(narrowOf(conversationOfMessage(message, people.myId)), message.id);
      notification.close();
    });
  }
}

function countOf({ total, notable, notableOrFollowed }: Counted, display: unknown): number {
  switch (display) {
    case shown.none:
      return 0;
    case shown.notable:
      return notable;
    case shown.notableOrFollowed:
      return notableOrFollowed;
    default:
      return total;
  }
}
