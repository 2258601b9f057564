/**
 * Which element draws which row of a list. A row that stays keeps its element. A row that comes takes the element of
 * one of its kind that goes: an element that says something else costs less than a new one.
 */
type Key = string | number;

interface RowElement {
  /** By which Preact knows it. */
  id: number;
  kind: string;
}

export class RowElements {
  /** In the order in which they are drawn. */
  #elements: ReadonlyMap<Key, RowElement> = new Map();
  #made = 0;

  /**
   * The ids of the elements for these rows.
   *
   * @param held the place of an element that no other row takes, or -1
   */
  take(rows: readonly { key: Key; kind: string }[], held: number): number[] {
    const free = this.#free(new Set(rows.map(({ key }) => key)), held);
    const elements = new Map<Key, RowElement>();
    const ids = rows.map(({ key, kind }) => {
      const old = this.#elements.get(key);
      const element = old?.kind === kind ? old : { id: free.get(kind)?.shift() ?? ++this.#made, kind };
      elements.set(key, element);
      return element.id;
    });
    this.#elements = elements;
    return ids;
  }

  /** Those of the rows that go, by kind. */
  #free(staying: ReadonlySet<Key>, held: number): Map<string, number[]> {
    const free = new Map<string, number[]>();
    [...this.#elements].forEach(([key, { id, kind }], at) => {
      if (staying.has(key) || at === held) return;
      const ids = free.get(kind);
      if (ids) ids.push(id);
      else free.set(kind, [id]);
    });
    return free;
  }
}

/** The place among its siblings of the row that has the focus, or gets it back from its menu; -1 for none. */
export function heldRow(rows: Element | null | undefined): number {
  const held = rows?.querySelector(":focus, [data-kept]");
  if (!rows || !held) return -1;
  return [...rows.children].findIndex((row) => row.contains(held));
}
