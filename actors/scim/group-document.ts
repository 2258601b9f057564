/** A user group as a directory sees it, and what it wants of one. System groups, and those out of use, are none. */
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

export function groupDocument(state: RealmState, { group, externalId }: ProvisionedGroup): GroupDocument {
  return { displayName: group.name, externalId, members: peopleOf(state, group.id) };
}

/** The people of a group, active or not. */
export const peopleOf = (state: RealmState, groupId: GroupId): UserId[] =>
  state.groups.directMembers(groupId).filter((id) => isProvisioned(state.users.get(id), undefined));

export const groupVersion = ({ members, ...others }: GroupDocument): string =>
  versionOf({ ...others, members: members.join() });

/** @param url of the organization's SCIM */
export function groupResource(state: RealmState, found: ProvisionedGroup, url: string, hasMembers: boolean): Document {
  const document = groupDocument(state, found);
  const { displayName, externalId, members } = document;
  const { id, date_created } = found.group;
  const shown = members.map((member) => ({ value: String(member), $ref: `${url}/Users/${member}`, type: "User" }));
  return {
    id: String(id),
    ...(externalId !== undefined && { externalId }),
    displayName,
    ...(hasMembers && shown.length > 0 && { members: shown }),
    meta: metaOf("Group", date_created ?? 0, `${url}/Groups/${id}`, groupVersion(document)),
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

/** A group with the operations done. @throws a 400 */
export function patchedGroup(before: GroupDocument, operations: readonly Operation[]): GroupDocument {
  const members = new Set(before.members);
  const { members: _, ...others } = before;
  let rest: Document = others;
  for (const operation of operations) {
    if (operation.path.attribute === "members") changeSet(members, operation);
    else rest = patched(groupAttributes, rest, [operation]);
  }
  return { ...(rest as Omit<GroupDocument, "members">), members: ascending(members) };
}

function changeSet(members: Set<UserId>, { op, path, value }: Operation): void {
  if (path.part !== undefined) throw refusal("mutability", "A member is added or removed, not changed.");
  if (path.filter) {
    if (op !== "remove") throw refusal("noTarget", "Members are added without a filter.");
    for (const id of namedBy(path.filter)) members.delete(id);
    return;
  }
  // Okta and Entra remove without a filter as well, by a list.
  const isAll = op === "replace" || (op === "remove" && (value === undefined || value === null));
  const ids = readMembers(value);
  if (isAll) members.clear();
  for (const id of ids) {
    if (op === "remove") members.delete(id);
    else members.add(id);
  }
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
