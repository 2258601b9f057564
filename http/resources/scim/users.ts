/** Accounts, for directories. Source: RFC 7643, 4.1; RFC 7644, 3. */
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { readDocument, userAttributes, userSchema } from "../../../actors/scim/attributes.ts";
import { findScimUser, findScimUsersBy } from "../../../actors/scim/find-users.ts";
import { readOperations } from "../../../actors/scim/patch.ts";
import { noResource } from "../../../actors/scim/refusals.ts";
import { idIn, type Provisioned, type UserDocument, userResource } from "../../../actors/scim/user-document.ts";
import type { Wanted } from "../../../actors/scim/users.ts";
import type { UserId } from "../../../storage/ids.ts";
import { pathText } from "../../api/params.ts";
import {
  bodyOf,
  bodyParams,
  ifMatchOf,
  listed,
  listParams,
  listReply,
  noContent,
  readReply,
  resourceReply,
  scimRoute,
  shown,
  shownParams,
} from "./endpoint.ts";

export const listUsers = scimRoute({
  summary: "Lists accounts of people, or finds them by a filter.",
  params: listParams,
  async handle({ realm, params }) {
    const { filter, paging } = listed(params);
    const { total, items } = await findScimUsersBy(realm, filter, paging);
    const resources = items.map((found) => shown(resourceOf(realm, found), params));
    return listReply({ total, items: resources }, paging.startIndex);
  },
});

export const readUser = scimRoute({
  summary: "Returns one account.",
  params: { resource_id: pathText(), ...shownParams },
  handle: async (request) => readReply(await accessResource(request.realm, request.params.resource_id), request),
});

export const createUser = scimRoute({
  summary: "Adds an account without a password.",
  params: { ...bodyParams, ...shownParams },
  async handle(request) {
    const { realm, actorId, params } = request;
    const document = readUserDocument(bodyOf(params));
    const { user_id } = await realm.execute("createScimUser", { actorId, document });
    return resourceReply(201, await accessResource(realm, String(user_id)), request);
  },
});

/** Of an endpoint that changes one. */
const changeParams = { resource_id: pathText(), ...bodyParams, ...shownParams };

export const replaceUser = scimRoute({
  summary: "Makes an account as a directory says. Whoever is no longer active is logged out everywhere at once.",
  params: changeParams,
  handle: (request) => change(request, { document: readUserDocument(bodyOf(request.params)) }),
});

export const patchUser = scimRoute({
  summary: "Changes what a directory says of an account. Whoever is no longer active is logged out everywhere at once.",
  params: changeParams,
  handle: (request) => change(request, { operations: readOperations(bodyOf(request.params)) }),
});

export const removeUser = scimRoute({
  summary: "Deactivates an account, which is logged out everywhere at once. The directory sees it no more.",
  params: { resource_id: pathText() },
  async handle({ realm, actorId, params, exchange }) {
    const userId = idOf(params.resource_id);
    await realm.execute("removeScimUser", { actorId, userId, ifMatch: ifMatchOf(exchange) });
    return noContent();
  },
});

async function change(
  request: Parameters<Parameters<typeof scimRoute<typeof changeParams>>[0]["handle"]>[0],
  wanted: Wanted,
) {
  const { realm, actorId, params, exchange } = request;
  const userId = idOf(params.resource_id);
  await realm.execute("changeScimUser", { actorId, userId, wanted, ifMatch: ifMatchOf(exchange) });
  return resourceReply(200, await accessResource(realm, params.resource_id), request);
}

const readUserDocument = (body: unknown): UserDocument =>
  readDocument(userAttributes, "userName", body) as UserDocument;

/** @throws 404 */
function idOf(resourceId: string): UserId {
  const id = idIn(resourceId);
  if (id === undefined) throw noResource("user", resourceId);
  return id;
}

const resourceOf = (realm: ServedRealm, found: Provisioned) => ({
  schemas: [userSchema],
  ...userResource(found, `${realm.state.url}/scim/v2/Users`),
});

/** @throws 404 */
async function accessResource(realm: ServedRealm, id: string) {
  const found = await findScimUser(realm, id);
  if (!found) throw noResource("user", id);
  return resourceOf(realm, found);
}
