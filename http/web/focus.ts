/**
 * Who gets the focus after a drawing, an answer or a while: only if nobody has moved it meanwhile. The person may have
 * turned to another box by then, and goes on typing there. Whatever waits wishes for the focus before it waits. What
 * gives the focus in the very step of a key or a click needs no wish: nobody can come between.
 */

import { type Signal, signal } from "@preact/signals";

/** Gives the focus to an element, unless somebody has moved it since the wish. Returns whether it did. */
export type Give = (element: HTMLElement | null | undefined, options?: FocusOptions) => boolean;

export class Focus {
  /** How many dialogs lie over the page. */
  readonly dialogs: Signal<number> = signal(0);
  #steps = 0;
  /** What the page itself has given the focus last: at which step, and by the wish of which step. */
  #given: { to: Element | null; at: number; wish: number } | undefined;

  /** Wishes for the focus from now on. A younger wish that was fulfilled takes precedence. */
  later(): Give {
    const wish = ++this.#steps;
    const before = document.activeElement;
    return (element, options) => {
      if (!element?.isConnected || !this.#isFree(before, wish)) return false;
      element.focus(options);
      this.#note(wish);
      return true;
    };
  }

  /** Opens a dialog, which takes the focus for as long as it is open. */
  show(dialog: HTMLDialogElement): void {
    if (!dialog.open) dialog.showModal();
    this.dialogs.value++;
    dialog.querySelector<HTMLElement>("[data-first-focus]")?.focus();
    this.#note(0);
  }

  /** Closes a dialog. The browser gives the focus back to what had it before, in the same step. */
  close(dialog: HTMLDialogElement): void {
    dialog.close();
    this.dialogs.value--;
    this.#note(0);
  }

  #note(wish: number): void {
    this.#given = { to: document.activeElement, at: ++this.#steps, wish };
  }

  #isFree(before: Element | null, wish: number): boolean {
    const now = document.activeElement;
    // Something that had the focus and is gone leaves it to the body.
    if (now === before || now === null || now === document.body) return true;
    const given = this.#given;
    return given !== undefined && given.to === now && given.at > wish && given.wish <= wish;
  }
}
