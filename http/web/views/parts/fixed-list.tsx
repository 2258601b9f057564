/** A list with rows of one height. Only rows in view are drawn. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

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

/** Where to scroll to, for a row that is not in view; at most to the end. */
function goalOf({ at, isFirst }: Reveal, most: number, { top, height }: State, rowHeight: number): number | undefined {
  const above = at * rowHeight;
  if (!isFirst && above >= top && above + rowHeight <= top + height) return undefined;
  return Math.max(0, Math.min(most, isFirst ? above : above - (height - rowHeight) / 2));
}

export function FixedList<T>({ items, keyOf, row, label, class: name = "", reveal, ...of }: Props<T>) {
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
    goal.current = goalOf(reveal, most, state, rowHeight);
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
  return (
    <div
      ref={place}
      class={`fixed-list ${name}`}
      // The last scroll of a list may be told when the list is gone from the page.
      onScroll={({ currentTarget }) => look(currentTarget)}
      {...(label && { role: "group", "aria-label": label })}
    >
      <div style={{ height: `${items.length * rowHeight}px` }}>
        <div style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {shown.map((item) => (
            <div key={keyOf(item)} style={{ height: `${rowHeight}px` }}>
              {row(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
