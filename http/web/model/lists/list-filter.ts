/** What a list of conversations shows: by words, by kinds that are switched on, with sections folded. */
import { type Signal, signal } from "@preact/signals";
import { kept, membersOf, textsOf } from "../../kept.ts";

interface Kept {
  on: string[];
  folded: string[];
}

export class ListFilter {
  readonly text: Signal<string> = signal("");
  readonly #on: Signal<ReadonlySet<string>>;
  readonly #folded: Signal<ReadonlySet<string>>;

  /** @param storageKey where the browser keeps it */
  constructor(private readonly storageKey: string) {
    const { on, folded } = this.#kept();
    this.#on = signal(new Set(on));
    this.#folded = signal(new Set(folded));
  }

  isOn(kind: string): boolean {
    return this.#on.value.has(kind);
  }

  isFolded(section: string): boolean {
    return this.#folded.value.has(section);
  }

  toggle(kind: string): void {
    this.#on.value = toggled(this.#on.peek(), kind);
    this.#keep();
  }

  fold(section: string): void {
    this.#folded.value = toggled(this.#folded.peek(), section);
    this.#keep();
  }

  /** Shows everything again, but for what is folded. */
  clear(): void {
    this.text.value = "";
    this.#on.value = new Set();
    this.#keep();
  }

  #keep(): void {
    try {
      const kept: Kept = { on: [...this.#on.peek()], folded: [...this.#folded.peek()] };
      localStorage.setItem(this.storageKey, JSON.stringify(kept));
    } catch {
      // Storage is full or forbidden: it holds until the page closes.
    }
  }

  #kept(): Kept {
    const { on, folded } = membersOf(kept(this.storageKey));
    return { on: textsOf(on), folded: textsOf(folded) };
  }
}

function toggled(all: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const changed = new Set(all);
  if (!changed.delete(one)) changed.add(one);
  return changed;
}
