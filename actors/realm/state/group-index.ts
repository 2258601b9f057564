/**
 * Groups and who is in them. A system group (`role:…`) is decided by a user's role and age, any other by its members
 * and, through any chain, its subgroups. The closure of a group is computed once and kept until a group changes. A
 * deactivated group keeps its members and subgroups, but grants nothing, neither directly nor through a group above it.
 */
import type { GroupId, UserId } from "../../../storage/ids.ts";
import { type Change, type GroupSetting, roles, type UserGroupRow, type UserRow } from "../../../storage/rows.ts";
import { emptyIds, IdSet, type ReadonlyIdSet } from "./id-set.ts";

/** Each contains the one before it; `role:nobody` stands alone. https://zulip.com/api/group-setting-values */
export const systemGroupNames = [
  "role:owners",
  "role:administrators",
  "role:moderators",
  "role:fullmembers",
  "role:members",
  "role:everyone",
  "role:internet",
  "role:nobody",
] as const;
export type SystemGroupName = (typeof systemGroupNames)[number];

/** Which system group it is. Undefined: one that people made. */
export const systemNameOf = (group: UserGroupRow | undefined): SystemGroupName | undefined =>
  group?.is_system_group ? (group.name as SystemGroupName) : undefined;

export const systemGroupDescriptions: Record<SystemGroupName, string> = {
  "role:owners": "Owners of this organization",
  "role:administrators": "Administrators of this organization, including owners",
  "role:moderators": "Moderators of this organization, including administrators",
  "role:fullmembers": "Members of this organization, not including new accounts and guests",
  "role:members": "Members of this organization, not including guests",
  "role:everyone": "Everyone in this organization, including guests",
  "role:internet": "Everyone on the Internet",
  "role:nobody": "Nobody",
};

const highestRole: Record<Exclude<SystemGroupName, "role:nobody" | "role:fullmembers">, number> = {
  "role:owners": roles.owner,
  "role:administrators": roles.administrator,
  "role:moderators": roles.moderator,
  "role:members": roles.member,
  "role:everyone": roles.guest,
  "role:internet": roles.guest,
};

export class Groups {
  readonly byId = new Map<GroupId, UserGroupRow>();
  readonly #byName = new Map<string, UserGroupRow>();
  readonly #members = new Map<GroupId, IdSet<UserId>>();
  readonly #subgroups = new Map<GroupId, IdSet<GroupId>>();
  readonly #system = new Map<SystemGroupName, GroupId>();
  readonly #closures = new Map<GroupId, { members: Set<UserId>; system: SystemGroupName[] }>();

  /** @param isFullMember whether an account is older than the realm's waiting period */
  constructor(private readonly isFullMember: (user: UserRow) => boolean) {}

  put(group: UserGroupRow): void {
    const before = this.byId.get(group.id);
    if (before) this.#byName.delete(before.name.toLowerCase());
    this.byId.set(group.id, group);
    this.#byName.set(group.name.toLowerCase(), group);
    const systemName = systemNameOf(group);
    if (systemName !== undefined) this.#system.set(systemName, group.id);
    if (before?.deactivated !== group.deactivated) this.#closures.clear();
  }

  addMember(groupId: GroupId, userId: UserId): void {
    this.#set(this.#members, groupId).add(userId);
    this.#closures.clear();
  }
  removeMember(groupId: GroupId, userId: UserId): void {
    this.#set(this.#members, groupId).delete(userId);
    this.#closures.clear();
  }
  addSubgroup(groupId: GroupId, subgroupId: GroupId): void {
    this.#set(this.#subgroups, groupId).add(subgroupId);
    this.#closures.clear();
  }
  removeSubgroup(groupId: GroupId, subgroupId: GroupId): void {
    this.#set(this.#subgroups, groupId).delete(subgroupId);
    this.#closures.clear();
  }

  /** Puts and removes rows of the three tables of groups, and ignores rows of other tables. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.table === "user_groups") for (const row of change.put ?? []) this.put(row);
      if (change.table === "user_group_members") {
        for (const key of change.remove ?? []) this.removeMember(key.group_id, key.user_id);
        for (const row of change.put ?? []) this.addMember(row.group_id, row.user_id);
      }
      if (change.table === "user_group_subgroups") {
        for (const key of change.remove ?? []) this.removeSubgroup(key.group_id, key.subgroup_id);
        for (const row of change.put ?? []) this.addSubgroup(row.group_id, row.subgroup_id);
      }
    }
  }

  /**
   * The groups as they will be after these changes, for deciding. This index stays as it is: what changes is copied.
   */
  with(changes: readonly Change[], isFullMember: (user: UserRow) => boolean = this.isFullMember): Groups {
    const next = new Groups(isFullMember);
    for (const group of this.byId.values()) next.put(group);
    for (const [id, set] of this.#members) next.#members.set(id, set);
    for (const [id, set] of this.#subgroups) next.#subgroups.set(id, set);
    for (const change of changes) {
      const sets: Map<GroupId, IdSet<number>> = change.table === "user_group_members" ? next.#members : next.#subgroups;
      if (change.table !== "user_group_members" && change.table !== "user_group_subgroups") continue;
      const ids = [...(change.put ?? []), ...(change.remove ?? [])].map((row) => row.group_id!);
      for (const id of new Set(ids)) sets.set(id, new IdSet(sets.get(id) ?? []));
    }
    next.apply(changes);
    return next;
  }

  /** All groups by id, whatever order they came in. */
  inOrder(): UserGroupRow[] {
    return [...this.byId.values()].sort((a, b) => a.id - b.id);
  }

  findByName(name: string): UserGroupRow | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  /** Id of a system group. */
  systemId(name: SystemGroupName): GroupId {
    return this.#system.get(name) ?? -1;
  }

  /** Groups that hold this one directly, ascending. */
  directSupergroups(groupId: GroupId): GroupId[] {
    const ids: GroupId[] = [];
    for (const [id, subgroups] of this.#subgroups) if (subgroups.has(groupId)) ids.push(id);
    return ids.sort((a, b) => a - b);
  }

  hasDirectMember(groupId: GroupId, userId: UserId): boolean {
    return this.#members.get(groupId)?.has(userId) ?? false;
  }

  hasDirectSubgroup(groupId: GroupId, subgroupId: GroupId): boolean {
    return this.#subgroups.get(groupId)?.has(subgroupId) ?? false;
  }

  /** Direct members of an ordinary group, deactivated users too. System groups have none stored. */
  directMembers(groupId: GroupId): UserId[] {
    return this.memberSet(groupId).toArray();
  }

  /** The same, not copied. */
  memberSet(groupId: GroupId): ReadonlyIdSet<UserId> {
    return this.#members.get(groupId) ?? emptyIds;
  }

  directSubgroups(groupId: GroupId): GroupId[] {
    return this.#subgroups.get(groupId)?.toArray() ?? [];
  }

  /** Whether `inner` is `outer` or reached from it through subgroups, deactivated ones too. */
  contains(outer: GroupId, inner: GroupId): boolean {
    const seen = new Set<GroupId>();
    const open = [outer];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (id === inner) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      for (const subgroup of this.#subgroups.get(id) ?? []) open.push(subgroup);
    }
    return false;
  }

  /** Whether an active user is in a group that is not deactivated, directly or through subgroups. */
  isMember(groupId: GroupId, user: UserRow): boolean {
    if (!user.is_active) return false;
    const group = this.byId.get(groupId);
    if (!group || group.deactivated) return false;
    const systemName = systemNameOf(group);
    if (systemName !== undefined) return this.isInSystemGroup(systemName, user);
    const closure = this.#closure(groupId);
    return closure.members.has(user.id) || closure.system.some((name) => this.isInSystemGroup(name, user));
  }

  isInSystemGroup(name: SystemGroupName, user: UserRow): boolean {
    if (name === "role:nobody") return false;
    if (name === "role:fullmembers")
      return user.role <= roles.moderator || (user.role === roles.member && this.isFullMember(user));
    return user.role <= highestRole[name];
  }

  /** The one permission function: whether `user` is in the group that a setting names. */
  holds(setting: GroupSetting, user: UserRow): boolean {
    if (!user.is_active) return false;
    if (typeof setting === "number") return this.isMember(setting, user);
    return setting.direct_members.includes(user.id) || setting.direct_subgroups.some((id) => this.isMember(id, user));
  }

  /**
   * Whether a group is named in a setting's value or reached from it, so that its members may matter. System groups are
   * decided by roles, so nothing is reached through them.
   */
  dependsOn(setting: GroupSetting, groupId: GroupId): boolean {
    if (typeof setting === "number") return this.contains(setting, groupId);
    return setting.direct_subgroups.some((id) => this.contains(id, groupId));
  }

  /** The users listed in the group and in its subgroups (deactivated users too), and the system groups among these. */
  reach(groupId: GroupId): { members: ReadonlySet<UserId>; system: readonly SystemGroupName[] } {
    return this.#closure(groupId);
  }

  #closure(groupId: GroupId): { members: Set<UserId>; system: SystemGroupName[] } {
    const kept = this.#closures.get(groupId);
    if (kept) return kept;
    const members = new Set<UserId>();
    const system: SystemGroupName[] = [];
    const seen = new Set<GroupId>();
    const open = [groupId];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const group = this.byId.get(id);
      if (group?.deactivated && id !== groupId) continue;
      const systemName = systemNameOf(group);
      if (systemName !== undefined) system.push(systemName);
      for (const member of this.#members.get(id) ?? []) members.add(member);
      for (const subgroup of this.#subgroups.get(id) ?? []) open.push(subgroup);
    }
    const closure = { members, system };
    this.#closures.set(groupId, closure);
    return closure;
  }

  #set<Id extends number>(sets: Map<GroupId, IdSet<Id>>, id: GroupId): IdSet<Id> {
    let set = sets.get(id);
    if (!set) sets.set(id, (set = new IdSet()));
    return set;
  }
}
