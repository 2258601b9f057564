/**
 * What a node knows of a realm's messages, so as not to ask PostgreSQL. It has the index of the newest part of the
 * history, and messages that were read lately. Both follow from the log like the replica, and are dropped with it.
 *
 * The index is empty until somebody reads. Then the newest messages are read, and older ones after them, a chunk at a
 * time. Entries that the log brings meanwhile are applied to what is held. After each chunk they are applied once more,
 * as far as the chunk may not have them.
 */
import { lastOf } from "../../storage/failures.ts";
import type { LogPosition, MessageId, RealmId } from "../../storage/ids.ts";
import { readChunk } from "../../storage/messages/index-chunk.ts";
import type { Database } from "../../storage/postgres.ts";
import type { LogEntry } from "../realm/entry.ts";
import { defineMemory } from "../realm/memory.ts";
import type { RealmState } from "../realm/state/state.ts";
import { applyChange, applyMessage, unpackChunk } from "./apply.ts";
import { MessageCache } from "./message-cache.ts";
import { MessageIndex } from "./message-index.ts";
import { ReaderStates } from "./reader-states.ts";

/** Read together: a few hundredths of a second of PostgreSQL's time. */
const chunkSize = 20_000;
/** What an organization's index takes, at most: about 600,000 messages. */
const indexBytes = 20 * 1024 * 1024;
/** So many of the newest messages are known by their places in the log: more than come while somebody registers. */
const maxArrivals = 1024;
/** Of its memory the index takes so much by itself; the rest is for what comes. */
const filledShare = 0.75;

/** What an organization's messages take that are kept whole. */
const cacheBytes = 24 * 1024 * 1024;

/** What its people take, of whom it is kept what they have read: about 5,000 of them with 30 conversations. */
const readerBytes = 32 * 1024 * 1024;

export interface HistoryRealm {
  readonly id: RealmId;
  readonly state: RealmState;
  readonly database: Database;
  reached(position: LogPosition): Promise<void>;
}

export class History {
  readonly messages = new MessageCache(cacheBytes);
  readonly readers = new ReaderStates(readerBytes);
  #index: MessageIndex | undefined;
  #filling: Promise<void> | undefined;
  /** While a chunk is read: what was changed since. */
  #missed: LogEntry[] | undefined;
  #isClosed = false;
  /** The newest messages that came, with their places in the log, and the last place at which others were changed. */
  #arrivals: { position: LogPosition; id: MessageId }[] = [];
  /** At or before this place, what came is not known any more. */
  #arrivalsFloor = 0;
  #changedAt = 0;

  constructor(
    private readonly realm: HistoryRealm,
    private readonly maxBytes = indexBytes,
    private readonly messagesPerChunk = chunkSize,
  ) {}

  /** The index; undefined until its first part was read. To ask for it begins that. */
  get index(): MessageIndex | undefined {
    if (!this.#index && !this.#isClosed) this.#begin();
    return this.#index?.floor === Number.POSITIVE_INFINITY ? undefined : this.#index;
  }

  /** Resolves when as much as there is room for was read. */
  async filled(): Promise<void> {
    void this.index;
    await this.#filling;
  }

  /** An entry of the log, after the replica has it. */
  apply(entry: LogEntry): void {
    this.#applyToMessages(entry);
    this.readers.apply(entry, this.#index);
  }

  #applyToMessages(entry: LogEntry): void {
    const { event, reread } = entry;
    if (reread) this.messages.forget(reread);
    if (!event) return;
    this.messages.apply(event);
    if (!this.#index) return;
    if (event.type === "message") {
      if (!applyMessage(this.#index, event)) {
        this.#forgetIndex();
        return;
      }
      this.#arrivals.push({ position: entry.position, id: event.message.id });
      if (this.#arrivals.length < 2 * maxArrivals) return;
      const dropped = this.#arrivals.splice(0, maxArrivals);
      this.#arrivalsFloor = lastOf(dropped).position;
    } else if (applyChange(this.#index, this.realm.state, entry)) {
      this.#changedAt = entry.position;
      this.#missed?.push(entry);
    }
  }

  /**
   * The first message that came after this place in the log: those with lower ids are as they were there. Undefined:
   * they are not, or nobody knows.
   */
  firstAfter(position: LogPosition): MessageId | undefined {
    if (position < this.#changedAt || position < this.#arrivalsFloor) return undefined;
    // Nearly always none came.
    let place = this.#arrivals.length;
    while (place > 0 && this.#arrivals[place - 1]!.position > position) place--;
    return this.#arrivals[place]?.id ?? Number.POSITIVE_INFINITY;
  }

  /** Forgets everything; it is read again when somebody asks. */
  shed(): void {
    this.#forgetIndex();
    this.messages.clear();
    this.readers.clear();
  }

  #forgetIndex(): void {
    this.#index = undefined;
    this.#missed = undefined;
    this.#filling = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.shed();
  }

  #begin(): void {
    const index = new MessageIndex(this.maxBytes);
    this.#index = index;
    this.#arrivals = [];
    this.#arrivalsFloor = this.realm.state.position;
    this.#changedAt = 0;
    const filling = this.#fill(index).catch(() => {
      // Whoever asks next begins anew.
      if (this.#index === index) this.#forgetIndex();
    });
    this.#filling = filling;
  }

  async #fill(index: MessageIndex): Promise<void> {
    const { realm, messagesPerChunk } = this;
    while (this.#index === index && index.floor !== 0 && index.bytes < this.maxBytes * filledShare) {
      this.#missed = [];
      const below = Math.min(index.lowestId, Number.MAX_SAFE_INTEGER);
      const chunk = await readChunk(realm.database.sql, realm.id, below, messagesPerChunk);
      await realm.reached(chunk.position);
      if (this.#index !== index) return;
      index.prepend(unpackChunk(chunk, chunk.count < messagesPerChunk));
      for (const entry of this.#missed ?? [])
        if (entry.position > chunk.position) applyChange(index, realm.state, entry);
      this.#missed = undefined;
    }
  }
}

/** The newest part of the history, and who has read what of it. */
export const historyMemory = defineMemory<History>({
  name: "history",
  load: (realm) => new History(realm),
  apply: (history, entry) => history.apply(entry),
  forget: (history) => history.shed(),
  close: (history) => void history.close(),
});
