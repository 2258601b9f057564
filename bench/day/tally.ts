/** What the clients count, from one `take` to the next. */

export type Ask = "events" | "presence" | "uploads" | "history" | "flags" | "sends" | "register" | "other";

export interface Counts {
  /** Answers, by what was asked. Each piece of a stream counts as an answer to a poll. */
  answers: Record<Ask, number>;
  /** ms from when a message was due to the reading of its event, one for each client that followed by then. */
  seenMs: number[];
  /** ms from asking for everything to the last byte. */
  registerMs: number[];
  /** Answers that asked to come again later (429 and 503). */
  refused: number;
  /** Queues that the server did not know any more. */
  lost: number;
  /** What must not happen. */
  failures: string[];
}

const mostFailures = 20;

export class Tally {
  #counts = none();

  answered(ask: Ask): void {
    this.#counts.answers[ask]++;
  }

  seen(ms: number): void {
    this.#counts.seenMs.push(ms);
  }

  registered(ms: number): void {
    this.#counts.registerMs.push(ms);
  }

  refused(): void {
    this.#counts.refused++;
  }

  lost(): void {
    this.#counts.lost++;
  }

  failed(what: string): void {
    if (this.#counts.failures.length < mostFailures) this.#counts.failures.push(what.slice(0, 300));
  }

  take(): Counts {
    const counts = this.#counts;
    this.#counts = none();
    return counts;
  }
}

const none = (): Counts => ({
  answers: { events: 0, presence: 0, uploads: 0, history: 0, flags: 0, sends: 0, register: 0, other: 0 },
  seenMs: [],
  registerMs: [],
  refused: 0,
  lost: 0,
  failures: [],
});
