/**
 * Nouns derive an index, compiled rules or texts from a replica, and keep them here. Each is made when somebody first
 * asks. It is forgotten when one of its tables changes, or when caches are dropped.
 */
import type { StateTable, UserRow } from "../../../storage/rows.ts";

export interface Derived<D, State> {
  make(state: State): D;
  /** A change of one of these makes it stale. */
  readonly tables: readonly StateTable[];
  /** Follows an account that is new or has changed. Absent: nothing depends on accounts, or the row is its key. */
  userChanged?(derived: D, user: UserRow): void;
}

export class DerivedParts<State> {
  readonly #made = new Map<Derived<unknown, State>, unknown>();

  of<D>(declaration: Derived<D, State>, state: State): D {
    const kept = this.#made.get(declaration) as D | undefined;
    if (kept !== undefined) return kept;
    const made = declaration.make(state);
    this.#made.set(declaration, made);
    return made;
  }

  userChanged(user: UserRow): void {
    for (const [declaration, made] of this.#made) declaration.userChanged?.(made, user);
  }

  tableChanged(table: StateTable): void {
    for (const declaration of this.#made.keys()) if (declaration.tables.includes(table)) this.#made.delete(declaration);
  }

  forget(): void {
    this.#made.clear();
  }
}
