/**
 * A list with rows of different heights, of which only those in view are drawn. One row, the anchor, keeps its place on
 * the screen when rows around it are added, measured or removed. So nothing jumps while more is fetched at either end.
 */
import { Component, type ComponentChildren, type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Row {
  key: string;
  /** Height in pixels before it is measured. */
  estimate: number;
}

/** Where to scroll: a row at a share of the view's height, or the end. */
export type Aim = { key: string; share: number } | "end";

/** Pixels that were measured. Whoever keeps them for a list has it in its place at once when it is shown again. */
export interface Measured {
  view: { height: number };
  /** Of rows, by key. */
  heights: Map<string, number>;
}

interface Seen<R extends Row> {
  isAtEnd: boolean;
  nearStart: boolean;
  nearEnd: boolean;
  visible: readonly R[];
  /** The place of the first of them. */
  first: number;
}

interface Props<R extends Row> {
  rows: readonly R[];
  measured: Measured;
  /** An unchanged row object is not drawn again. */
  draw(row: R): ComponentChildren;
  /** The list scrolls to each new object once. */
  aim: { at: Aim } | undefined;
  /** Called after scrolling and after each drawing, with the rows in view. */
  onScroll(state: Seen<R>): void;
  label: string;
  scroller: RefObject<HTMLDivElement | null>;
}

/** Pixels beyond the edges in which rows are drawn, and within which more is fetched. */
const overscan = 250;
const near = 1500;
/** Heights that are known of rows that are gone. */
const maxStray = 500;
/** Scrolling may stop a fraction of a pixel before the end. */
const endSlack = 4;

interface Layout {
  offsets: Float64Array;
  total: number;
}

/** Where a list is. */
interface Place<R extends Row> {
  anchor?: { key: string; offset: number } | undefined;
  isAtEnd: boolean;
  /** The aim that was last followed. */
  aimed?: object;
  /** The last known values. Reading them from the element would force a layout. */
  scrollTop: number;
  scrollHeight: number;
  laidOut?: { rows: readonly R[]; layout: Layout } | undefined;
}

export function VirtualList<R extends Row>({ rows, measured, draw, aim, onScroll, label, scroller }: Props<R>) {
  const { heights, view } = measured;
  const viewHeight = view.height;
  const state = useRef<Place<R>>({ isAtEnd: true, scrollTop: 0, scrollHeight: 0 }).current;
  const spacer = useRef<HTMLDivElement>(null);
  const [, count] = useState(0);
  const redraw = () => {
    // Heights have changed, or the view's.
    state.laidOut = undefined;
    count((drawings) => drawings + 1);
  };
  const watched = useRef(new Set<Element>()).current;
  const drawn = useRef<readonly R[]>([]);
  if (state.laidOut?.rows !== rows) {
    if (heights.size > rows.length + maxStray) keepOnly(heights, new Set(rows.map(({ key }) => key)));
    state.laidOut = { rows, layout: layoutOf(rows, heights) };
  }
  const { layout } = state.laidOut;

  // The future scroll position decides which rows are drawn.
  let top = state.scrollTop;
  const isAimed = aim !== undefined && aim !== state.aimed;
  if (isAimed) {
    state.aimed = aim;
    state.isAtEnd = aim.at === "end";
    state.anchor = aim.at === "end" ? undefined : { key: aim.at.key, offset: Math.round(viewHeight * aim.at.share) };
  }
  const { anchor } = state;
  const anchored = anchor ? rows.findIndex(({ key }) => key === anchor.key) : -1;
  const anchoredTop = anchor && anchored >= 0 ? offsetOf(layout, anchored) - anchor.offset : undefined;
  if (state.isAtEnd || anchor === undefined) top = Math.max(0, layout.total - viewHeight);
  else if (anchoredTop !== undefined) top = anchoredTop;
  const first = indexAt(layout, Math.max(0, top - overscan));
  const last = Math.min(rows.length, indexAt(layout, top + viewHeight + overscan) + 1);

  drawn.current = rows.slice(first, last);

  const tell = () => {
    const at = scroller.current;
    if (!at) return;
    state.scrollTop = at.scrollTop;
    state.scrollHeight = at.scrollHeight;
    const seen = seenOf(at, rows, layout);
    // A list that fits the view is at its end.
    if (seen.isAtEnd && at.scrollHeight <= at.clientHeight + endSlack) state.isAtEnd = true;
    onScroll(seen);
  };

  useLayoutEffect(() => {
    const at = scroller.current;
    // A list that is kept outside of the page has no heights.
    if (!at?.isConnected || !spacer.current) return;
    // Whoever scrolls up has left the end, also before that is told. The browser scrolls up by itself where rows went,
    // or where the view became taller.
    const mayBeMoved = isAimed || at.scrollHeight < state.scrollHeight || at.clientHeight > viewHeight;
    if (state.isAtEnd && !mayBeMoved && at.scrollTop < state.scrollTop - 1) {
      state.isAtEnd = false;
      anchorAt(at.scrollTop);
    }
    state.scrollTop = at.scrollTop;
    state.scrollHeight = at.scrollHeight;
    // An observer watches the existing rows. Only new rows are measured here.
    const isChanged = measure(spacer.current.children, heights, watched);
    if (isChanged || at.clientHeight !== viewHeight) {
      view.height = at.clientHeight;
      redraw();
      return;
    }
    const place = state.isAtEnd ? at.scrollHeight - at.clientHeight : (anchoredTop ?? at.scrollTop);
    if (Math.abs(at.scrollTop - place) >= 1) at.scrollTop = place;
    if (!state.isAtEnd && anchored < 0 && rows.length > 0) anchorAt(at.scrollTop);
    tell();
  });

  useSizes({ measured, scroller, spacer, watched, drawn, redraw });

  function anchorAt(scrollTop: number): void {
    const index = Math.min(rows.length - 1, indexAt(layout, scrollTop));
    const row = rows[index];
    state.anchor = row && { key: row.key, offset: offsetOf(layout, index) - scrollTop };
  }

  const scrolled = () => {
    const at = scroller.current;
    // The last scroll of a list may be told when the list is gone from the page.
    if (!at?.isConnected) return;
    // A row that grows, as its picture comes, moves the end away before it is measured: nobody has left the end then.
    const isLeft = at.scrollTop < state.scrollTop - 1;
    state.scrollTop = at.scrollTop;
    const isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight <= endSlack;
    state.isAtEnd = isAtEnd || (state.isAtEnd && !isLeft);
    anchorAt(at.scrollTop);
    if (!isCovered(at, layout, first, last)) count((drawings) => drawings + 1);
    tell();
  };

  return (
    <div ref={scroller} class="virtual-list" onScroll={scrolled} role="region" aria-label={label} tabIndex={0}>
      <div style={{ height: `${layout.total}px` }}>
        <div ref={spacer} style={{ transform: `translateY(${layout.offsets[first] ?? 0}px)` }}>
          {drawn.current.map((row) => (
            <DrawnRow key={row.key} row={row} draw={draw} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface Sized<R extends Row> extends Pick<Props<R>, "measured" | "scroller"> {
  spacer: RefObject<HTMLDivElement | null>;
  /** Rows whose size is watched. */
  watched: Set<Element>;
  drawn: { readonly current: readonly R[] };
  redraw(): void;
}

/** Watches the sizes of the drawn rows and of the view. It comes after whatever measures rows that are new. */
function useSizes<R extends Row>({ measured, scroller, spacer, watched, drawn, redraw }: Sized<R>): void {
  const { heights, view } = measured;
  const observer = useRef<ResizeObserver>(undefined);
  useLayoutEffect(() => {
    observer.current = new ResizeObserver((entries) => {
      if (!scroller.current?.isConnected) return;
      let isChanged = false;
      for (const { target, borderBoxSize } of entries)
        if (target !== scroller.current)
          for (const { blockSize } of borderBoxSize) isChanged = note(target, blockSize, heights) || isChanged;
      const isOfView = entries.some(({ target }) => target === scroller.current);
      const isResized = isOfView && scroller.current.clientHeight !== view.height;
      if (isChanged || isResized) redraw();
    });
    if (scroller.current) observer.current.observe(scroller.current);
    return () => {
      observer.current?.disconnect();
      // What was in view is the likeliest to be shown again.
      keepOnly(heights, new Set(drawn.current.map(({ key }) => key)));
    };
  }, []);

  useLayoutEffect(() => {
    const now = new Set(spacer.current?.children);
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
}

/** What is in view, and how near the ends are. */
function seenOf<R extends Row>(at: HTMLElement, rows: readonly R[], layout: Layout): Seen<R> {
  const first = indexAt(layout, at.scrollTop);
  return {
    isAtEnd: at.scrollHeight - at.scrollTop - at.clientHeight <= endSlack,
    nearStart: at.scrollTop < near,
    nearEnd: layout.total - at.scrollTop - at.clientHeight < near,
    visible: rows.slice(first, indexAt(layout, at.scrollTop + at.clientHeight - 1) + 1),
    first,
  };
}

/** Whether the rows from `first` on and before `last` are enough for a while. */
function isCovered(at: HTMLElement, { offsets, total }: Layout, first: number, last: number): boolean {
  const [from, to] = [offsets[first] ?? 0, offsets[last] ?? total];
  const isBegun = first === 0 || from <= at.scrollTop - overscan / 2;
  return isBegun && (last === offsets.length - 1 || to >= at.scrollTop + at.clientHeight + overscan / 2);
}

/** Forgets all other heights. */
function keepOnly(heights: Map<string, number>, keys: ReadonlySet<string>): void {
  for (const key of heights.keys()) if (!keys.has(key)) heights.delete(key);
}

/** The offset of each row, and at last the height of the list. */
function layoutOf(rows: readonly Row[], heights: ReadonlyMap<string, number>): Layout {
  const offsets = new Float64Array(rows.length + 1);
  let index = 0;
  let total = 0;
  for (const { key, estimate } of rows) {
    total += heights.get(key) ?? estimate;
    offsets[++index] = total;
  }
  return { offsets, total };
}

/** Where a row begins. After the last one is the end. */
const offsetOf = ({ offsets, total }: Layout, index: number): number => offsets[index] ?? total;

/** The row at an offset. */
function indexAt(layout: Layout, y: number): number {
  const { length } = layout.offsets;
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsetOf(layout, middle) <= y) low = middle;
    else high = middle - 1;
  }
  return Math.min(low, Math.max(0, length - 2));
}

/** Draws a row, and again only for another row object. */
class DrawnRow<R extends Row> extends Component<{ row: R; draw(row: R): ComponentChildren }> {
  override shouldComponentUpdate({ row }: { row: R }): boolean {
    return row !== this.props.row;
  }

  override render() {
    const { row, draw } = this.props;
    return <div data-key={row.key}>{draw(row)}</div>;
  }
}

/** Measures rows. Returns whether a height changed. @param known rows that need no measuring */
function measure(views: Iterable<Element>, heights: Map<string, number>, known: ReadonlySet<Element>): boolean {
  let isChanged = false;
  for (const view of views)
    if (!known.has(view)) isChanged = note(view, view.getBoundingClientRect().height, heights) || isChanged;
  return isChanged;
}

/** Notes the height of a row. Returns whether it changed: differences up to half a pixel are rounding. */
function note(view: Element, height: number, heights: Map<string, number>): boolean {
  const key = view.getAttribute("data-key");
  if (key === null || Math.abs((heights.get(key) ?? -1) - height) <= 0.5) return false;
  heights.set(key, height);
  return true;
}
