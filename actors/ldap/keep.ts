/** Keeps accounts as their directory describes them: name, profile, role, groups. What is refused stays as it was. */
import type { UserId } from "../../storage/ids.ts";
import { type Role, roles, type UserRow } from "../../storage/rows.ts";
import { ApiError } from "../errors.ts";
import { addGroup } from "../groups/changes/groups.ts";
import { changeMembers } from "../groups/changes/members.ts";
import { checkGroupName, defaultGroupSettings } from "../groups/rules.ts";
import { command } from "../realm/command.ts";
import type { JobRealm } from "../realm/served.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { checkFullName } from "../users/changes/accounts.ts";
import { operatorOf } from "../users/changes/operator.ts";
import { type CheckedProfileChange, changeProfileData, checkProfileChanges } from "../users/changes/profile.ts";
import { changeRole, isOnlyOwner } from "../users/changes/role.ts";
import { changeFullName } from "../users/changes/update.ts";
import type { Described } from "./entry.ts";

/** By what the audit log says that a directory has changed something. */
export const byDirectory = { via: "ldap" } as const;

/** Makes an account what its directory describes. Commits nothing where nothing differs. */
export async function keepInStep(
  realm: JobRealm,
  userId: UserId,
  described: Described,
  by: { via: "ldap" | "oidc" } = byDirectory,
): Promise<void> {
  const user = realm.state.users.get(userId);
  if (!user?.is_active || user.is_bot) return;
  const { groups, ...profile } = described;
  const changes = changesOf(realm.state, user, profile);
  if (changes.fullName !== undefined || changes.role !== undefined || changes.profile.length > 0)
    await realm.execute("keepDirectoryProfile", { userId, ...profile }, by);
  // Each by itself: what somebody comes to see by one group decides what they come to see by the next.
  for (const group of groups)
    if (mustChange(realm.state, userId, group)) await realm.execute("keepDirectoryGroup", { userId, ...group }, by);
}

type Profile = Omit<Described, "groups">;

interface ProfileChanges {
  fullName: string | undefined;
  role: Role | undefined;
  profile: CheckedProfileChange[];
}

/** What of a profile is to change, and may. */
function changesOf(state: RealmState, user: UserRow, { fullName, role, fields }: Profile): ProfileChanges {
  const isNamedAnew = fullName !== "" && fullName !== user.full_name;
  const isOwnerNeeded = role !== roles.owner && isOnlyOwner(state, user);
  return {
    fullName: isNamedAnew ? ifFit(() => checkFullName(fullName, state, user.id)) : undefined,
    role: role === user.role || isOwnerNeeded ? undefined : role,
    profile: Object.entries(fields).flatMap(([name, value]) => {
      const field = [...state.profileFields.values()].find((one) => one.name.toLowerCase() === name.toLowerCase());
      if (!field || (user.profile_data[field.id] ?? "") === value) return [];
      return ifFit(() => checkProfileChanges(state, [{ id: field.id, value }], false)) ?? [];
    }),
  };
}

/** What a check gives. Undefined: the organization refuses it. */
function ifFit<T>(check: () => T): T | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Gives an account its name, profile fields and role. */
export const keepDirectoryProfile = command((tx: Tx, { userId, ...wanted }: Profile & { userId: UserId }) => {
  const user = tx.user(userId);
  const { fullName, role, profile } = changesOf(tx.state, user, wanted);
  let next = fullName === undefined ? user : changeFullName(tx, user, fullName);
  if (role !== undefined) next = changeRole(tx, next, role);
  changeProfileData(tx, next, profile);
  return {};
});

interface GroupArgs {
  userId: UserId;
  name: string;
  isMember: boolean;
}

function mustChange(state: RealmState, userId: UserId, { name, isMember }: Omit<GroupArgs, "userId">): boolean {
  const group = state.groups.findByName(name);
  if (!group) return isMember && ifFit(() => checkGroupName(state, name)) !== undefined;
  const isOurs = !group.is_system_group && !group.deactivated;
  return isOurs && state.groups.hasDirectMember(group.id, userId) !== isMember;
}

/** Makes somebody a member of a group, or ends that. A group that is not there is made, in the name of an owner. */
export const keepDirectoryGroup = command(async (tx: Tx, { userId, name, isMember }: GroupArgs) => {
  const { state } = tx;
  const user = tx.user(userId);
  if (!mustChange(state, user.id, { name, isMember })) return {};
  const group = state.groups.findByName(name);
  if (group) {
    const [added, deleted] = isMember ? [[user.id], []] : [[], [user.id]];
    changeMembers(tx, group, { added, deleted, addedGroups: [], deletedGroups: [] });
  } else {
    const owner = operatorOf(state);
    const settings = defaultGroupSettings(state, owner.id);
    const made = { name: checkGroupName(state, name), description: "", members: [user.id], subgroups: [], settings };
    await addGroup(tx, owner, made);
  }
  return {};
});
