/** The messages of each opened narrow. Several lists are kept, so that returning to one is free. */
import { batch, type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../client/events.ts";
import { persist } from "../../client/persist.ts";
import { MessageCache } from "../../client/state/message-cache.ts";
import type { Message, MessageId, MessagesAnswer } from "../../client/types.ts";
import { ApiError, call, wordsOf } from "../wire/api.ts";
import { feed, finds, keyOf, type Narrow, type Reader, termOf, withoutPlace } from "../wire/narrow.ts";
import { lowerBound, MessageRange } from "./lists/message-range.ts";

/** Messages of the first fetch, and of each further fetch at an end. */
const firstLook = { before: 25, after: 60 };
const step = 100;
/** Lists that are kept besides the open one, and messages kept of such a list. */
const maxKeptLists = 40;
const maxKeptIds = 400;
/** Messages of the open list. Those far from the view are dropped, and fetched again when the person scrolls back. */
const maxOpenIds = 1000;
/** Messages that came by events and that no list shows. Whoever sends one may ask whether it has come back. */
const maxStray = 500;

export type Anchor = MessageId | "first_unread" | "newest" | "oldest";

export class MessageLists {
  readonly cache = new MessageCache();
  readonly #lists = new Map<string, MessageRange>();
  /** Counts changes of messages. Views then read theirs from the cache again. */
  readonly changes: Signal<number> = signal(0);
  /** What came by events, since messages were dropped. */
  #received: MessageId[] = [];
  /** Events that came during a fetch. The answer may be older than they are. */
  #since: ClientEvent[] | undefined;
  #fetches = 0;
  #generation = 0;
  /** Ends the fetches of the present generation. */
  #resetting = new AbortController();

  constructor(private readonly reader: Reader) {}

  find(key: string): MessageRange | undefined {
    return this.#lists.get(key);
  }

  /** Opens the list of a narrow, and fetches it if necessary. @param anchor where to open it */
  open(narrow: Narrow, anchor: Anchor): MessageRange {
    const wanted = withoutPlace(narrow);
    const key = keyOf(wanted);
    const known = this.#lists.get(key);
    // The most recently used list is the last of the map; the first one is dropped first.
    this.#lists.delete(key);
    const isUsable =
      known &&
      known.status.peek() !== "failed" &&
      (typeof anchor === "number" ? known.covers(anchor) && known.ids.includes(anchor) : true) &&
      (anchor !== "newest" || known.hasNewest) &&
      (anchor !== "oldest" || known.hasOldest);
    const list = isUsable ? known : new MessageRange(wanted);
    this.#lists.set(key, list);
    if (!isUsable) void this.#load(list, anchor);
    else if (typeof anchor === "number") list.anchor = anchor;
    this.#forgetSome();
    return list;
  }

  /** The first message of a narrow at or after a time. @throws ApiError */
  async firstSince(narrow: Narrow, at: Date): Promise<MessageId | undefined> {
    const { messages } = await call<MessagesAnswer>("GET", "/messages", {
      narrow: this.#asked(withoutPlace(narrow)),
      anchor: "date",
      anchor_date: at.toISOString(),
      num_before: 0,
      num_after: 1,
      client_gravatar: this.reader.userId >= 0,
      allow_empty_topic_name: true,
    });
    // Where nothing is later, the newest message stands in.
    return messages.find(({ timestamp }) => timestamp >= Math.floor(at.getTime() / 1000))?.id;
  }

  /** The narrow to ask the server for. The feed of a spectator is the public channels. */
  #asked(narrow: Narrow): Narrow {
    const isSpectator = this.reader.userId < 0;
    return isSpectator && keyOf(narrow) === keyOf(feed) ? [{ operator: "channels", operand: "web-public" }] : narrow;
  }

  /** Fetches a failed list again, at once. */
  retry(list: MessageRange): void {
    if (list.fetching.has("around")) dispatchEvent(new Event("parley:retry"));
    else void this.#load(list, list.anchor ?? "first_unread");
  }

  /** Drops everything, when a pause was too long for the queue. Messages are fetched again when they are shown. */
  reset(open: MessageRange | undefined, seen: MessageId | undefined): void {
    this.#generation++;
    this.#resetting.abort();
    this.#resetting = new AbortController();
    const keep = open && this.#lists.get(open.key) === open;
    this.#lists.clear();
    this.#since = undefined;
    this.#fetches = 0;
    if (!keep) {
      this.cache.clear();
      return;
    }
    this.#lists.set(open.key, open);
    open.fetching.clear();
    void this.#load(open, seen ?? open.anchor ?? "first_unread");
  }

  async #load(list: MessageRange, anchor: Anchor): Promise<void> {
    const generation = this.#generation;
    list.fetching.add("around");
    batch(() => {
      if (list.ids.length === 0) list.status.value = "loading";
      list.error.value = "";
    });
    const params = {
      anchor,
      num_before: anchor === "newest" ? firstLook.after : firstLook.before,
      num_after: anchor === "newest" ? 0 : firstLook.after,
    };
    // An empty list says that the server does not answer.
    const onWaiting = () => {
      if (list.ids.length === 0) list.status.value = "failed";
    };
    try {
      await this.#fetch(list, params, onWaiting, (answer) => {
        list.ids = answer.messages.map(({ id }) => id);
        list.hasOldest = answer.found_oldest ?? false;
        list.hasNewest = answer.found_newest ?? false;
        list.anchor = anchorOf(answer, list.ids, anchor);
        list.fetchedTo = list.ids.at(-1) ?? 0;
        list.status.value = "ready";
      });
    } catch (error) {
      if (generation !== this.#generation) return;
      batch(() => {
        list.error.value = error instanceof ApiError ? wordsOf(error) : String(error);
        list.status.value = "failed";
      });
    } finally {
      if (generation === this.#generation) list.fetching.delete("around");
    }
  }

  /** Fetches more at one end. Resolves also when there is no more, or the server refused. */
  async more(list: MessageRange, end: "before" | "after"): Promise<void> {
    const isWhole = end === "before" ? list.hasOldest : list.hasNewest;
    const from = end === "before" ? list.ids[0] : list.ids.at(-1);
    if (isWhole || from === undefined || list.fetching.has(end)) return;
    const generation = this.#generation;
    list.fetching.add(end);
    try {
      await this.#fetch(
        list,
        {
          anchor: from,
          include_anchor: false,
          num_before: end === "before" ? step : 0,
          num_after: end === "after" ? step : 0,
        },
        undefined,
        (answer) => {
          for (const { id } of answer.messages) list.insert(id);
          if (end === "before") list.hasOldest = answer.found_oldest ?? false;
          else list.hasNewest = answer.found_newest ?? false;
          if (end === "after") list.fetchedTo = answer.messages.at(-1)?.id ?? list.fetchedTo;
          this.#shorten(list, end === "before" ? "after" : "before");
        },
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    } finally {
      if (generation === this.#generation) list.fetching.delete(end);
    }
  }

  /** Drops messages at an end, unless more are being fetched there. */
  #shorten(list: MessageRange, end: "before" | "after"): void {
    if (list.ids.length <= maxOpenIds || list.fetching.has(end)) return;
    if (end === "before") {
      list.ids = list.ids.slice(-maxOpenIds);
      list.hasOldest = false;
    } else {
      list.ids = list.ids.slice(0, maxOpenIds);
      list.hasNewest = false;
    }
    this.#forgetMessages();
  }

  /** Fetches messages, and applies the events that came meanwhile again. */
  async #fetch(
    list: MessageRange,
    params: Record<string, unknown>,
    onWaiting: (() => void) | undefined,
    take: (answer: MessagesAnswer) => void,
  ): Promise<void> {
    const generation = this.#generation;
    this.#fetches++;
    this.#since ??= [];
    const since = this.#since;
    const from = since.length;
    let answer: MessagesAnswer;
    try {
      const ask = () =>
        call<MessagesAnswer>("GET", "/messages", {
          narrow: this.#asked(list.narrow),
          client_gravatar: this.reader.userId >= 0,
          allow_empty_topic_name: true,
          ...params,
        });
      answer = await persist(ask, { signal: this.#resetting.signal, ...(onWaiting && { onWaiting }) });
    } finally {
      if (generation === this.#generation && --this.#fetches === 0) this.#since = undefined;
    }
    if (generation !== this.#generation) return;
    batch(() => {
      this.cache.add(list.takeMatches(answer.messages));
      take(answer);
      const missed = since.slice(from);
      for (const event of missed) this.cache.apply(event);
      for (const event of missed) this.#applyTo(list, event);
      list.version.value++;
      this.changes.value++;
    });
  }

  /** Messages by id, from the cache or the server. */
  async fetch(ids: readonly MessageId[]): Promise<Message[]> {
    const missing = ids.filter((id) => !this.cache.get(id));
    if (missing.length > 0) {
      const params = { message_ids: missing, allow_empty_topic_name: true };
      const { messages } = await call<MessagesAnswer>("GET", "/messages", params);
      this.cache.add(messages);
    }
    return ids.flatMap((id) => this.cache.get(id) ?? []);
  }

  apply(events: readonly ClientEvent[]): void {
    batch(() => {
      let isChanged = false;
      for (const event of events) {
        this.#since?.push(event);
        if (this.cache.apply(event).length > 0) isChanged = true;
        if (event.type === "message") this.#received.push(event.message.id);
        for (const list of this.#lists.values()) this.#applyTo(list, event);
      }
      this.#forgetOld();
      if (isChanged) this.changes.value++;
    });
  }

  #applyTo(list: MessageRange, event: ClientEvent): void {
    if (list.status.peek() !== "ready") return;
    let isChanged = false;
    if (event.type === "message") isChanged = list.mayHave(event.message) && this.#consider(list, [event.message.id]);
    else if (event.type === "delete_message") isChanged = list.remove(new Set(event.message_ids));
    else if (event.type === "update_message" && (event.subject !== undefined || event.new_stream_id !== undefined))
      isChanged = this.#move(list, event.message_ids);
    else if (
      event.type === "update_message_flags" &&
      event.flag === "starred" &&
      termOf(list.narrow, "is")?.operand === "starred"
    )
      isChanged = this.#move(list, event.messages);
    if (isChanged) list.version.value++;
  }

  /** Adds new messages that match the narrow at its newest end. */
  #consider(list: MessageRange, ids: readonly MessageId[]): boolean {
    let isChanged = false;
    for (const id of ids) {
      const message = this.cache.get(id);
      if (!message || !list.covers(id)) continue;
      const found = finds(list.narrow, message, this.reader);
      if (found) isChanged = list.insert(id) || isChanged;
      else if (found === undefined) void this.#ask(list, [id]);
    }
    return isChanged;
  }

  /** Messages moved into or out of a list. Unknown ones are fetched from the server. */
  #move(list: MessageRange, ids: readonly MessageId[]): boolean {
    const gone = new Set<MessageId>();
    const unknown: MessageId[] = [];
    let isChanged = false;
    for (const id of ids) {
      const message = this.cache.get(id);
      if (!message) unknown.push(id);
      else if (finds(list.narrow, message, this.reader) === false) gone.add(id);
      else isChanged = this.#consider(list, [id]) || isChanged;
    }
    const wanted = unknown.filter((id) => list.covers(id));
    if (wanted.length > 0)
      void this.fetch(wanted).then(
        (messages) => {
          if (
            this.#consider(
              list,
              messages.map(({ id }) => id),
            )
          )
            list.version.value++;
        },
        () => {},
      );
    return list.remove(gone) || isChanged;
  }

  /** Only the server knows whether a search matches a message. */
  async #ask(list: MessageRange, ids: readonly MessageId[]): Promise<void> {
    try {
      const params = { msg_ids: ids, narrow: list.narrow };
      const { messages } = await call<{ messages: Record<string, object> }>("GET", "/messages/matches_narrow", params);
      for (const id of Object.keys(messages).map(Number)) list.insert(id);
      list.version.value++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #forgetSome(): void {
    const lists = [...this.#lists.values()];
    for (const list of lists.slice(0, Math.max(0, lists.length - 1 - maxKeptLists))) this.#lists.delete(list.key);
    for (const list of lists.slice(0, -1)) keepSome(list);
    this.#forgetMessages();
  }

  /** What comes by events would let the lists and the cache grow for as long as the page is open. */
  #forgetOld(): void {
    const lists = [...this.#lists.values()];
    for (const list of lists.slice(0, -1)) if (list.ids.length > maxKeptIds + step) keepSome(list);
    const open = lists.at(-1);
    if (open && open.ids.length > maxOpenIds + step) this.#shorten(open, open.fartherEnd);
    if (this.#received.length > 2 * maxStray) this.#forgetMessages(this.#received.slice(-maxStray));
  }

  /** Drops messages that are in no list, but for some. */
  #forgetMessages(lately: readonly MessageId[] = []): void {
    this.#received = [...lately];
    this.cache.keepOnly(new Set([...lately, ...[...this.#lists.values()].flatMap(({ ids }) => ids)]));
  }
}

/** A list that is not open keeps its newest messages at most. The rest is fetched when it is opened. */
function keepSome(list: MessageRange): void {
  if (list.ids.length <= maxKeptIds || list.status.peek() !== "ready") return;
  const at = list.anchor === undefined ? list.ids.length : lowerBound(list.ids, list.anchor);
  const from = Math.max(0, Math.min(at - maxKeptIds / 2, list.ids.length - maxKeptIds));
  if (from > 0) list.hasOldest = false;
  if (from + maxKeptIds < list.ids.length) list.hasNewest = false;
  list.ids = list.ids.slice(from, from + maxKeptIds);
}

/** The message at which a list opens. The server names it, even when it is only the nearest one. */
function anchorOf(answer: MessagesAnswer, ids: readonly MessageId[], asked: Anchor): MessageId | undefined {
  if (asked === "newest") return undefined;
  const told = answer.anchor;
  if (told === undefined) return undefined;
  return ids[lowerBound(ids, told)];
}
