/** User groups, for directories. Source: RFC 7643, 4.2; RFC 7644, 3. */
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { groupSchema } from "../../../actors/scim/attributes.ts";
import { findScimGroup, findScimGroupsBy } from "../../../actors/scim/find-groups.ts";
import { groupResource, type ProvisionedGroup, readGroup } from "../../../actors/scim/group-document.ts";
import type { WantedGroup } from "../../../actors/scim/groups.ts";
import { readOperations } from "../../../actors/scim/patch.ts";
import { noResource } from "../../../actors/scim/refusals.ts";
import { idIn } from "../../../actors/scim/user-document.ts";
import type { GroupId } from "../../../storage/ids.ts";
import { pathText } from "../../api/params.ts";
import {
  bodyOf,
  bodyParams,
  changedReply,
  ifMatchOf,
  listed,
  listParams,
  listReply,
  namesIn,
  noContent,
  readReply,
  resourceReply,
  type Shown,
  scimRoute,
  shown,
  shownParams,
} from "./endpoint.ts";

export const listGroups = scimRoute({
  summary: "Lists user groups, or finds them by a filter.",
  params: listParams,
  async handle({ realm, params }) {
    const { filter, paging } = listed(params);
    const { total, items } = await findScimGroupsBy(realm, filter, paging, wantsMembers(params));
    const resources = items.map((found) => shown(resourceOf(realm, found, params), params));
    return listReply({ total, items: resources }, paging.startIndex);
  },
});

export const readGroupById = scimRoute({
  summary: "Returns one user group.",
  params: { resource_id: pathText(), ...shownParams },
  handle: async (request) =>
    readReply(await accessResource(request.realm, request.params.resource_id, request.params), request),
});

export const createGroup = scimRoute({
  summary: "Adds a user group with its members.",
  params: { ...bodyParams, ...shownParams },
  async handle(request) {
    const { realm, actorId, params } = request;
    const { group_id } = await realm.execute("createScimGroup", { actorId, document: readGroup(bodyOf(params)) });
    return resourceReply(201, await accessResource(realm, String(group_id), params), request);
  },
});

/** Of an endpoint that changes one. */
const changeParams = { resource_id: pathText(), ...bodyParams, ...shownParams };

export const replaceGroup = scimRoute({
  summary: "Makes a user group as a directory says.",
  params: changeParams,
  handle: (request) => change(request, { document: readGroup(bodyOf(request.params)) }),
});

export const patchGroup = scimRoute({
  summary: "Changes the name or the members of a user group.",
  params: changeParams,
  handle: (request) => change(request, { operations: readOperations(bodyOf(request.params)) }),
});

export const removeGroup = scimRoute({
  summary: "Puts a user group out of use, unless something uses it.",
  params: { resource_id: pathText() },
  async handle({ realm, actorId, params, exchange }) {
    const groupId = idOf(params.resource_id);
    await realm.execute("removeScimGroup", { actorId, groupId, ifMatch: ifMatchOf(exchange) });
    return noContent();
  },
});

async function change(
  request: Parameters<Parameters<typeof scimRoute<typeof changeParams>>[0]["handle"]>[0],
  wanted: WantedGroup,
) {
  const { realm, actorId, params, exchange } = request;
  const groupId = idOf(params.resource_id);
  await realm.execute("changeScimGroup", { actorId, groupId, wanted, ifMatch: ifMatchOf(exchange) });
  const isWhole = "document" in wanted || params.attributes !== undefined || params.excludedAttributes !== undefined;
  if (isWhole) return resourceReply(200, await accessResource(realm, params.resource_id, params), request);
  // Directories add members one by one to groups of thousands, and read none of them in the answers.
  return changedReply(await accessResource(realm, params.resource_id, { ...params, excludedAttributes: "members" }));
}

/** Whether an answer has the members of groups, which may be many. */
const wantsMembers = ({ attributes, excludedAttributes }: Shown): boolean =>
  !namesIn(excludedAttributes)?.has("members") && (!attributes || /\bmembers\b/i.test(attributes));

/** @throws 404 */
function idOf(resourceId: string): GroupId {
  const id = idIn<GroupId>(resourceId);
  if (id === undefined) throw noResource("group", resourceId);
  return id;
}

const resourceOf = ({ state }: ServedRealm, found: ProvisionedGroup, params: Shown) => ({
  schemas: [groupSchema],
  ...groupResource(state, found, `${state.url}/scim/v2`, wantsMembers(params)),
});

/** @throws 404 */
async function accessResource(realm: ServedRealm, id: string, params: Shown) {
  const found = await findScimGroup(realm, id);
  if (!found) throw noResource("group", id);
  return resourceOf(realm, found, params);
}
