/** A user group as a directory sees it, and what it wants of one. System groups, and those out of use, are none. */
import { createHash } from "node:crypto";
import type { GroupId, UserId } from "../../storage/ids.ts";
import type { UserGroupRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { type Document, groupAttributes, readDocument } from "./attributes.ts";
import type { Filter } from "./filter.ts";
import { type Operation, patched } from "./patch.ts";
import { refusal } from "./refusals.ts";
import { idIn, isProvisioned, metaOf, versionOf } from "./user-document.ts";

/** A group as a directory means it. */
export interface GroupDocument {
  displayName: string;
  externalId?: string | undefined;
  /** Ids of people, active or not, ascending. Bots in the group are not the directory's. */
  members: UserId[];
}

/** A group, and the directory's own id of it. */
export interface ProvisionedGroup {
  group: UserGroupRow;
  externalId: string | undefined;
}

export const isProvisionedGroup = (group: UserGroupRow | undefined): group is UserGroupRow =>
  group !== undefined && !group.is_system_group && !group.deactivated;

/** The people of a group, active or not. */
export const peopleOf = (state: RealmState, groupId: GroupId): UserId[] =>
  state.groups.directMembers(groupId).filter((id) => isProvisioned(state.users.get(id), undefined));

/** Changes with whatever a directory sees of a group, and with the bots in it. Members are hashed as they are kept. */
export function groupVersion(state: RealmState, { group, externalId }: ProvisionedGroup): string {
  const ids = state.groups.memberSet(group.id).values();
  const members = createHash("sha256").update(ids).digest("base64url");
  return versionOf({ displayName: group.name, externalId, members });
}

/** @param url of the organization's SCIM */
export function groupResource(state: RealmState, found: ProvisionedGroup, url: string, hasMembers: boolean): Document {
  const { id, date_created, name } = found.group;
  const shown = hasMembers
    ? peopleOf(state, id).map((one) => ({ value: String(one), $ref: `${url}/Users/${one}`, type: "User" }))
    : [];
  return {
    id: String(id),
    ...(found.externalId !== undefined && { externalId: found.externalId }),
    displayName: name,
    ...(shown.length > 0 && { members: shown }),
    meta: metaOf("Group", date_created ?? 0, `${url}/Groups/${id}`, groupVersion(state, found)),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A group that is sent whole. @throws a 400 */
export function readGroup(body: unknown): GroupDocument {
  const others = isObject(body)
    ? Object.fromEntries(Object.entries(body).filter(([name]) => name.toLowerCase() !== "members"))
    : body;
  const { displayName, externalId } = readDocument(groupAttributes, "displayName", others) as {
    displayName: string;
    externalId?: string;
  };
  const members = isObject(body) ? Object.entries(body).find(([name]) => name.toLowerCase() === "members") : undefined;
  return { displayName, externalId, members: ascending(readMembers(members?.[1])) };
}

/** What becomes of the people of a group. */
export interface MembersWanted {
  /** Nobody stays but whom `is` names. */
  isAnew: boolean;
  /** Whether somebody shall be in the group. Who is not named stays as they are, unless the list is anew. */
  is: Map<UserId, boolean>;
}

/** These people and nobody else. */
export const exactly = (ids: readonly UserId[]): MembersWanted => ({
  isAnew: true,
  is: new Map(ids.map((id) => [id, true])),
});

/** What operations make of a group. Its members are not copied: there may be many, and few change. @throws a 400 */
export function patchedGroup(
  before: Omit<GroupDocument, "members">,
  operations: readonly Operation[],
): { document: Omit<GroupDocument, "members">; members: MembersWanted } {
  const members: MembersWanted = { isAnew: false, is: new Map() };
  let document: Document = { ...before };
  for (const operation of operations) {
    if (operation.path.attribute === "members") changeMembers(members, operation);
    else document = patched(groupAttributes, document, [operation]);
  }
  return { document: document as Omit<GroupDocument, "members">, members };
}

function changeMembers(members: MembersWanted, { op, path, value }: Operation): void {
  if (path.part !== undefined) throw refusal("mutability", "A member is added or removed, not changed.");
  if (path.filter) {
    if (op !== "remove") throw refusal("noTarget", "Members are added without a filter.");
    for (const id of namedBy(path.filter)) members.is.set(id, false);
    return;
  }
  // Okta and Entra remove without a filter as well, by a list.
  const isAll = op === "replace" || (op === "remove" && (value === undefined || value === null));
  const ids = readMembers(value);
  if (isAll) {
    members.isAnew = true;
    members.is.clear();
  }
  for (const id of ids) members.is.set(id, op !== "remove");
}

/** Who comes into a group and who leaves it, each ascending. Bots that are in it stay. */
export function movesOf(state: RealmState, groupId: GroupId, { isAnew, is }: MembersWanted) {
  const before = state.groups.memberSet(groupId);
  const added: UserId[] = [];
  const leaving: Iterable<UserId> = isAnew ? before : is.keys();
  for (const [id, isWanted] of is) if (isWanted && !before.has(id)) added.push(id);
  const deleted = [...leaving].filter(
    (id) => before.has(id) && !is.get(id) && isProvisioned(state.users.get(id), undefined),
  );
  return { added: ascending(added), deleted: ascending(deleted) };
}

/** The members that a filter names: `value eq "12"`, or several of those. @throws a 400 with `invalidFilter` */
function namedBy(filter: Filter): UserId[] {
  if (filter.kind === "any") return filter.filters.flatMap(namedBy);
  if (filter.kind !== "compare" || filter.path !== "value" || filter.operator !== "eq")
    throw refusal("invalidFilter", 'Members are found by value eq "ID" alone.');
  const id = idIn(String(filter.value));
  return id === undefined ? [] : [id];
}

/** @throws a 400 with `invalidValue` */
function readMembers(value: unknown): UserId[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((item: unknown) => {
    const member = isObject(item) ? item : { value: item };
    if (String(member["type"] ?? "User").toLowerCase() !== "user")
      throw refusal("invalidValue", "Members are users: groups in groups are not provisioned.");
    const id = idIn(String(member["value"] ?? ""));
    if (id === undefined) throw refusal("invalidValue", "The value of a member is the id of a user.");
    return id;
  });
}

const ascending = (ids: Iterable<UserId>): UserId[] => [...new Set(ids)].sort((a, b) => a - b);
