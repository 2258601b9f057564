/** The queues of one realm on one node: by id, by whose they are, and by what they take. */
import type { UserId } from "../../storage/ids.ts";
import type { QueueFilter } from "./filter.ts";
import type { EventQueue } from "./queue.ts";

export class QueueIndex {
  readonly byId = new Map<string, EventQueue>();
  readonly allPublic = new Set<EventQueue>();
  readonly #byUser = new Map<UserId, EventQueue[]>();
  /** Thousands of queues share a filter: see `QueueProfiles`. */
  readonly #byFilter = new Map<QueueFilter, Set<EventQueue>>();

  add(queue: EventQueue): void {
    this.byId.set(queue.id, queue);
    const mine = this.#byUser.get(queue.userId);
    if (mine) mine.push(queue);
    else this.#byUser.set(queue.userId, [queue]);
    const alike = this.#byFilter.get(queue.filter);
    if (alike) alike.add(queue);
    else this.#byFilter.set(queue.filter, new Set([queue]));
    if (queue.registration.all_public_streams) this.allPublic.add(queue);
  }

  remove(queue: EventQueue): void {
    if (!this.byId.delete(queue.id)) return;
    this.allPublic.delete(queue);
    const alike = this.#byFilter.get(queue.filter);
    alike?.delete(queue);
    if (alike?.size === 0) this.#byFilter.delete(queue.filter);
    const rest = this.of(queue.userId).filter((other) => other !== queue);
    if (rest.length > 0) this.#byUser.set(queue.userId, rest);
    else this.#byUser.delete(queue.userId);
  }

  of(userId: UserId): readonly EventQueue[] {
    return this.#byUser.get(userId) ?? [];
  }

  /** The queues that take events of a type, in sets of those that take the same ones. No set is empty. */
  takersOf(type: string): ReadonlySet<EventQueue>[] {
    const takers: ReadonlySet<EventQueue>[] = [];
    for (const [{ types }, queues] of this.#byFilter) if (types === null || types.has(type)) takers.push(queues);
    return takers;
  }
}
