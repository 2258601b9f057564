/** Whole clients on the client library: each follows all of its organization, and counts what it hears. */
import { setTimeout as sleep } from "node:timers/promises";
import { MODERN, ParleyClient } from "../../http/client/index.ts";
import type { Member } from "../harness/community.ts";
import type { Setup } from "../harness/setup.ts";

const lookEveryMs = 20;

interface Hearing {
  newest: number;
  count: number;
}

export class WholeClients {
  readonly #hearings: Hearing[];
  /** Messages that came twice or out of order. */
  #disorder = 0;
  #expected = 0;

  private constructor(
    count: number,
    private readonly topic: string,
  ) {
    this.#hearings = Array.from({ length: count }, () => ({ newest: 0, count: 0 }));
  }

  /** Follows as each of the members. They hear messages of the topic that `channelMessages` sends to. */
  static async follow(setup: Setup, url: string, members: readonly Member[]): Promise<WholeClients> {
    const whole = new WholeClients(members.length, "bench");
    for (const [index, { email, apiKey }] of members.entries()) {
      const followed = new ParleyClient({ url, email, apiKey }).follow({
        profile: MODERN,
        onEvents: (events) => {
          for (const event of events)
            if (event.type === "message" && event.message.subject === whole.topic) whole.#hear(index, event.message.id);
        },
      });
      setup.atEnd(async () => void followed.stop());
      await followed.begun;
    }
    return whole;
  }

  #hear(index: number, id: number): void {
    const hearing = this.#hearings[index]!;
    if (id <= hearing.newest) this.#disorder++;
    hearing.newest = Math.max(hearing.newest, id);
    hearing.count++;
  }

  /** Waits until each has heard so many. @throws Error when that does not come about */
  async until(count: number, withinMs: number): Promise<void> {
    this.#expected = count;
    const givenUpAt = performance.now() + withinMs;
    while (this.#hearings.some((hearing) => hearing.count < count)) {
      if (performance.now() > givenUpAt) throw new Error(`${this.heard} of ${count} messages were heard by somebody`);
      await sleep(lookEveryMs);
    }
  }

  /** Messages that the one heard that heard least. */
  get heard(): number {
    return Math.min(...this.#hearings.map(({ count }) => count));
  }

  /** Messages that somebody missed, or heard twice or out of order. */
  get wrong(): number {
    return this.#disorder + this.#hearings.reduce((sum, { count }) => sum + Math.abs(count - this.#expected), 0);
  }
}
