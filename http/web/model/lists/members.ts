/** Who subscribes to a channel: fetched when that is first asked for, and then kept by events. */
import { type Signal, signal } from "@preact/signals";
import type { ClientEvent } from "../../../client/events.ts";
import { persist } from "../../../client/persist.ts";
import { ApiError, call } from "../../wire/api.ts";

type Known = Signal<ReadonlySet<number> | undefined>;

export class Members {
  readonly #known = new Map<number, Known>();
  /** Counts answers. */
  readonly fetched: Signal<number> = signal(0);
  readonly #fetching = new Set<number>();
  /** Channels whose subscribers changed while they were fetched. */
  readonly #stale = new Set<number>();

  /** Undefined while they are fetched, and where the person may not see them. */
  of(channelId: number): ReadonlySet<number> | undefined {
    let members = this.#known.get(channelId);
    if (!members) {
      members = signal(undefined);
      this.#known.set(channelId, members);
      void this.#fetch(channelId, members);
    }
    return members.value;
  }

  async #fetch(channelId: number, into: Known): Promise<void> {
    if (this.#fetching.has(channelId)) {
      this.#stale.add(channelId);
      return;
    }
    this.#fetching.add(channelId);
    try {
      do {
        this.#stale.delete(channelId);
        const { subscribers } = await persist(() =>
          call<{ subscribers: number[] }>("GET", `/streams/${channelId}/members`),
        );
        into.value = new Set(subscribers);
        this.fetched.value++;
      } while (this.#stale.has(channelId));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    } finally {
      this.#fetching.delete(channelId);
    }
  }

  receive(event: ClientEvent): void {
    if (event.type !== "subscription") return;
    // An event about the person's own subscription names no others.
    const channels = event.stream_ids ?? event.subscriptions?.map(({ stream_id }) => stream_id) ?? [];
    for (const channelId of channels) {
      const members = this.#known.get(channelId);
      if (!members) continue;
      if (this.#fetching.has(channelId)) this.#stale.add(channelId);
      const now = new Set(members.peek());
      if (event.op === "peer_add") for (const id of event.user_ids ?? []) now.add(id);
      else if (event.op === "peer_remove") for (const id of event.user_ids ?? []) now.delete(id);
      else void this.#fetch(channelId, members);
      if (members.peek() && event.user_ids) members.value = now;
    }
  }

  /** Fetches them again: what was missed is not known. */
  forget(): void {
    for (const [channelId, members] of this.#known) void this.#fetch(channelId, members);
  }
}
