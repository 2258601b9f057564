/** The location within the page, by the address bar. */
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";

import type { MessageId } from "../../client/types.ts";

import { t } from "../texts.ts";
import { feed, hashOf, keyOf, type Narrow, narrowOfHash, reactionsTo, searchText, termOf } from "../wire/narrow.ts";
import type { Channels } from "./channels.ts";
import type { People } from "./people.ts";

export type View = "inbox" | "recent" | "direct" | "drafts" | "scheduled" | "reminders" | "topics" | "messages";

export interface Place {
  view: View;
  /** Of `topics` it names the channel. */
  narrow: Narrow;
  /** A message to open at. */
  near: MessageId | undefined;
}

/** A page that opens above the current one: `#settings/profile` and the like. */
export interface Overlay {
  name: "settings" | "organization" | "channels" | "groups" | "user" | "invite" | "keyboard";
  path: readonly string[];
}

const overlays = ["settings", "organization", "channels", "groups", "user", "invite", "keyboard"] as const;
const views = ["inbox", "recent", "direct", "drafts", "scheduled", "reminders"] as const;

export class Route {
  readonly #hash: Signal<string> = signal(location.hash);
  readonly place: Signal<Place>;
  /** The place that is on the screen. What stands beside a place follows this one: the place itself is drawn first. */
  readonly placeOnScreen: Signal<Place>;
  readonly overlay: ReadonlySignal<Overlay | undefined>;

  constructor(
    private readonly idOfChannel: (name: string) => number | undefined,
    private readonly nameOfChannel: (id: number) => string | undefined,
  ) {
    this.overlay = computed(() => overlayOf(this.#hash.value));
    this.place = signal(this.#placeOf(location.hash) ?? { view: "inbox", narrow: [], near: undefined });
    this.placeOnScreen = signal(this.place.peek());
    effect(() => {
      const place = this.place.value;
      afterFrame(() => {
        if (place === this.place.peek()) this.placeOnScreen.value = place;
      });
    });
    addEventListener("hashchange", () => this.catchUp());
  }

  /** Reads the address if it has changed. The browser tells of that a little later, and a key may come before. */
  catchUp(): void {
    if (location.hash !== this.#hash.peek()) this.#follow();
  }

  /** Reads the address again: the names in it may be known now. */
  settle(home: string): void {
    if (location.hash === "" || location.hash === "#") this.go(home, true);
    else this.#follow();
  }

  #follow(): void {
    this.#hash.value = location.hash;
    const place = this.#placeOf(location.hash);
    if (place) this.place.value = place;
  }

  #placeOf(hash: string): Place | undefined {
    const narrow = narrowOfHash(hash, this.idOfChannel);
    if (narrow) {
      const near = termOf(narrow, "near")?.operand;
      return { view: "messages", narrow, near: typeof near === "number" && near > 0 ? near : undefined };
    }
    const [name = ""] = hash.slice(1).split("/");
    if (name === "topics") {
      const channel = termOf(narrowOfHash(hash.replace(name, "narrow"), this.idOfChannel) ?? [], "channel");
      return typeof channel?.operand === "number" ? { view: "topics", narrow: [channel], near: undefined } : undefined;
    }
    if (name === "feed" || name === "all_messages") return { view: "messages", narrow: feed, near: undefined };
    const view = views.find((one) => one === name);
    return view && { view, narrow: [], near: undefined };
  }

  /** @param replaces whether it replaces the entry of the browser's history */
  go(hash: string, replaces = false): void {
    if (replaces) history.replaceState(null, "", hash);
    else if (location.hash !== hash) history.pushState(null, "", hash);
    this.#follow();
  }

  /** Whether the person is still where they are now. An answer that comes late takes nobody away from elsewhere. */
  staying(): () => boolean {
    const { hash } = location;
    return () => location.hash === hash;
  }

  open(narrow: Narrow, near?: MessageId): void {
    this.go(this.link(narrow, near));
  }

  link(narrow: Narrow, near?: MessageId): string {
    if (narrow === feed && near === undefined) return "#feed";
    const place = near === undefined ? narrow : [...narrow, { operator: "near", operand: near }];
    return hashOf(place, this.nameOfChannel);
  }

  /** The address of a place. */
  hashOf({ view, narrow }: Pick<Place, "view" | "narrow">): string {
    if (view === "messages") return this.link(narrow);
    return view === "topics" ? this.link(narrow).replace("#narrow/", "#topics/") : `#${view}`;
  }

  /** The list of a channel's topics. */
  linkToTopics(channelId: number): string {
    return this.hashOf({ view: "topics", narrow: [{ operator: "channel", operand: channelId }] });
  }

  closeOverlay(): void {
    this.go(this.hashOf(this.place.peek()));
  }
}

/** Calls back when a frame was painted; at once where nobody sees any. */
function afterFrame(then: () => void): void {
  if (document.hidden) then();
  else requestAnimationFrame(() => setTimeout(then));
}

function overlayOf(hash: string): Overlay | undefined {
  const [first, ...path] = hash.slice(1).split("/");
  const name = overlays.find((one) => one === first);
  return name && { name, path };
}

interface Names {
  people: People;
  channels: Channels;
}

const viewNames = (): Readonly<Record<Exclude<View, "messages" | "topics">, string>> => ({
  inbox: t.inbox,
  recent: t.recent,
  direct: t.directMessages,
  drafts: t.drafts,
  scheduled: t.scheduledMessages,
  reminders: t.reminders,
});

/** What an open place is called: in the header, and in the title of the window. */
export function placeName({ people, channels }: Names, { view, narrow }: Place): string {
  if (view === "topics") {
    const channelId = termOf(narrow, "channel")?.operand;
    return t.topicsOf(typeof channelId === "number" ? channels.name(channelId) : "");
  }
  if (view !== "messages") return viewNames()[view];
  if (keyOf(narrow) === keyOf(feed)) return t.feed;
  const is = termOf(narrow, "is")?.operand;
  if (narrow.length === 1 && is === "mentioned") return t.mentions;
  if (narrow.length === 1 && is === "starred") return t.starred;
  if (keyOf(narrow) === keyOf(reactionsTo(people.myId))) return t.reactionsToMe;
  if (!termOf(narrow, "search")) {
    const direct = termOf(narrow, "dm")?.operand;
    if (Array.isArray(direct)) return namesOf(people, direct);
    const channelId = termOf(narrow, "channel")?.operand;
    const topic = termOf(narrow, "topic")?.operand;
    if (typeof channelId === "number")
      return topicName(channels.name(channelId), topic === undefined ? undefined : String(topic) || t.generalChat);
  }
  const words = searchText(
    narrow,
    (id) => channels.name(id),
    (id) => people.name(id),
  );
  return words || t.searchResults;
}

/** Arabic, Hebrew and their relatives: what stands beside such a name would go its way. */
const goesLeft = /[\u0590-\u08ff\ufb1d-\ufefc]/;
const isolated = (name: string): string => (goesLeft.test(name) ? `\u2068${name}\u2069` : name);

/** A channel, or one of its topics. */
export const topicName = (channel: string, topic: string | undefined): string =>
  `#${isolated(channel)}${topic === undefined ? "" : ` › ${isolated(topic)}`}`;

/** The others of a direct conversation. */
export function namesOf(people: People, userIds: readonly number[]): string {
  const others = userIds.filter((id) => id !== people.myId);
  return others.map((id) => people.name(id)).join(", ") || t.notesToSelf;
}
