/**
 * Changes that are shown before the server has answered: what is clicked moves at once, however far the server is.
 * What the server refuses is taken back. The events that tell of a change say the same once more, which does no harm.
 */
import type { ClientEvent } from "../../client/events.ts";

export interface Change<T> {
  /** What it is of, such as a setting. Such changes reach the server one after the other. */
  of: string;
  from: T;
  to: T;
  /** The event by which the server would tell of a value. */
  told(value: T): ClientEvent;
}

interface Shown {
  event: ClientEvent;
  /** Tells of what the server holds, as far as is known. */
  held: ClientEvent;
  /** Requests without an answer. */
  open: number;
  last: Promise<unknown>;
}

export class Ahead {
  readonly #shown = new Map<string, Shown>();

  constructor(private readonly apply: (events: readonly ClientEvent[]) => void) {}

  /** @param ask returns undefined where the server refuses */
  async change<T, A>({ of, from, to, told }: Change<T>, ask: () => Promise<A | undefined>): Promise<A | undefined> {
    const event = told(to);
    const shown = this.#shown.get(of) ?? { event, held: told(from), open: 0, last: Promise.resolve() };
    shown.event = event;
    shown.open++;
    this.#shown.set(of, shown);
    this.apply([event]);
    const answer = shown.last.then(ask);
    shown.last = answer.catch(() => {});
    try {
      const done = await answer;
      if (done !== undefined) shown.held = event;
      return done;
    } finally {
      shown.open--;
      this.#settle(of, shown);
    }
  }

  #settle(of: string, shown: Shown): void {
    // A state that was fetched since then holds whatever became of it.
    if (shown.open > 0 || this.#shown.get(of) !== shown) return;
    this.#shown.delete(of);
    if (shown.held !== shown.event) this.apply([shown.held]);
  }

  /** After events of the server: one of an earlier change does not undo what is shown. */
  follow(events: readonly ClientEvent[]): void {
    for (const shown of this.#shown.values()) {
      const alike = events.filter(({ type }) => type === shown.event.type);
      if (alike.some((event) => tellsOf(event, shown.event))) shown.held = shown.event;
      if (alike.length > 0) this.apply([shown.event]);
    }
  }

  /** After the state was fetched anew. */
  forget(): void {
    this.#shown.clear();
  }
}

/** Whether an event says what another says, and perhaps more. Their numbers and times are their own. */
function tellsOf(event: ClientEvent, other: ClientEvent): boolean {
  const { id: _, last_updated: __, ...said }: Record<string, unknown> = { ...other };
  const saying: Record<string, unknown> = { ...event };
  return Object.entries(said).every(([key, value]) => JSON.stringify(saying[key]) === JSON.stringify(value));
}
