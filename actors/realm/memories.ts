/** What a node remembers so as not to ask again. All of it may be lost, all of it is bounded. */

import type { MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import { localQueue } from "../../storage/realm-log.ts";
import type { RealmEvent } from "../events/events.ts";
import type { MessageEvent } from "../events/messages.ts";

/** Characters of the lists of people that are remembered: one may name a thousand. */
const maxKeysLength = 4_000_000;

/** Row ids of direct conversations: a conversation, once made, keeps its id for ever. */
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

/** Of one queue. Nobody sends again what so many others were sent after. */
const maxSendsOfQueue = 1000;

interface QueueSends {
  /** By the id that the client gave. */
  ids: Map<string, MessageId>;
  /** What the log has of the queue's was read: it has all that was not there yet when it was. */
  read: Promise<void> | undefined;
  isComplete: boolean;
}

/**
 * Message ids of sends that carried a `queue_id` and `local_id`: a client that never saw the answer sends again, and
 * gets the id of what it sent the first time. They are found in the log as long as that is kept, a day longer than any
 * queue lives; here is what was found, and what came since, of the queues that sent last.
 */
export class SendLedger {
  readonly #queues = new Map<string, QueueSends>();
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
   * Resolves when `find` knows of all that this queue sent before. Only the writer can be told so.
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

  /** Whether `find` knows all of this queue: it may have been forgotten since it was `ready`. */
  isComplete(userId: UserId, queueId: string): boolean {
    return this.#queues.get(localQueue(userId, queueId))?.isComplete === true;
  }

  /** The message that was sent under this id. */
  find(userId: UserId, local: { queue_id: string; local_id: string }): MessageId | undefined {
    return this.#queues.get(localQueue(userId, local.queue_id))?.ids.get(local.local_id);
  }

  /** An event of the log: on every node, so that the next writer knows what the one before had sent. */
  note(event: RealmEvent): void {
    if (event.type !== "message") return;
    const { message, local } = event as MessageEvent;
    if (local) this.#add(this.#queue(localQueue(message.sender_id, local.queue_id)), local.local_id, message.id);
  }

  /** Of the queues that sent last, this one is the last now. */
  #queue(key: string): QueueSends {
    const queue = this.#queues.get(key) ?? { ids: new Map(), read: undefined, isComplete: false };
    this.#queues.delete(key);
    this.#queues.set(key, queue);
    // A queue counts as one more, for what it takes by itself.
    while (this.#size + this.#queues.size > this.max && this.#queues.size > 1) {
      const [oldest, { ids }] = this.#queues.entries().next().value!;
      this.#queues.delete(oldest);
      this.#size -= ids.size;
    }
    return queue;
  }

  #add(queue: QueueSends, localId: string, messageId: MessageId): void {
    if (!queue.ids.has(localId)) this.#size++;
    queue.ids.set(localId, messageId);
    if (queue.ids.size <= maxSendsOfQueue) return;
    queue.ids.delete(queue.ids.keys().next().value!);
    this.#size--;
  }

  async #read(key: string, queue: QueueSends): Promise<void> {
    const sends = await this.read(key, maxSendsOfQueue);
    // Forgotten meanwhile: whoever asks is not sure, and asks again.
    if (this.#queues.get(key) !== queue) return;
    const since = [...queue.ids];
    this.#size -= queue.ids.size;
    queue.ids.clear();
    for (const { localId, messageId } of [...sends].reverse()) this.#add(queue, localId, messageId);
    for (const [localId, messageId] of since) this.#add(queue, localId, messageId);
    queue.isComplete = true;
  }
}
