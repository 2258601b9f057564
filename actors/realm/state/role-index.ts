/** Active accounts by role, so that the members of a system group are listed without looking at every account. */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";

export class RoleIndex {
  readonly #ids = new Map<number, Set<UserId>>();
  readonly #roles = new Map<UserId, number>();
  /** Sorted lists: made when first asked for, dropped when the role's accounts change. */
  readonly #sorted = new Map<number, readonly UserId[]>();

  /** Notes an account as it is now. The system's own bots are in no group. */
  put(user: UserRow): void {
    const before = this.#roles.get(user.id);
    const role = user.is_active && !user.is_system_bot ? user.role : undefined;
    if (before === role) return;
    if (before !== undefined) {
      this.#ids.get(before)?.delete(user.id);
      this.#sorted.delete(before);
    }
    if (role === undefined) {
      this.#roles.delete(user.id);
      return;
    }
    this.#roles.set(user.id, role);
    this.#sorted.delete(role);
    const ids = this.#ids.get(role);
    if (ids) ids.add(user.id);
    else this.#ids.set(role, new Set([user.id]));
  }

  /** Ids of the active accounts of exactly this role, ascending; the caller may keep and change the list. */
  members(role: number): UserId[] {
    let sorted = this.#sorted.get(role);
    if (!sorted) {
      sorted = Array.from(Int32Array.from(this.#ids.get(role) ?? []).sort());
      this.#sorted.set(role, sorted);
    }
    return [...sorted];
  }

  /** Ids of the active accounts of exactly this role, in no order, without a copy. */
  idsOf(role: number): ReadonlySet<UserId> {
    return this.#ids.get(role) ?? nobody;
  }
}

const nobody: ReadonlySet<UserId> = new Set();
