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
  rowHeight: number;
  keyOf(item: T): string | number;
  row(item: T): ComponentChildren;
  label?: string;
  class?: string;
  reveal?: Reveal | undefined;
}

/** Rows beyond the edges, so that fast scrolling shows no gaps. */
const overscan = 6;

export function FixedList<T>({ items, rowHeight, keyOf, row, label, class: name = "", reveal }: Props<T>) {
  const place = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const top = useRef(0);
  const [[first, count], setWindow] = useState<readonly [number, number]>([0, 40]);
  const look = (list: Element) => {
    top.current = list.scrollTop;
    const next = [
      Math.max(0, Math.floor(list.scrollTop / rowHeight) - overscan),
      Math.ceil(height.current / rowHeight) + 2 * overscan,
    ] as const;
    setWindow((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
  };
  // The observer reports heights after layout. Reading them would force one.
  useLayoutEffect(() => {
    const observer = new ResizeObserver((entries) => {
      const { contentRect, target } = entries.at(-1)!;
      height.current = contentRect.height;
      look(target);
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!reveal) return;
    const [above, view] = [reveal.at * rowHeight, height.current || place.current!.clientHeight];
    if (reveal.isFirst) place.current!.scrollTop = above;
    else if (above < top.current || above + rowHeight > top.current + view)
      place.current!.scrollTop = above - (view - rowHeight) / 2;
  }, [reveal]);
  const from = Math.min(first, Math.max(0, items.length - 1));
  const shown = items.slice(from, from + count);
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
