/** What a node remembers so as not to ask again. All of it may be lost, all of it is bounded. */

import type { RealmEvent } from "../events/events.ts";
import type { MessageEvent } from "../events/messages.ts";

/** Characters of the lists of people that are remembered: one may name a thousand. */
const maxKeysLength = 4_000_000;

/** Row ids of direct conversations: a conversation, once made, keeps its id for ever. */
export class Conversations {
  readonly #byPeople = new Map<string, number>();
  #keyLength = 0;
  constructor(private readonly max: number) {}

  /** @param people ascending ids, each once */
  async find(people: readonly number[], make: () => Promise<number>): Promise<number> {
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

/**
 * Message ids of sends that carried a `queue_id` and `local_id`: a client that never saw the answer sends again, and
 * gets the id of what it sent the first time.
 */
export class SendLedger {
  readonly #sends = new Map<string, number>();
  constructor(private readonly max: number) {}

  find(userId: number, local: { queue_id: string; local_id: string }): number | undefined {
    return this.#sends.get(`${userId}:${local.queue_id}:${local.local_id}`);
  }

  /** An event of the log: on every node, so that the next writer knows what the one before had sent. */
  note(event: RealmEvent): void {
    if (event.type !== "message") return;
    const { message, local } = event as MessageEvent;
    if (local) this.#add(message.sender_id, local, message.id);
  }

  #add(userId: number, local: { queue_id: string; local_id: string }, messageId: number): void {
    this.#sends.set(`${userId}:${local.queue_id}:${local.local_id}`, messageId);
    if (this.#sends.size > this.max) this.#sends.delete(this.#sends.keys().next().value!);
  }
}
