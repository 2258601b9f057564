/**
 * The open list of messages, and those that were open before. Some of these stay drawn, outside of the page: going back
 * to one puts it in again, and draws what has changed.
 */
import { type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type App, AppContext, useApp } from "../../model/app.ts";
import type { MessageRange } from "../../model/lists/message-range.ts";
import { NarrowView } from "./narrow-view.tsx";
import type { Measured } from "./virtual-list.tsx";

/** Besides the open one. */
const maxDrawn = 3;
/** The height of a list before it is measured. */
const usualHeight = 800;

interface Drawn {
  place: HTMLElement;
  isShown: Signal<boolean>;
}

export function KeptNarrows() {
  const app = useApp();
  const list = app.open.list.value;
  const opening = app.open.openings.value;
  const place = useRef<HTMLDivElement>(null);
  const kept = useMemo(() => new KeptLists(app), []);
  useLayoutEffect(() => {
    // What is shown is measured. The rest of the page is drawn by then, so that all is laid out once.
    queueMicrotask(() => {
      const at = place.current;
      // The place may be left by then.
      if (!at) return;
      if (list) kept.show(list, opening, at);
      else at.replaceChildren();
    });
  }, [list, opening]);
  useLayoutEffect(() => () => kept.clear(), []);
  return <div ref={place} class="kept-list" />;
}

class KeptLists {
  /** The one that was shown last is the last. */
  readonly #drawn = new Map<MessageRange, Drawn>();
  readonly #measured = new WeakMap<MessageRange, Measured>();
  readonly #view: Measured["view"] = { height: usualHeight };

  constructor(private readonly app: App) {}

  /** Shows a list in an element of the page. @param opening another number each time the list begins anew */
  show(list: MessageRange, opening: number, at: Element): void {
    const drawn = this.#drawn.get(list) ?? drawnNowhere();
    for (const other of this.#drawn.values()) if (other !== drawn) other.isShown.value = false;
    if (drawn.place.parentNode !== at) {
      // Nobody points at a message that leaves the page, though its element is never told.
      this.app.ui.pointAt(undefined);
      at.replaceChildren(drawn.place);
    }
    drawn.isShown.value = true;
    this.#drawn.delete(list);
    this.#drawn.set(list, drawn);
    this.#forgetSome(list);
    render(
      <AppContext.Provider value={this.app}>
        <NarrowView list={list} opening={opening} isShown={drawn.isShown} measured={this.#measuredOf(list)} />
      </AppContext.Provider>,
      drawn.place,
    );
  }

  clear(): void {
    for (const list of [...this.#drawn.keys()]) this.#forget(list);
  }

  #measuredOf(list: MessageRange): Measured {
    const known = this.#measured.get(list) ?? { view: this.#view, heights: new Map() };
    this.#measured.set(list, known);
    return known;
  }

  /** Those shown longest ago, what has nothing to show, and lists in whose place another one was made. */
  #forgetSome(shown: MessageRange): void {
    const others = [...this.#drawn.keys()].filter((list) => list !== shown);
    for (const [index, list] of others.entries()) {
      const isOfUse = list.status.peek() === "ready" && this.app.lists.find(list.key) === list;
      if (!isOfUse || index < others.length - maxDrawn) this.#forget(list);
    }
  }

  #forget(list: MessageRange): void {
    const drawn = this.#drawn.get(list);
    this.#drawn.delete(list);
    if (drawn) render(null, drawn.place);
  }
}

function drawnNowhere(): Drawn {
  const place = document.createElement("div");
  place.className = "kept-list";
  return { place, isShown: signal(true) };
}
