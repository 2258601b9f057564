/** Providers by which people log in (OpenID Connect), as owners set them. The Zulip API has no such endpoints. */
import { isIP } from "node:net";
import { array, nullable, object, string } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { noProvider } from "../../../actors/identities/change-providers.ts";
import { sealSecret } from "../../../actors/identities/open-id-requests.ts";
import { problemOf } from "../../../actors/identities/open-id-trial.ts";
import {
  type ProviderDocument,
  providerDefaults,
  readOwnersProvider,
  type StoredProvider,
  serversProviders,
  shownProvider,
  storedProviders,
} from "../../../actors/identities/organization-providers.ts";
import { callbackPath } from "../../../actors/identities/providers.ts";
import { SettingError } from "../../../actors/identities/setting-fields.ts";
import { described } from "../../../actors/shape.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { pathText, text } from "../../api/params.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";
import { checkIdentity } from "../users/identity.ts";
import {
  changed,
  clientId,
  displayName,
  furtherParams,
  issuer,
  locksOut,
  maxName,
  secretParam,
  shape,
  shownShape,
  told,
} from "./identity-provider-fields.ts";

const doc = "README.md";
export const getIdentityProviders = route({
  doc,
  summary:
    "Lists the providers by which people log in (OpenID Connect): those that owners set, and the server's names.",
  auth: anyAccount,
  permission: "owner",
  params: {},
  returns: {
    identity_providers: described(array(shownShape), "Those that owners set, the oldest first."),
    server_identity_providers: described(
      array(object({ name: shape.name, display_name: shape.display_name })),
      "Those of the server's settings. Owners cannot change them.",
    ),
  },
  handle(request) {
    const { state } = request.realm;
    return {
      identity_providers: storedProviders(state).map((stored) => told(request, stored)),
      server_identity_providers: serversProviders(state).map(({ name, displayName }) => ({
        name,
        display_name: displayName,
      })),
    };
  },
});

export const addIdentityProvider = route({
  doc,
  summary: "Sets a provider by which people log in (OpenID Connect).",
  auth: anyAccount,
  permission: "owner",
  params: {
    name: text({ maxLength: maxName }).describe("The provider's name in addresses: small letters, digits, - and _."),
    display_name: displayName,
    issuer,
    client_id: clientId,
    ...furtherParams,
  },
  returns: { identity_provider: described(shownShape, "The provider.") },
  async handle(request) {
    checkIdentity(request);
    const { name, display_name, issuer, client_id, ...further } = request.params;
    const document = { ...providerDefaults, name, display_name, issuer, client_id };
    return put(request, changed(document, further), { isNew: true, locksOut: false });
  },
});

export const changeIdentityProvider = route({
  doc,
  summary: "Changes a provider by which people log in. What is left out stays, the secret too.",
  auth: anyAccount,
  permission: "owner",
  params: {
    provider: pathText().describe("The provider's name."),
    display_name: displayName.optional(),
    issuer: issuer.optional(),
    client_id: clientId.optional(),
    ...furtherParams,
    locks_out_owners: locksOut,
  },
  returns: { identity_provider: described(shownShape, "The provider.") },
  async handle(request) {
    checkIdentity(request);
    const { provider, locks_out_owners, ...change } = request.params;
    const before = accessStored(request, provider);
    const { client_secret_set_at: _, ...document } = shownProvider(before);
    return put(request, changed(document, change), { isNew: false, locksOut: locks_out_owners });
  },
});

async function put(
  request: ApiRequest,
  { document, secret }: { document: ProviderDocument; secret: string | null | undefined },
  how: { isNew: boolean; locksOut: boolean },
) {
  const { realm, user } = request;
  checkAddress(request, document.issuer);
  // It goes to the node that writes as it is stored.
  const stored = await realm.execute("putIdentityProvider", {
    actorId: user.id,
    document,
    secret: typeof secret === "string" ? sealSecret(realm, document.name, secret) : secret,
    ...how,
  });
  return { identity_provider: told(request, { ...stored, client_secret_sealed: null }) };
}

/** Refuses an address that may not be asked. A name is looked up whenever it is asked. @throws BAD_REQUEST */
function checkAddress({ realm }: Pick<ApiRequest, "realm">, issuer: string): void {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname.replace(/^\[(.*)\]$/, "$1") : "";
  if (isIP(host) !== 0 && !realm.environment.mayAsk(host))
    throw badRequest("The issuer's address is inside this server's own network.");
}

function accessStored({ realm }: Pick<ApiRequest, "realm">, name: string): StoredProvider {
  const stored = storedProviders(realm.state).find((each) => each.name === name);
  if (!stored) throw noProvider();
  return stored;
}

export const removeIdentityProvider = route({
  doc,
  summary: "Removes a provider by which people log in. Whoever is logged in by it stays so.",
  auth: anyAccount,
  permission: "owner",
  params: { provider: pathText().describe("The provider's name."), locks_out_owners: locksOut },
  returns: {},
  handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    const { provider, locks_out_owners } = params;
    return realm.execute("removeIdentityProvider", { actorId: user.id, name: provider, locksOut: locks_out_owners });
  },
});

export const tryIdentityProvider = route({
  doc,
  summary: "Asks a provider for its description and keys, and whether it knows the client, and says what is wrong.",
  auth: anyAccount,
  permission: "owner",
  params: {
    name: text({ maxLength: maxName }).describe("The name of the provider, which may be set already."),
    issuer,
    client_id: clientId,
    client_secret: secretParam,
  },
  returns: {
    problem: described(nullable(string()), "What is wrong, as one sentence; null: nothing that can be seen from here."),
  },
  async handle(request) {
    checkIdentity(request);
    const { realm, params } = request;
    const { name, issuer, client_id, client_secret } = params;
    checkAddress(request, issuer);
    const known = storedProviders(realm.state).find((each) => each.name === name);
    // The secret goes nowhere but to the issuer for which it was given.
    const kept = known?.issuer === issuer ? known.client_secret_sealed : null;
    const given = client_secret ? sealSecret(realm, name, client_secret) : undefined;
    const document = { ...providerDefaults, name, display_name: name, issuer, client_id };
    const stored = { ...document, client_secret_sealed: given ?? kept, client_secret_set_at: null };
    try {
      const redirectUri = `${urlAsAsked(request)}${callbackPath({ name })}`;
      return { problem: (await problemOf(realm, readOwnersProvider(stored), redirectUri)) ?? null };
    } catch (error) {
      if (error instanceof SettingError) throw badRequest(error.message);
      throw error;
    }
  },
});
