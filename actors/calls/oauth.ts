/**
 * Services that make calls in people's own accounts there, by OAuth.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1
 *
 *     /calls/zoom/register ─► the service asks the person ─► /calls/zoom/complete?code&state ─► token
 *
 * `state` is signed for the person and the browser that began, so that nobody gives somebody else an account. A token
 * that is over is renewed when it is needed next. If the service refuses it, it is forgotten, and the person is asked
 * anew.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import { type CallService, type CallToken, findCallToken } from "../../storage/users/call-tokens.ts";
import { badRequest, errors } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { JobRealm } from "../realm/served.ts";
import { askService, basicAuth, isSuccess, postJson, type ServiceAnswer, valueIn } from "./ask-service.ts";
import type { OAuthClient } from "./services.ts";

export interface OAuthService {
  key: CallService;
  /** For people. */
  name: string;
  client: OAuthClient;
  authorizeUrl: string;
  tokenUrl: string;
  scope?: string;
  /** How the application proves itself when it asks for a token. */
  clientProof: "header" | "form";
}

/** Renewed so long before it is over: clocks differ, and requests take a while. */
const marginSecs = 60;
/** Of a token that does not say how long it is good. */
const defaultLifeSecs = 3600;
const maxTokenLength = 10_000;

/** Where a person's browser asks the service for access. */
export async function registrationUrl(
  realm: RealmReader,
  user: UserRow,
  service: OAuthService,
  browser: string,
): Promise<string> {
  const url = new URL(service.authorizeUrl);
  url.searchParams.set("response_type", "code");
  url.searchParams.set("client_id", service.client.clientId);
  url.searchParams.set("redirect_uri", redirectUri(realm, service));
  if (service.scope !== undefined) url.searchParams.set("scope", service.scope);
  url.searchParams.set("state", await signatureOf(realm, user, service, browser));
  return url.href;
}

const redirectUri = ({ state }: RealmReader, { key }: OAuthService): string => `${state.url}/calls/${key}/complete`;

async function signatureOf(realm: RealmReader, user: UserRow, { key }: OAuthService, browser: string): Promise<string> {
  const { key: secret } = await readInstallation(realm.database.sql);
  return createHmac("sha256", secret).update(`calls:${key}:${realm.id}:${user.id}:${browser}`).digest("base64url");
}

/** Gets a person's token for the code that the service gave their browser. @throws BAD_REQUEST */
export async function completeRegistration(
  realm: JobRealm,
  user: UserRow,
  service: OAuthService,
  { browser, code, state }: { browser: string; code: string; state: string },
): Promise<void> {
  const right = Buffer.from(await signatureOf(realm, user, service, browser));
  const given = Buffer.from(state);
  if (given.length !== right.length || !timingSafeEqual(right, given))
    throw badRequest(`This did not begin here. Please start a call on ${service.name} again.`);
  const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri(realm, service) };
  const answer = await askForToken(realm, service, fields);
  const token = tokenIn(realm, answer);
  if (!token) throw badRequest(`${service.name} did not accept this server's application.`);
  await realm.execute("setCallToken", { userId: user.id, service: service.key, token });
}

function askForToken(
  realm: RealmReader,
  service: OAuthService,
  fields: Record<string, string>,
): Promise<ServiceAnswer> {
  const { clientId, clientSecret } = service.client;
  const inForm = service.clientProof === "form";
  const form = { ...fields, ...(inForm && { client_id: clientId, client_secret: clientSecret }) };
  return askService(realm, service.name, {
    method: "POST",
    url: service.tokenUrl,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      ...(!inForm && { Authorization: basicAuth(clientId, clientSecret) }),
    },
    body: new URLSearchParams(form).toString(),
  });
}

function tokenIn(realm: RealmReader, answer: ServiceAnswer, before?: CallToken): CallToken | undefined {
  const access = valueIn(answer, "access_token");
  const refresh = valueIn(answer, "refresh_token");
  const life = valueIn(answer, "expires_in");
  if (!isSuccess(answer) || !isToken(access)) return undefined;
  const secs = typeof life === "number" && life > 0 ? Math.min(life, 2 ** 31) : defaultLifeSecs;
  return {
    access_token: access,
    refresh_token: isToken(refresh) ? refresh : (before?.refresh_token ?? null),
    expires_at: realm.environment.clock() + Math.floor(secs),
  };
}

/** What may stand in a header. */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length <= maxTokenLength && /^[!-~]+$/.test(value);

/**
 * Posts JSON to the service as a person.
 *
 * @throws INVALID_VIDEO_CALL_PROVIDER_TOKEN where the person has to let this server in, again or for the first time
 */
export async function postAsUser(
  realm: JobRealm,
  user: UserRow,
  service: OAuthService,
  url: string,
  value: object,
): Promise<ServiceAnswer> {
  const token = await currentToken(realm, user, service);
  const headers = { Authorization: `Bearer ${token.access_token}` };
  const answer = await postJson(realm, service.name, url, headers, value);
  if (answer.status === 401) throw await forget(realm, user, service, token);
  return answer;
}

async function currentToken(realm: JobRealm, user: UserRow, service: OAuthService): Promise<CallToken> {
  const stored = await findCallToken(realm.database.sql, user.id, service.key);
  if (!stored) throw errors.INVALID_VIDEO_CALL_PROVIDER_TOKEN({ service: service.name });
  if (stored.expires_at - marginSecs > realm.environment.clock()) return stored;
  if (stored.refresh_token === null) throw await forget(realm, user, service, stored);
  const fields = { grant_type: "refresh_token", refresh_token: stored.refresh_token };
  const answer = await askForToken(realm, service, fields);
  const token = tokenIn(realm, answer, stored);
  const instead = stored.access_token;
  if (token) {
    await realm.execute("setCallToken", { userId: user.id, service: service.key, token, instead });
    return token;
  }
  // A service renews a token once. Another request may have been first.
  const now = await findCallToken(realm.database.sql, user.id, service.key);
  if (now && now.access_token !== instead) return now;
  if (answer.status >= 500) throw badRequest(`${service.name} could not be asked: it answered ${answer.status}.`);
  throw await forget(realm, user, service, stored);
}

/** Ends an access that the service ended. Returns what the person is told. */
async function forget(realm: JobRealm, user: UserRow, service: OAuthService, { access_token: instead }: CallToken) {
  await realm.execute("setCallToken", { userId: user.id, service: service.key, token: null, instead });
  return errors.INVALID_VIDEO_CALL_PROVIDER_TOKEN({ service: service.name });
}
