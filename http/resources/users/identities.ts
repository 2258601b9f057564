/** By which providers people log in, and whose account waits to be linked. */
import { array } from "superstruct";
import { readIdentities } from "../../../actors/identities/identities.ts";
import { identityRecord } from "../../../actors/identities/shapes.ts";
import { described } from "../../../actors/shape.ts";
import type { IdentityId } from "../../../storage/ids.ts";
import { pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { checkIdentity } from "./identity.ts";

const doc = "README.md";
const params = { identity_id: pathInt<IdentityId>().describe("The identity's id.") };

export const getIdentities = route({
  doc,
  summary:
    "Lists the caller's log-ins at providers of identities; to administrators also those that wait to be linked with anybody's account.",
  auth: anyAccount,
  params: {},
  returns: { identities: described(array(identityRecord), "The caller's first, the newest before the others.") },
  handle: async ({ realm, user }) => ({ identities: await readIdentities(realm, user) }),
});

export const linkIdentity = route({
  doc,
  summary: "Links a log-in that waits with its account, as an administrator; with an owner's account, as an owner.",
  auth: anyAccount,
  permission: "administrator",
  params,
  returns: {},
  handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    return realm.execute("linkByAdministrator", { actorId: user.id, identityId: params.identity_id });
  },
});

export const endIdentity = route({
  doc,
  summary: "Ends one's own log-in by a provider; administrators end others', owners those of owners.",
  auth: anyAccount,
  params,
  returns: {},
  handle: ({ realm, user, params: { identity_id } }) =>
    realm.execute("endIdentity", { actorId: user.id, identityId: identity_id }),
});
