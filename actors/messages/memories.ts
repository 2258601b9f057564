/** Answers that a node remembers so as not to ask PostgreSQL again. All of it may be lost, and all of it is bounded. */

import { defined, oldestOf } from "../../storage/failures.ts";
import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import { type PendingWords, pendingWordsOf } from "../../storage/messages/words/pending-words.ts";
import { localQueue, readSendsFrom } from "../../storage/realm-log.ts";
import type { RealmEvent } from "../events/events.ts";
import { LruMap } from "../lru-map.ts";
import { defineMemory } from "../realm/memory.ts";

/** Characters of all remembered lists of people. A list may name a thousand. */
const maxKeysLength = 4_000_000;

/** Row ids of direct conversations. A conversation keeps its id for ever. */
export class Conversations {
  readonly #byPeople = new Map<string, RecipientId>();
  #keyLength = 0;
  constructor(private readonly max: number) {}

  /** @param people ascending ids, each once */
  async find(people: readonly UserId[], make: () => Promise<RecipientId>): Promise<RecipientId> {
    const key = people.join();
    const known = this.#byPeople.get(key);
    if (known !== undefined) return known;
    const made = await make();
    if (this.#byPeople.size >= this.max || this.#keyLength + key.length > maxKeysLength) {
      this.#byPeople.clear();
      this.#keyLength = 0;
    }
    if (!this.#byPeople.has(key)) this.#keyLength += key.length;
    this.#byPeople.set(key, made);
    return made;
  }

  clear(): void {
    this.#byPeople.clear();
  }
}

/** Remembered sends of one queue. A client repeats its latest sends only. */
const maxSendsOfQueue = 1000;

interface QueueSends {
  /** By the id that the client gave. */
  ids: Map<string, MessageId>;
  /** Resolves when the queue's sends were read from the log. Later ones were noted as they came. */
  read: Promise<void> | undefined;
  isComplete: boolean;
}

/**
 * Message ids of sends that carried a `queue_id` and `local_id`. A client that never saw the answer sends again, and
 * gets the id of its first send. The log has them for a day longer than any queue lives. This ledger has what was found
 * there, and what came since, for the queues that sent last.
 */
export class SendLedger {
  readonly #queues = new LruMap<string, QueueSends>();
  #size = 0;

  /**
   * @param max sends remembered
   * @param read the newest sends from a queue, as the log has them
   */
  constructor(
    private readonly max: number,
    private readonly read: (sentFrom: string, limit: number) => Promise<{ localId: string; messageId: MessageId }[]>,
  ) {}

  /**
   * Resolves when `find` knows everything that this queue has sent. Only the writer can rely on it.
   * @throws StorageUnavailable
   */
  ready(userId: UserId, queueId: string): Promise<void> {
    const key = localQueue(userId, queueId);
    const queue = this.#queue(key);
    queue.read ??= this.#read(key, queue).catch((error: unknown) => {
      queue.read = undefined;
      throw error;
    });
    return queue.read;
  }

  /** Whether `find` knows everything of this queue. It may have been forgotten since `ready`. */
  isComplete(userId: UserId, queueId: string): boolean {
    return this.#queues.get(localQueue(userId, queueId))?.isComplete === true;
  }

  /** The message that was sent under this id. */
  find(userId: UserId, local: { queue_id: string; local_id: string }): MessageId | undefined {
    return this.#queues.get(localQueue(userId, local.queue_id))?.ids.get(local.local_id);
  }

  /** Takes in an event of the log. Every node does, so that the next writer knows the sends of the one before. */
  note(event: RealmEvent): void {
    if (event.type !== "message") return;
    const { message, local } = event;
    if (local) this.#add(this.#queue(localQueue(message.sender_id, local.queue_id)), local.local_id, message.id);
  }

  clear(): void {
    this.#queues.clear();
    this.#size = 0;
  }

  /** Makes this queue the one that sent last. */
  #queue(key: string): QueueSends {
    const queue = this.#queues.get(key) ?? { ids: new Map(), read: undefined, isComplete: false };
    this.#queues.set(key, queue);
    // A queue counts as one send more, for its own memory.
    while (this.#size + this.#queues.size > this.max && this.#queues.size > 1) {
      const { key: oldest, value } = defined(this.#queues.oldest, "queue that sent");
      this.#queues.delete(oldest);
      this.#size -= value.ids.size;
    }
    return queue;
  }

  #add(queue: QueueSends, localId: string, messageId: MessageId): void {
    if (!queue.ids.has(localId)) this.#size++;
    queue.ids.set(localId, messageId);
    if (queue.ids.size <= maxSendsOfQueue) return;
    queue.ids.delete(oldestOf(queue.ids));
    this.#size--;
  }

  async #read(key: string, queue: QueueSends): Promise<void> {
    const sends = await this.read(key, maxSendsOfQueue);
    // It was forgotten meanwhile: the caller sees it by `isComplete`, and asks again.
    if (this.#queues.get(key) !== queue) return;
    const since = [...queue.ids];
    this.#size -= queue.ids.size;
    queue.ids.clear();
    for (const { localId, messageId } of [...sends].reverse()) this.#add(queue, localId, messageId);
    for (const [localId, messageId] of since) this.#add(queue, localId, messageId);
    queue.isComplete = true;
  }
}

/** Row ids of direct conversations, by their people. */
export const conversations = defineMemory<Conversations>({
  name: "conversations",
  load: () => new Conversations(50_000),
  forget: (known) => known.clear(),
});

/** Sends with an id chosen by the client. A repeated one is not sent twice. */
export const sendLedger = defineMemory<SendLedger>({
  name: "sends",
  load({ id, database, recent }) {
    const sends = new SendLedger(20_000, (sentFrom, limit) => readSendsFrom(database.vital.sql, id, sentFrom, limit));
    for (const { event } of recent.after(0)) if (event) sends.note(event);
    return sends;
  },
  apply(sends, { event }) {
    if (event) sends.note(event);
  },
  // A send that was read from a PostgreSQL may be lost with it, while the replica is kept that never had it.
  forget: (sends) => sends.clear(),
});

/** Words that the index has yet to take in. */
export const pendingWords = defineMemory<PendingWords>({
  name: "pending words",
  load: ({ database }) => pendingWordsOf(database),
  committed(pending, { event }) {
    if (event?.type === "message") pending.add(1);
    else if (event?.type === "update_message") pending.add(event.message_ids.length);
  },
});
