/** A list with rows of one height. Only rows in view are drawn. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { heldRow, RowElements } from "./row-elements.ts";

/** A row to bring into view. The list scrolls to each new object once, unless the row is in view. */
export interface Reveal {
  at: number;
  /** Whether it comes to the top. */
  isFirst?: boolean;
}

interface Props<T> {
  items: readonly T[];
  /** For a mouse. Under fingers no row is lower than 44 px. */
  rowHeight: number;
  keyOf(item: T): string | number;
  row(item: T): ComponentChildren;
  /** Rows of one kind draw each other in the elements of those that go. So they keep nothing of their own. */
  kindOf?(item: T): string;
  label?: string;
  class?: string;
  reveal?: Reveal | undefined;
}

/** Rows beyond the edges: some at first, so that Tab finds the next one, and more once somebody scrolls. */
const fewBeyond = 2;
const manyBeyond = 8;

const fingers = matchMedia("(pointer: coarse)");
const fingerHeight = 44;

/** The height of a row on this device, in pixels. */
export const rowHeightHere = (rowHeight: number): number =>
  fingers.matches ? Math.max(fingerHeight, rowHeight) : rowHeight;

interface State {
  /** Of the view. */
  height: number;
  /** The last known place that it is scrolled to. */
  top: number;
  /** The rows that are drawn. */
  first: number;
  count: number;
  followed: Reveal | undefined;
}

/** Has the rows drawn that are in view at a place, if some of them are not. Returns whether these are others. */
function moveTo(top: number, state: State, rowHeight: number, beyond: number): boolean {
  const inView = Math.max(0, Math.floor(top / rowHeight));
  const needed = Math.ceil(state.height / rowHeight) + 1;
  state.top = top;
  const isCovered = Math.max(0, inView - 1) >= state.first && inView + needed < state.first + state.count;
  if (isCovered && state.count <= needed + 2 * manyBeyond) return false;
  state.first = Math.max(0, inView - beyond);
  state.count = inView - state.first + needed + beyond;
  return true;
}

/** Rows between an edge and one that comes into view from beyond it. */
const aroundRevealed = 2;

/**
 * Where to scroll to, for a row that is not in view; at most to the end. A row nearby comes just into view, so that
 * most of the others stay. One far away comes to the middle.
 */
function goalOf({ at, isFirst }: Reveal, most: number, { top, height }: State, rowHeight: number): number | undefined {
  const row = at * rowHeight;
  const [above, below] = [top - row, row + rowHeight - (top + height)];
  const beyond = Math.max(above, below);
  if (!isFirst && beyond <= 0) return undefined;
  const middle = (height - rowHeight) / 2;
  const space = beyond < height ? Math.min(aroundRevealed * rowHeight, middle) : middle;
  const goal = above > 0 ? row - space : row + rowHeight + space - height;
  return Math.max(0, Math.min(most, isFirst ? row : goal));
}

export function FixedList<T>({ items, keyOf, row, kindOf, label, class: name = "", reveal, ...of }: Props<T>) {
  const rowHeight = rowHeightHere(of.rowHeight);
  const place = useRef<HTMLDivElement>(null);
  const state = useRef<State>({ height: 0, top: 0, first: 0, count: 40, followed: undefined }).current;
  const [, redraw] = useState(0);
  const look = (list: Element) => {
    const isScrolled = Math.abs(list.scrollTop - state.top) >= 1;
    if (moveTo(list.scrollTop, state, rowHeight, isScrolled ? manyBeyond : fewBeyond))
      redraw((drawings) => drawings + 1);
  };
  // The rows around one that is revealed are drawn at once. The list is scrolled there before the next frame.
  const goal = useRef<number>(undefined);
  if (reveal && reveal !== state.followed && state.height > 0) {
    state.followed = reveal;
    const most = Math.max(0, items.length * rowHeight - state.height);
    // A second one before that frame may lie where the first one leads.
    goal.current = goalOf(reveal, most, state, rowHeight) ?? goal.current;
    if (goal.current !== undefined) moveTo(goal.current, state, rowHeight, fewBeyond);
  }
  // The observer reports heights after layout. Reading them would force one.
  useLayoutEffect(() => {
    const observer = new ResizeObserver((entries) => {
      for (const { contentRect, target } of entries.slice(-1)) {
        state.height = contentRect.height;
        look(target);
      }
    });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  // To scroll lays the page out. The rest of it is changed by the time of the next frame, and laid out once.
  useLayoutEffect(() => {
    if (goal.current === undefined) return;
    requestAnimationFrame(() => {
      if (place.current && goal.current !== undefined) place.current.scrollTop = goal.current;
      goal.current = undefined;
    });
  }, [state.followed]);
  const from = Math.min(state.first, Math.max(0, items.length - 1));
  const shown = items.slice(from, from + state.count);
  const elements = useMemo(() => new RowElements(), []);
  const rows = useRef<HTMLDivElement>(null);
  const keys = kindOf
    ? elements.take(
        shown.map((item) => ({ key: keyOf(item), kind: kindOf(item) })),
        heldRow(rows.current),
      )
    : shown.map(keyOf);
  return (
    <div
      ref={place}
      class={`fixed-list ${name}`}
      // The last scroll of a list may be told when the list is gone from the page.
      onScroll={({ currentTarget }) => look(currentTarget)}
      {...(label && { role: "group", "aria-label": label })}
    >
      <div style={{ height: `${items.length * rowHeight}px` }}>
        <div ref={rows} style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {shown.map((item, place) => (
            <div key={keys[place]} style={{ height: `${rowHeight}px` }}>
              {row(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
