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

type Part = [key: string, value: unknown];

interface Shown {
  event: ClientEvent;
  /** What all events about the same have in common. */
  common: readonly Part[];
  /** Tells of what the server holds, as far as is known. */
  held: ClientEvent;
  /** Whether the server's own event has come. What it tells after that is newer. */
  isTold: boolean;
  /** Told of the same meanwhile, and not shown. */
  unseen: ClientEvent | undefined;
  /** Requests without an answer. */
  open: number;
  last: Promise<unknown>;
}

/** For so long the event of a change may be on its way. */
const untoldMs = 10_000;

export class Ahead {
  readonly #shown = new Map<string, Shown>();

  constructor(private readonly apply: (events: readonly ClientEvent[]) => void) {}

  /** @param ask returns undefined where the server refuses */
  async change<T, A>({ of, from, to, told }: Change<T>, ask: () => Promise<A | undefined>): Promise<A | undefined> {
    const event = told(to);
    const shown = this.#shown.get(of) ?? begun(told(from), event);
    Object.assign(shown, { event, isTold: false, unseen: undefined });
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
    const { event, held, isTold } = shown;
    const isTaken = held === event;
    if (isTold || !isTaken) this.#shown.delete(of);
    else setTimeout(() => shown.event === event && this.#giveUp(of, shown), untoldMs);
    if (!isTaken) this.apply([held]);
  }

  /** The event did not come: the change was none. */
  #giveUp(of: string, shown: Shown): void {
    if (shown.open > 0 || this.#shown.get(of) !== shown) return;
    this.#shown.delete(of);
    if (shown.unseen) this.apply([shown.unseen]);
  }

  /** After events of the server: one of an earlier change does not undo what is shown. */
  follow(events: readonly ClientEvent[]): void {
    for (const [of, shown] of this.#shown) {
      const { event, common, isTold } = shown;
      const alike = events.filter((one) => says(one, common));
      if (isTold || alike.length === 0) continue;
      if (alike.some((one) => says(one, partsOf(event)))) {
        Object.assign(shown, { isTold: true, held: event });
        if (shown.open === 0) this.#shown.delete(of);
      } else {
        shown.unseen = alike.at(-1);
        this.apply([event]);
      }
    }
  }

  /** After the state was fetched anew. */
  forget(): void {
    this.#shown.clear();
  }
}

const begun = (held: ClientEvent, event: ClientEvent): Shown => ({
  event,
  common: partsOf(held).filter((part) => says(event, [part])),
  held,
  isTold: false,
  unseen: undefined,
  open: 0,
  last: Promise.resolve(),
});

/** What an event says, without its number and its time. */
const partsOf = (event: ClientEvent): Part[] =>
  Object.entries(event).filter(([key]) => key !== "id" && key !== "last_updated");

function says(event: ClientEvent, parts: readonly Part[]): boolean {
  const said = new Map<string, unknown>(Object.entries(event));
  return parts.every(([key, value]) => JSON.stringify(said.get(key)) === JSON.stringify(value));
}
