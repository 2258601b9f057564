/**
 * Notifies of messages that the person is not looking at: in the title, on the desktop, by a sound, and for screen
 * readers.
 */
import { computed, effect } from "@preact/signals";
import type { ChannelMessage, Message } from "../../../client/types.ts";
import { spoken } from "../../languages/speaking.ts";
import { t } from "../../texts.ts";
import { conversationOf, conversationOfMessage, isMentioned, narrowOf } from "../../wire/narrow.ts";
import type { Channels } from "../channels.ts";
import { conversationKey } from "../drafts.ts";
import { textOf } from "../lists/plain-words.ts";
import type { People } from "../people.ts";
import { placeName, type Route, topicName } from "../route.ts";
import type { Store } from "../store.ts";
import type { Ui } from "../ui.ts";
import type { Counted, Unread } from "../unread.ts";
import { playSound } from "./sound.ts";

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
    if (wants.sound) playSound(this.app.store.state.user_settings?.["notification_sound"]);
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
    if (message.type === "private" || this.#isForReader(message))
      return {
        desktop: settings["enable_desktop_notifications"] !== false,
        sound: settings["enable_sounds"] !== false,
      };
    const channel = channels.get(message.stream_id);
    const { isMuted, isFollowed } = channels.standing()(message.stream_id, message.subject);
    if (!channel || isMuted) return { desktop: false, sound: false };
    const wanted = (followed: string, own: string, general: string): boolean =>
      (isFollowed && settings[followed] === true) || (channel[own] ?? settings[general]) === true;
    return {
      desktop: wanted(
        "enable_followed_topic_desktop_notifications",
        "desktop_notifications",
        "enable_stream_desktop_notifications",
      ),
      sound: wanted(
        "enable_followed_topic_audible_notifications",
        "audible_notifications",
        "enable_stream_audible_notifications",
      ),
    };
  }

  /** A mention or an alert word. What is muted notifies of nothing but the person's own name. */
  #isForReader(message: ChannelMessage): boolean {
    if (message.flags.includes("mentioned")) return true;
    const { store, channels } = this.app;
    const settings = store.state.user_settings ?? {};
    const { isMuted, isFollowed } = channels.standing()(message.stream_id, message.subject);
    const own = channels.get(message.stream_id)?.["wildcard_mentions_notify"] ?? settings["wildcard_mentions_notify"];
    const wantsAll = !isMuted && own !== false;
    const wantsFollowed = isFollowed && settings["enable_followed_topic_wildcard_mentions_notify"] !== false;
    if (isMentioned(message) && (wantsAll || wantsFollowed)) return true;
    return !isMuted && message.flags.includes("has_alert_word");
  }

  #show(message: Message): void {
    const { people, channels, route, store } = this.app;
    const isSecret =
      message.type === "private" && store.state.user_settings?.["pm_content_in_desktop_notifications"] === false;
    const place = message.type === "stream" ? ` (${topicName(channels.name(message.stream_id), message.subject)})` : "";
    const notification = showNotification(`${people.name(message.sender_id)}${place}`, {
      body: isSecret ? t.newDirectMessage : textOf(message.content).slice(0, maxTextLength),
      tag: `message-${message.id}`,
    });
    notification?.addEventListener("click", () => {
      window.focus();
      route.open(narrowOf(conversationOfMessage(message, people.myId)), message.id);
      notification.close();
    });
  }
}

/** Shows a notification on the desktop, where the browser lets pages do so. */
export function showNotification(title: string, options: NotificationOptions): Notification | undefined {
  if (!("Notification" in window) || Notification.permission !== "granted") return undefined;
  try {
    return new Notification(title, { icon: "/static/icon.svg", ...options });
  } catch {
    // Browsers of phones leave notifications to the service worker.
    return undefined;
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
