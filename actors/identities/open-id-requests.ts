/**
 * Requests to a provider of identities: what they cost, to which addresses they go, and how the server proves itself.
 * Answers are bounded in size and time, and redirects are not followed.
 */
import * as openId from "openid-client";
import { secretKeyOf } from "../../storage/users/credentials.ts";
import { askOutside } from "../outbound/ask-outside.ts";
import type { RealmReader } from "../realm/reader.ts";
import { secretPurpose } from "./organization-providers.ts";
import type { Provider } from "./providers.ts";

/** What a browser keeps until it comes back. */
export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

export type Keys = Parameters<typeof openId.setJwksCache>[1];

/** Of one request. Whoever logs in waits for up to four. */
const timeoutMs = 8_000;
/** Descriptions, keys and tokens have a few thousand. */
const maxAnswerBytes = 256 * 1024;
/** Clocks of companies differ by less. */
const clockToleranceSecs = 60;

export const newFlow = (redirectUri: string): Flow => ({
  state: openId.randomState(),
  nonce: openId.randomNonce(),
  verifier: openId.randomPKCECodeVerifier(),
  redirectUri,
});

/** Asks a provider. Whoever runs the server may have named one inside its network; owners may not. */
export function askerOf({ environment }: RealmReader, { isOwners }: Provider): openId.CustomFetch {
  return async (url, { method, headers, body }) => {
    const outcome = await askOutside({
      method: method === "POST" ? "POST" : "GET",
      url,
      headers: { ...headers, "user-agent": "Parley" },
      body: body === null || body === undefined ? "" : String(body),
      isAllowed: isOwners ? environment.mayAsk : () => true,
      timeoutMs,
      maxBytes: maxAnswerBytes,
    });
    if ("failure" in outcome) throw new Unreached(outcome.failure);
    const { status, body: text, contentType } = outcome;
    if (status >= 500) throw new Unreached(`it answered ${status}`);
    // A response of these cannot have a body.
    if (status === 204 || status === 205 || status === 304 || status < 200) throw new Error("no content");
    return new Response(text, { status, headers: { "content-type": contentType } });
  };
}

/** A provider that cannot be asked. Many may wait for the same answer, so the reason goes with the error. */
class Unreached extends Error {
  override name = "Unreached";
}

export function unreachedIn(error: unknown): Unreached | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof Unreached) return each;
  return undefined;
}

const isPlain = ({ issuer }: Provider): boolean => issuer.startsWith("http:");
/** The settings allow plain HTTP on this machine alone. */
const extensionsFor = (provider: Provider) => (isPlain(provider) ? [openId.allowInsecureRequests] : []);

/** What a provider says of itself. */
export async function describedBy(provider: Provider, ask: openId.CustomFetch): Promise<openId.ServerMetadata> {
  const options = { execute: extensionsFor(provider), [openId.customFetch]: ask };
  const config = await openId.discovery(new URL(provider.issuer), provider.clientId, undefined, undefined, options);
  return { ...config.serverMetadata() };
}

/** The client that a provider knows. @throws WrongSecretKey */
export function configured(
  realm: RealmReader,
  provider: Provider,
  metadata: openId.ServerMetadata,
  ask: openId.CustomFetch,
  keys?: Keys,
): openId.Configuration {
  const config = new openId.Configuration(
    metadata,
    provider.clientId,
    { [openId.clockTolerance]: clockToleranceSecs },
    proofOf(secretOf(realm, provider), metadata),
  );
  config[openId.customFetch] = ask;
  for (const extend of extensionsFor(provider)) extend(config);
  // Tokens that come straight from the provider need no check of their signature by the standard; it is made.
  openId.enableNonRepudiationChecks(config);
  if (keys) openId.setJwksCache(config, keys);
  return config;
}

/** How the server proves itself. The standard's own way is used unless the provider names others only. */
function proofOf(secret: string | undefined, metadata: openId.ServerMetadata): openId.ClientAuth {
  if (secret === undefined) return openId.None();
  const ways = metadata.token_endpoint_auth_methods_supported;
  const isBasic = ways === undefined || ways.includes("client_secret_basic");
  return isBasic ? openId.ClientSecretBasic(secret) : openId.ClientSecretPost(secret);
}

/** What a provider gives for the code that a browser brought. @param query as it came back */
export async function grantedBy(config: openId.Configuration, flow: Flow, query: string) {
  const tokens = await openId.authorizationCodeGrant(config, new URL(`${flow.redirectUri}?${query}`), {
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    pkceCodeVerifier: flow.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("no ID token");
  return { config, claims, accessToken: tokens.access_token };
}

/** A secret as it is stored. */
export const sealSecret = ({ id, database }: RealmReader, name: string, secret: string): string =>
  secretKeyOf(database.sql).seal(secretPurpose(id, name), secret).toString("base64url");

/** The secret itself. @throws WrongSecretKey for one that was sealed by another installation */
function secretOf({ id, database }: RealmReader, { name, clientSecret }: Provider): string | undefined {
  if (typeof clientSecret !== "object") return clientSecret;
  return secretKeyOf(database.sql).open(secretPurpose(id, name), Buffer.from(clientSecret.sealed, "base64url"));
}
