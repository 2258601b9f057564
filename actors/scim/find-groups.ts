/** User groups as directories look for them: by name, member, id or externalId, or by a look at each group. */
import type { GroupId } from "../../storage/ids.ts";
import { findScimGroupIds, findScimGroupNames } from "../../storage/scim.ts";
import type { RealmReader } from "../realm/reader.ts";
import { groupAttributes } from "./attributes.ts";
import { type Filter, fits, pathsOf } from "./filter.ts";
import { isProvisionedGroup, type ProvisionedGroup, peopleOf } from "./group-document.ts";
import { checkKnown, type Page, type Paging } from "./paging.ts";
import { refusal } from "./refusals.ts";
import { idIn } from "./user-document.ts";

/** The most members of one page. A page ends with the group that reaches it, and says how many it has. */
const maxMembers = 20_000;

/** A group of this id. Undefined: directories know of none. */
export async function findScimGroup(realm: RealmReader, id: string): Promise<ProvisionedGroup | undefined> {
  const groupId = idIn<GroupId>(id);
  return groupId === undefined ? undefined : (await provisioned(realm, [groupId]))[0];
}

/** @throws a 400 with `invalidFilter` for a filter by what is not kept, or by members in another way than `eq` */
export async function findScimGroupsBy(
  realm: RealmReader,
  filter: Filter | undefined,
  { startIndex, count }: Paging,
  hasMembers: boolean,
): Promise<Page<ProvisionedGroup>> {
  if (filter) checkKnown(groupAttributes, filter);
  const ids = filter && (await candidates(realm, filter));
  const byMembers = filter !== undefined && [...pathsOf(filter)].some((path) => path.startsWith("members"));
  if (byMembers && !ids) throw refusal("invalidFilter", 'Groups are found by members eq "ID" alone.');
  const all = await provisioned(realm, ids ?? [...realm.state.groups.byId.keys()]);
  const found = filter ? all.filter((one) => fits(filter, filtered(realm, one, byMembers))) : all;
  found.sort((a, b) => a.group.id - b.group.id);
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  if (!hasMembers) return { total: found.length, items: page };
  let members = 0;
  const last = page.findIndex(({ group }) => (members += peopleOf(realm.state, group.id).length) >= maxMembers);
  return { total: found.length, items: last < 0 ? page : page.slice(0, last + 1) };
}

/** What a filter looks at. */
function filtered({ state }: RealmReader, { group, externalId }: ProvisionedGroup, byMembers: boolean) {
  const members = byMembers ? peopleOf(state, group.id).map((id) => ({ value: String(id) })) : [];
  return { id: String(group.id), displayName: group.name, externalId, members };
}

async function provisioned({ state, database }: RealmReader, ids: readonly GroupId[]): Promise<ProvisionedGroup[]> {
  const groups = ids.map((id) => state.groups.byId.get(id)).filter(isProvisionedGroup);
  if (groups.length === 0) return [];
  const names = await findScimGroupNames(
    database.sql,
    groups.map(({ id }) => id),
  );
  return groups.map((group) => ({ group, externalId: names.get(group.id) }));
}

/** The groups among which are all that fit. Undefined: only a look at each tells. */
async function candidates(realm: RealmReader, filter: Filter, within = ""): Promise<GroupId[] | undefined> {
  if (filter.kind === "item") return candidates(realm, filter.filter, `${within}${filter.path}.`);
  if (filter.kind === "all") {
    for (const one of filter.filters) {
      const found = await candidates(realm, one, within);
      if (found) return found;
    }
    return undefined;
  }
  if (filter.kind !== "compare" || filter.operator !== "eq" || filter.value === null) return undefined;
  const value = String(filter.value);
  const { id: realmId, state, database } = realm;
  const id = idIn(value);
  switch (within + filter.path) {
    case "id":
      return [idIn<GroupId>(value)].filter((one) => one !== undefined);
    case "displayname":
      return [state.groups.findByName(value)?.id].filter((one) => one !== undefined);
    case "externalid":
      return findScimGroupIds(database.sql, realmId, value);
    case "members":
    case "members.value":
      return [...state.groups.byId.keys()].filter((one) => id !== undefined && state.groups.hasDirectMember(one, id));
    default:
      return undefined;
  }
}
