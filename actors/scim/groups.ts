/**
 * What directories do to user groups. Each command is all or nothing, and tells clients what the commands of groups
 * tell. A directory may change every group but the system's, whoever made it.
 */
import type { GroupId, UserId } from "../../storage/ids.ts";
import type { UserGroupRow, UserRow } from "../../storage/rows.ts";
import { findScimGroupNames, putScimGroup } from "../../storage/scim.ts";
import { addGroup, closeGroup, putGroup } from "../groups/changes/groups.ts";
import { changeMembers } from "../groups/changes/members.ts";
import { checkGroupName, defaultGroupSettings } from "../groups/rules.ts";
import { command } from "../realm/command.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import {
  exactly,
  type GroupDocument,
  groupVersion,
  isProvisionedGroup,
  type MembersWanted,
  movesOf,
  type ProvisionedGroup,
  patchedGroup,
} from "./group-document.ts";
import type { Operation } from "./patch.ts";
import { hasChanged, noResource, refusal } from "./refusals.ts";
import { isProvisioned, namesVersion } from "./user-document.ts";

/** Adds a group. One of that name that is out of use comes back, with these members. @throws 409, 400 */
export const createScimGroup = command(
  async (tx: Tx, { actorId, document }: { actorId: UserId; document: GroupDocument }) => {
    const actor = tx.user(actorId);
    const former = tx.state.groups.findByName(document.displayName.trim());
    checkFree(former);
    checkPeople(tx.state, document.members);
    const group = former ?? (await addNew(tx, actor, document));
    if (former) {
      putGroup(tx, former, {}, false);
      // Whom the group shows channels to is found out once it is in use.
      tx.later((next) => changePeople(next, former, exactly(document.members)));
    }
    tx.write((sql) => putScimGroup(sql, tx.realmId, group.id, document.externalId));
    return { group_id: group.id };
  },
);

function addNew(tx: Tx, actor: UserRow, { displayName, members }: GroupDocument): Promise<UserGroupRow> {
  const name = checkGroupName(tx.state, displayName);
  const settings = defaultGroupSettings(tx.state, actor.id);
  return addGroup(tx, actor, { name, description: "", members, subgroups: [], settings });
}

/** What a directory wants of a group: all of it (PUT), or some changes (PATCH). */
export type WantedGroup = { document: GroupDocument } | { operations: Operation[] };

interface ChangeArgs {
  actorId: UserId;
  groupId: GroupId;
  wanted: WantedGroup;
  /** The `If-Match` of the request; empty: any version. */
  ifMatch: string;
}

/** Changes a group. @throws 404, 412, 409, 400 */
export const changeScimGroup = command(async (tx: Tx, { actorId, groupId, wanted, ifMatch }: ChangeArgs) => {
  tx.user(actorId);
  const found = await accessProvisioned(tx, groupId, ifMatch);
  const { group, externalId } = found;
  const { document, members } =
    "document" in wanted
      ? { document: wanted.document, members: exactly(wanted.document.members) }
      : patchedGroup({ displayName: group.name, externalId }, wanted.operations);
  const name = document.displayName.trim();
  if (name !== group.name) {
    const holder = tx.state.groups.findByName(name);
    if (holder && holder.id !== group.id) throw taken(name);
    putGroup(tx, group, { name: checkGroupName(tx.state, name, group.id) }, false);
  }
  changePeople(tx, group, members);
  if (document.externalId !== externalId)
    tx.write((sql) => putScimGroup(sql, tx.realmId, group.id, document.externalId));
  return {};
});

/** Puts a group out of use. @throws 404, 412, CANNOT_DEACTIVATE_GROUP_IN_USE */
export const removeScimGroup = command(async (tx: Tx, { actorId, groupId, ifMatch }: Omit<ChangeArgs, "wanted">) => {
  const { group } = await accessProvisioned(tx, groupId, ifMatch);
  closeGroup(tx, tx.user(actorId), group);
  tx.write((sql) => putScimGroup(sql, tx.realmId, group.id, undefined));
  return {};
});

function changePeople(tx: Tx, group: UserGroupRow, wanted: MembersWanted): void {
  const { added, deleted } = movesOf(tx.state, group.id, wanted);
  checkPeople(tx.state, added);
  if (added.length + deleted.length > 0)
    changeMembers(tx, group, { added, deleted, addedGroups: [], deletedGroups: [] });
}

/** @throws a 400 with `invalidValue` for who is no person of the organization */
function checkPeople(state: RealmState, ids: readonly UserId[]): void {
  const stranger = ids.find((id) => !isProvisioned(state.users.get(id), undefined));
  if (stranger !== undefined) throw refusal("invalidValue", `There is no user with the id ${stranger}.`);
}

const taken = (name: string) => refusal("uniqueness", `There is a group ${name} already.`);

/** @throws 409 for a name that is in use */
function checkFree(former: UserGroupRow | undefined): void {
  if (former && !(former.deactivated && !former.is_system_group)) throw taken(former.name);
}

/** @throws 404, 412 */
async function accessProvisioned(tx: Tx, groupId: GroupId, ifMatch: string): Promise<ProvisionedGroup> {
  const group = tx.state.groups.byId.get(groupId);
  if (!isProvisionedGroup(group)) throw noResource("group", String(groupId));
  const found = { group, externalId: (await findScimGroupNames(tx.sql, [groupId])).get(groupId) };
  if (ifMatch !== "" && !namesVersion(ifMatch, groupVersion(tx.state, found))) throw hasChanged();
  return found;
}
