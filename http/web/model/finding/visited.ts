/** Places where the person was, for going back to them. The browser keeps them. */
import { effect, type Signal, signal } from "@preact/signals";
import { keyOf, withoutPlace } from "../../wire/narrow.ts";
import type { Place, Route, View } from "../route.ts";

export type VisitedPlace = Pick<Place, "view" | "narrow">;

const storageKey = "parley.visited";
/** More than anybody looks through. */
const maxKept = 40;

/** To write is slow, and nobody waits for it: not while the place is being drawn. */
const keepAfterMs = 1000;

const keyOfPlace = ({ view, narrow }: VisitedPlace): string => `${view} ${keyOf(narrow)}`;

export class Visited {
  /** Newest first, each once. The first one is open. */
  readonly all: Signal<readonly VisitedPlace[]> = signal(kept());

  #waiting: ReturnType<typeof setTimeout> | undefined;

  /** Follows the open place from now on. */
  begin(route: Route): void {
    addEventListener("pagehide", this.#keep);
    effect(() => {
      const { view, narrow } = route.place.value;
      this.#add({ view, narrow: withoutPlace(narrow) });
    });
  }

  #add(place: VisitedPlace): void {
    const key = keyOfPlace(place);
    const others = this.all.peek().filter((one) => keyOfPlace(one) !== key);
    this.all.value = [place, ...others].slice(0, maxKept);
    this.#waiting ??= setTimeout(this.#keep, keepAfterMs);
  }

  readonly #keep = (): void => {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    try {
      localStorage.setItem(storageKey, JSON.stringify(this.all.peek()));
    } catch {
      // Storage is full or forbidden: the places are known until the page closes.
    }
  };
}

function kept(): readonly VisitedPlace[] {
  try {
    const places: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(places) ? places.filter(isPlace) : [];
  } catch {
    return [];
  }
}

const views: ReadonlySet<View> = new Set(["inbox", "recent", "direct", "drafts", "scheduled", "reminders", "messages"]);

/** An older version of the page, or a person, may have written something else. */
const isPlace = (place: VisitedPlace | null): place is VisitedPlace =>
  place !== null &&
  views.has(place.view) &&
  Array.isArray(place.narrow) &&
  place.narrow.every((term) => typeof term?.operator === "string" && term.operand !== undefined);
