/**
 * What a provider signs to say that somebody has logged out there.
 * https://openid.net/specs/openid-connect-backchannel-1_0.html
 */
import { createLocalJWKSet, type JSONWebKeySet, errors as joseErrors, jwtVerify } from "jose";
import { badRequest } from "../errors.ts";
import type { Provider } from "./providers.ts";

/** Whose log-ins are over: all of a person's, or those by one log-in at the provider. */
export interface LoggedOut {
  issuer: string;
  subject: string | undefined;
  providerSession: string | undefined;
  /** Names the token, which is good once. */
  id: string;
  /** When it is refused for its age; UNIX seconds. */
  until: number;
}

/** Algorithms by which only the provider can sign. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const maxAgeSecs = 300;
const toleranceSecs = 60;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
const maxName = 255;

/** Other keys than those that the token was checked with may be needed. */
export class UnknownKey extends Error {
  override name = "UnknownKey";
}

/** @throws BAD_REQUEST for what the provider did not sign for this server, UnknownKey */
export async function readLogoutToken(
  { issuer, clientId }: Provider,
  token: string,
  keys: JSONWebKeySet,
  now: number,
): Promise<LoggedOut> {
  const refused = badRequest("Bad logout token.");
  const checks = { issuer, audience: clientId, algorithms, maxTokenAge: maxAgeSecs, clockTolerance: toleranceSecs };
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    ...checks,
    currentDate: new Date(now * 1000),
  }).catch((error: unknown) => {
    if (error instanceof joseErrors.JWKSNoMatchingKey || error instanceof joseErrors.JWSSignatureVerificationFailed)
      throw new UnknownKey();
    throw error instanceof joseErrors.JOSEError ? refused : error;
  });
  const { sub, sid, jti, events, iat, nonce } = payload;
  const isEvent = typeof events === "object" && events !== null && Object.hasOwn(events, logoutEvent);
  const isName = (value: unknown): value is string | undefined =>
    value === undefined || (typeof value === "string" && value.length <= maxName);
  // A token of a log-in has a nonce: it must not do as one that ends log-ins.
  if (!isEvent || nonce !== undefined || !isName(sub) || !isName(sid) || typeof jti !== "string") throw refused;
  if (sub === undefined && sid === undefined) throw refused;
  return {
    issuer,
    subject: sub,
    providerSession: sid,
    id: jti,
    until: Number(iat) + maxAgeSecs + toleranceSecs,
  };
}
