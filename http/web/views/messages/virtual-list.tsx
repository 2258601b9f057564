/**
 * A list whose rows have heights of their own, of which only those in view are there. One row, the anchor, stays where
 * it is on the screen whatever is added, measured or taken away around it: so nothing jumps while more is fetched at
 * either end.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Row {
  key: string;
  /** Pixels, until it was measured. */
  estimate: number;
}

/** Where the list is to be: with a row at a share of the height of the view, or at its end. */
export type Aim = { key: string; share: number } | "end";

interface Props<R extends Row> {
  rows: readonly R[];
  draw(row: R): ComponentChildren;
  /** A new one is gone to; the same one is not gone to again. */
  aim: { at: Aim } | undefined;
  /** Stays at the end as rows are added, once it is there. */
  onScroll(state: { isAtEnd: boolean; nearStart: boolean; nearEnd: boolean; visible: readonly R[] }): void;
  label: string;
  scroller: RefObject<HTMLDivElement | null>;
}

/** Pixels beyond the edges for which rows are drawn, and within which more is fetched. */
const overscan = 250;
const near = 1500;
/** A scroll may end a fraction of a pixel before the end. */
const endSlack = 4;

interface Layout {
  offsets: Float64Array;
  total: number;
}

export function VirtualList<R extends Row>({ rows, draw, aim, onScroll, label, scroller }: Props<R>) {
  const heights = useRef(new Map<string, number>()).current;
  const state = useRef({
    anchor: undefined as { key: string; offset: number } | undefined,
    isAtEnd: true,
    aimed: undefined as object | undefined,
  }).current;
  const spacer = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const observer = useRef<ResizeObserver>(undefined);
  const layout = layoutOf(rows, heights);
  const indexOf = (key: string): number => rows.findIndex((row) => row.key === key);

  // Which rows are drawn follows from where the list will be.
  const element = scroller.current;
  const viewHeight = element?.clientHeight ?? 800;
  let top = element?.scrollTop ?? 0;
  if (aim && aim !== state.aimed) {
    state.aimed = aim;
    state.isAtEnd = aim.at === "end";
    state.anchor = aim.at === "end" ? undefined : { key: aim.at.key, offset: Math.round(viewHeight * aim.at.share) };
  }
  const anchored = state.anchor ? indexOf(state.anchor.key) : -1;
  if (state.isAtEnd || (state.anchor === undefined && anchored < 0)) top = Math.max(0, layout.total - viewHeight);
  else if (anchored >= 0) top = layout.offsets[anchored]! - state.anchor!.offset;
  const first = indexAt(layout, Math.max(0, top - overscan));
  const last = Math.min(rows.length, indexAt(layout, top + viewHeight + overscan) + 1);

  const tell = () => {
    const at = scroller.current;
    if (!at) return;
    // Where everything is in view, one is at its end.
    const isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight <= endSlack;
    if (isAtEnd && at.scrollHeight <= at.clientHeight + endSlack) state.isAtEnd = true;
    const visible = rows.slice(indexAt(layout, at.scrollTop), indexAt(layout, at.scrollTop + at.clientHeight - 1) + 1);
    onScroll({
      isAtEnd,
      nearStart: at.scrollTop < near,
      nearEnd: layout.total - at.scrollTop - at.clientHeight < near,
      visible,
    });
  };

  useLayoutEffect(() => {
    const at = scroller.current!;
    const measured = measure(spacer.current!, heights);
    if (measured) {
      redraw((count) => count + 1);
      return;
    }
    const place = state.isAtEnd
      ? at.scrollHeight - at.clientHeight
      : anchored >= 0
        ? layout.offsets[anchored]! - state.anchor!.offset
        : at.scrollTop;
    if (Math.abs(at.scrollTop - place) >= 1) at.scrollTop = place;
    if (!state.isAtEnd && anchored < 0 && rows.length > 0) anchorAt(at.scrollTop);
    tell();
  });

  useLayoutEffect(() => {
    observer.current = new ResizeObserver(() => {
      const isChanged = spacer.current !== null && measure(spacer.current, heights);
      if (isChanged) redraw((count) => count + 1);
    });
    observer.current.observe(scroller.current!);
    return () => observer.current?.disconnect();
  }, []);

  const watched = useRef(new Set<Element>()).current;
  useLayoutEffect(() => {
    const now = new Set(spacer.current!.children);
    for (const child of watched)
      if (!now.has(child)) {
        observer.current?.unobserve(child);
        watched.delete(child);
      }
    for (const child of now)
      if (!watched.has(child)) {
        observer.current?.observe(child);
        watched.add(child);
      }
  });

  function anchorAt(scrollTop: number): void {
    const index = Math.min(rows.length - 1, indexAt(layout, scrollTop));
    const row = rows[index];
    state.anchor = row && { key: row.key, offset: layout.offsets[index]! - scrollTop };
  }

  const scrolled = () => {
    const at = scroller.current!;
    state.isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight <= endSlack;
    anchorAt(at.scrollTop);
    const isCovered =
      (first === 0 || layout.offsets[first]! <= at.scrollTop - overscan / 2) &&
      (last === rows.length || layout.offsets[last]! >= at.scrollTop + at.clientHeight + overscan / 2);
    if (!isCovered) redraw((count) => count + 1);
    tell();
  };

  return (
    <div ref={scroller} class="virtual-list" onScroll={scrolled} role="region" aria-label={label} tabIndex={0}>
      <div style={{ height: `${layout.total}px` }}>
        <div ref={spacer} style={{ transform: `translateY(${layout.offsets[first] ?? 0}px)` }}>
          {rows.slice(first, last).map((row) => (
            <div key={row.key} data-key={row.key}>
              {draw(row)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Where each row begins, and behind the last one where the list ends. */
function layoutOf(rows: readonly Row[], heights: ReadonlyMap<string, number>): Layout {
  const offsets = new Float64Array(rows.length + 1);
  for (let index = 0; index < rows.length; index++)
    offsets[index + 1] = offsets[index]! + (heights.get(rows[index]!.key) ?? rows[index]!.estimate);
  return { offsets, total: offsets[rows.length]! };
}

/** The row at a height. */
function indexAt({ offsets }: Layout, y: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= y) low = middle;
    else high = middle - 1;
  }
  return Math.min(low, Math.max(0, offsets.length - 2));
}

/** Returns whether a height is another one than was thought. */
function measure(spacer: HTMLElement, heights: Map<string, number>): boolean {
  let isChanged = false;
  for (const child of spacer.children as unknown as Iterable<HTMLElement>) {
    const key = child.dataset["key"]!;
    const height = child.getBoundingClientRect().height;
    // Half a pixel more or less is rounding.
    if (Math.abs((heights.get(key) ?? -1) - height) > 0.5) {
      heights.set(key, height);
      isChanged = true;
    }
  }
  return isChanged;
}
