/** Creates the page's models and connects them. Views find them with `useApp`. */
import { batch, effect, type Signal, signal, untracked } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ClientEvent, NewMessageEvent } from "../../client/events.ts";
import { persist } from "../../client/persist.ts";
import { PAGE } from "../../client/state/client-profile.ts";
import type { Message, MessageId } from "../../client/types.ts";
import { Speech } from "../languages/speech.ts";
import { type Conversation, conversationOf, conversationOfMessage, type Narrow, type Reader } from "../wire/narrow.ts";
import { Actions } from "./actions.ts";
import { Ahead } from "./ahead.ts";
import { Appearance, SideWidths } from "./appearance.ts";
import { Channels } from "./channels.ts";
import { Compose } from "./compose.ts";
import { Drafts } from "./drafts.ts";
import { EmojiTable } from "./emoji.ts";
import { FileSizes } from "./files/sizes.ts";
import { Commands } from "./finding/commands.ts";
import { Visited } from "./finding/visited.ts";
import { FirstRun } from "./lists/first-run.ts";
import { LastWords } from "./lists/last-words.ts";
import { ListFilter } from "./lists/list-filter.ts";
import { Members } from "./lists/members.ts";
import { RecentConversations } from "./lists/recent.ts";
import { MessageLists } from "./message-lists.ts";
import { Notifications } from "./notifying/notifications.ts";
import { WebPush } from "./notifying/web-push.ts";
import { keepOutbox, keptOutbox, Offline } from "./offline.ts";
import { OpenList } from "./open-list.ts";
import { Outbox } from "./outbox.ts";
import { OwnPresence } from "./own-presence.ts";
import { People, Presence } from "./people.ts";
import { Permissions } from "./permissions.ts";
import { Reading } from "./reading.ts";
import { Route } from "./route.ts";
import { Session } from "./session.ts";
import { Store } from "./store.ts";
import { Topics } from "./topics.ts";
import { Typing } from "./typing.ts";
import { Ui } from "./ui.ts";
import { Unread } from "./unread.ts";

export class App {
  readonly store = new Store(PAGE);
  readonly ui = new Ui();
  readonly people = new People(this.store);
  readonly presence = new Presence(this.store);
  readonly channels = new Channels(this.store);
  readonly unread = new Unread(this.store, this.channels);
  readonly permissions = new Permissions(this.store);
  readonly emoji = new EmojiTable(this.store);
  readonly route = new Route(
    (name) => this.channels.idOf(name),
    (id) => this.channels.get(id)?.name,
  );
  readonly lists = new MessageLists(this.#reader());
  readonly open = new OpenList(this.route, this.lists);
  readonly reading = new Reading(this.lists.cache, () => untracked(() => this.ui.isCovered()));
  readonly drafts = new Drafts(this.store);
  readonly topics = new Topics();
  readonly members = new Members();
  readonly words = new LastWords();
  readonly recent = new RecentConversations(() => this.me, this.words);
  readonly recentFilter = new ListFilter("parley.recent");
  readonly topicsFilter = new ListFilter("parley.topics");
  readonly inboxFilter = new ListFilter("parley.inbox");
  readonly typing = new Typing(this.store);
  readonly visited = new Visited();
  readonly session = new Session(this.store, {
    onState: (isFirst) => this.#onState(isFirst),
    onEvents: (events) => {
      this.#onEvents(events);
      this.ahead.follow(events);
    },
  });
  readonly ahead = new Ahead((events) =>
    batch(() => {
      this.store.apply(events);
      this.#onEvents(events);
    }),
  );
  readonly outbox = new Outbox(
    () => this.session.queueId,
    (id) => this.lists.cache.get(id) !== undefined,
    (id, conversation) => this.#bring(id, conversation),
  );
  readonly fileSizes = new FileSizes();
  readonly compose = new Compose(this);
  readonly actions = new Actions(this);
  readonly commands = new Commands<App>(this);
  readonly firstRun = new FirstRun(this.store, this.channels);
  readonly appearance = new Appearance(this.store);
  readonly sides = new SideWidths();
  readonly speech = new Speech(this.store);
  readonly notifications = new Notifications(this);
  readonly offline = new Offline();
  readonly webPush = new WebPush(this.offline);
  readonly ownPresence = new OwnPresence(this.store);

  start(): void {
    this.webPush.listen();
    void this.session.run();
    effect(() => {
      void this.route.place.value;
      this.reading.isPaused = false;
    });
    effect(() => {
      void this.route.place.value;
      void this.route.overlay.value;
      this.ui.leavePlace();
    });
    effect(() => {
      // Another list says itself what it shows, when it is drawn.
      void this.open.openings.value;
      void this.open.list.value;
      this.reading.show([]);
    });
    effect(() => {
      void this.store.version("settings");
      if (!this.ui.isCovered()) this.reading.look();
    });
    // A link, or the browser's way back: a dialog belongs to the place where it was opened.
    addEventListener("hashchange", () => this.ui.closeDialogs());
  }

  readonly #news = new Map<string, Signal<number>>();

  /** A number that grows with each event of a type that changes no state, and when the state was fetched again. */
  news(type: string): Signal<number> {
    const known = this.#news.get(type);
    if (known) return known;
    const count = signal(0);
    this.#news.set(type, count);
    return count;
  }

  get me(): number {
    return this.people.myId;
  }

  /** Whether the person reads times by the 24-hour clock. */
  get has24Hours(): boolean {
    return this.store.read("settings").user_settings?.["twenty_four_hour_time"] === true;
  }

  /** Whether the person reads the names of emoji in messages. */
  get hasTextEmoji(): boolean {
    return this.store.read("settings").user_settings?.["emojiset"] === "text";
  }

  /** When pictures in messages move. https://zulip.com/api/update-settings */
  get animation(): "always" | "on_hover" | "never" {
    const animation = this.store.read("settings").user_settings?.["web_animate_image_previews"];
    return animation === "always" || animation === "never" ? animation : "on_hover";
  }

  /** Whether messages of a narrow stay unread when they are seen. https://zulip.com/api/update-settings */
  staysUnread(narrow: Narrow): boolean {
    const policy = this.store.read("settings").user_settings?.["web_mark_read_on_scroll_policy"];
    if (policy === markingPolicies.inConversations) return conversationOf(narrow) === undefined;
    return policy === markingPolicies.never;
  }

  /** Where the person begins, and goes back to. */
  get home(): string {
    if (!this.session.isLoggedIn) return "#feed";
    return `#${homes[this.store.state.user_settings?.web_home_view ?? ""] ?? "inbox"}`;
  }

  conversationOf(message: Message): Conversation {
    return conversationOfMessage(message, this.me);
  }

  #reader(): Reader {
    const { store, channels } = this;
    return {
      get userId() {
        return store.state.user_id ?? -1;
      },
      isShownInFeed: (channelId, topic) => channels.isSubscribed(channelId) && !channels.isMuted(channelId, topic),
    };
  }

  #onState(isFirst: boolean): void {
    this.ahead.forget();
    this.outbox.settle();
    if (isFirst) {
      this.route.settle(this.home);
      this.visited.begin(this.route);
      this.open.begin();
      this.#settle();
      this.compose.follow();
      this.ownPresence.begin();
      this.notifications.begin();
      if (this.session.isLoggedIn) {
        this.outbox.restore(keptOutbox(this.me));
        effect(() => keepOutbox(this.me, this.outbox.pending.value));
        void this.webPush.begin(this.me);
      }
    } else {
      this.topics.forget();
      this.members.forget();
      this.recent.forget();
      this.open.again();
      for (const count of this.#news.values()) count.value++;
    }
  }

  #settle(): void {
    const stop = effect(() => {
      const status = this.open.list.value?.status.value;
      const isFetched = status === "ready" || status === "failed";
      if (this.route.place.value.view === "messages" && !isFetched) return;
      requestAnimationFrame(() =>
        setTimeout(() => {
          stop();
          this.ui.isSettled.value = true;
          if (this.session.isLoggedIn) void this.offline.keep(this.me);
        }),
      );
    });
  }

  #onEvents(events: readonly ClientEvent[]): void {
    this.lists.apply(events);
    for (const event of events) {
      this.topics.receive(event);
      this.members.receive(event);
      this.words.receive(event);
      this.recent.receive(event);
      const count = this.#news.get(event.type);
      if (count) count.value++;
      if (event.type === "message") this.#receive(event);
      else if (event.type === "typing") this.typing.receive(event);
    }
  }

  /** Where no event tells of what the person has written, the page fetches it. */
  async #bring(id: MessageId, conversation: Conversation): Promise<void> {
    if (conversation.kind === "direct" || this.channels.isSubscribed(conversation.channelId)) return;
    const [message] = await persist(() => this.lists.fetch([id]));
    const event = message && { id: -1, type: "message" as const, message, flags: message.flags };
    batch(() => {
      if (event) this.lists.apply([event]);
      if (event) this.topics.receive(event);
      this.outbox.arrived(undefined, id);
    });
  }

  #receive({ message: sent, flags, local_message_id }: NewMessageEvent): void {
    const message = { ...sent, flags };
    this.typing.arrived(this.conversationOf(message), message.sender_id);
    if (message.sender_id === this.me) this.outbox.arrived(local_message_id, message.id);
    this.notifications.arrived(message);
  }
}

/** `web_mark_read_on_scroll_policy`. */
const markingPolicies = { inConversations: 2, never: 3 };

/** `web_home_view`. https://zulip.com/api/update-settings */
const homes: Readonly<Record<string, string>> = {
  inbox: "inbox",
  recent: "recent",
  // As it was called until 2023: imported people have it.
  recent_topics: "recent",
  all_messages: "feed",
};

export const AppContext = createContext<App | undefined>(undefined);

/** @throws Error outside the page */
export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("no app");
  return app;
}
