/**
 * Tries a provider before people do: its description, its keys, and whether it knows the server. For the last it is
 * sent a code that it never gave. One that knows the client refuses the code; another one refuses the client.
 */
import * as openId from "openid-client";
import { WrongSecretKey } from "../../storage/secret-key.ts";
import type { RealmReader } from "../realm/reader.ts";
import { jsonObject } from "../text/json-object.ts";
import { askerOf, configured, describedBy, grantedBy, newFlow, unreachedIn } from "./open-id-requests.ts";
import type { Provider } from "./providers.ts";

/** What a provider answered last. */
interface Answer {
  url: string;
  status: number;
  text: string;
}

/** A provider by which nobody could log in; the message is a sentence. */
class Unfit extends Error {}

/** Characters of what a provider says that are shown. */
const maxShown = 200;
const shown = (value: unknown): string => String(value).slice(0, maxShown);

/** What is wrong with a provider, as one sentence. Undefined: nothing that can be seen from here. */
export async function problemOf(
  realm: RealmReader,
  provider: Provider,
  redirectUri: string,
): Promise<string | undefined> {
  let last: Answer | undefined;
  const send = askerOf(realm, provider);
  const ask: openId.CustomFetch = async (url, options) => {
    last = undefined;
    const response = await send(url, options);
    last = { url, status: response.status, text: await response.clone().text() };
    return response;
  };
  try {
    const metadata = await describedBy(provider, ask).catch((error: unknown) => {
      throw unreachedIn(error) ? error : new Unfit(descriptionProblem(provider, last));
    });
    checkDescription(metadata);
    await checkKeys(metadata, ask);
    await checkClient(realm, provider, metadata, ask, redirectUri);
    return undefined;
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    if (error instanceof WrongSecretKey) return "This server cannot read the client secret any more: set it again.";
    const failure = unreachedIn(error)?.message;
    if (failure !== undefined) return `The provider cannot be asked: ${failure}.`;
    throw error;
  }
}

function descriptionProblem({ issuer }: Provider, last: Answer | undefined): string {
  if (!last) return "The issuer is no address of a provider.";
  if (last.status !== 200)
    return `There is no description of a provider at ${shown(last.url)}: it answered ${last.status}.`;
  const description = jsonObject(last.text);
  const itself = description?.["issuer"];
  if (typeof itself === "string" && itself !== issuer)
    return `The provider calls itself ${shown(itself)}, so that is its issuer.`;
  return `What is at ${shown(last.url)} is no description of a provider.`;
}

/** @throws Unfit */
function checkDescription(metadata: openId.ServerMetadata): void {
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const)
    if (typeof metadata[name] !== "string" || !URL.canParse(metadata[name]))
      throw new Unfit(`The provider's description names no ${name}.`);
  const { response_types_supported: flows, code_challenge_methods_supported: challenges } = metadata;
  if (Array.isArray(flows) && !flows.includes("code")) throw new Unfit("The provider does not offer the code flow.");
  if (Array.isArray(challenges) && !challenges.includes("S256"))
    throw new Unfit("The provider does not know PKCE by S256.");
}

/** @throws Unfit */
async function checkKeys({ jwks_uri: url = "" }: openId.ServerMetadata, ask: openId.CustomFetch): Promise<void> {
  const response = await ask(url, { method: "GET", headers: {}, body: undefined, redirect: "manual" });
  const keys = jsonObject(await response.text())?.["keys"];
  if (!response.ok || !Array.isArray(keys) || keys.length === 0)
    throw new Unfit(`There are no keys of the provider at ${shown(url)}.`);
}

/** @throws Unfit */
async function checkClient(
  realm: RealmReader,
  provider: Provider,
  metadata: openId.ServerMetadata,
  ask: openId.CustomFetch,
  redirectUri: string,
): Promise<void> {
  const flow = newFlow(redirectUri);
  const query = new URLSearchParams({ code: "a-code-of-nobody", state: flow.state, iss: metadata.issuer });
  const config = configured(realm, provider, metadata, ask);
  const error: unknown = await grantedBy(config, flow, String(query)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (unreachedIn(error)) throw error;
  if (error instanceof WrongSecretKey) throw error;
  const reason = error instanceof openId.ResponseBodyError ? error.error : undefined;
  const isChallenged = error instanceof openId.WWWAuthenticateChallengeError;
  if (isChallenged || reason === "invalid_client" || reason === "unauthorized_client")
    throw new Unfit("The provider does not know the client ID, or the client secret is another one.");
  if (reason === "redirect_uri_mismatch") throw new Unfit(`The provider does not know the address ${redirectUri}.`);
}
