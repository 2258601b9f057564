import type { Id } from "../../../storage/ids.ts";
import type { RemovedRow, RemovedRows, StateRows, StateTable } from "../../../storage/rows.ts";

/** How a replica takes the rows of a table, and removes those that its log may remove. */
export type AppliedTable<T extends StateTable> = { put(row: StateRows[T]): void } & (T extends keyof RemovedRows
  ? { remove(key: RemovedRow<T>): void }
  : { remove?(key: never): void });

/** A table that no noun takes does not compile. */
export type AppliedTables = { readonly [T in StateTable]: AppliedTable<T> };

/** Rows that are kept by their `id`. @param changed called after each change */
export function byId<Row extends { id: Id<string> }>(rows: Map<Row["id"], Row>, changed: () => void) {
  return {
    put(row: Row): void {
      rows.set(row.id, row);
      changed();
    },
    remove({ id }: Pick<Row, "id">): void {
      rows.delete(id);
      changed();
    },
  };
}
