/**
 * Passkeys as they are asked for and checked (WebAuthn level 3). A challenge is random, and sealed: the browser brings
 * it back, so nothing is stored for whoever only begins. It is good once, for ten minutes, for one purpose and account.
 */
import { createHash, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { findPasskey, findPasskeysOf, notePasskeyUse, type PasskeyRow } from "../../../storage/users/passkeys.ts";
import { spendToken } from "../../../storage/users/spent-tokens.ts";
import { type ApiError, badRequest } from "../../errors.ts";
import { granted } from "../../lifecycle.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { passkeyRefusals, stepPasskey } from "./passkey-machine.ts";
import { openState, sealState } from "./sealed-state.ts";

/** What a challenge is for. `log-in`: whoever answers it, as the only factor. */
export type PasskeyPurpose = "registration" | "log-in" | "second step" | "identity";

/** The organization as authenticators know it. */
export interface RelyingParty {
  /** Its host. Passkeys of another host are not shown. */
  id: string;
  origin: string;
}

/** What a browser is asked, in the words of WebAuthn, and the challenge that it brings back, sealed. */
export interface PasskeyQuestion {
  options: Record<string, unknown>;
  challenge: string;
}

/** What a browser brings: the sealed challenge, and what the authenticator said, as JSON. */
export interface ShownPasskey {
  challenge: string;
  credential: string;
}

/** A passkey that was checked, as commands carry it: bytes as base64url. */
export interface NewPasskey {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  isSynced: boolean;
}

/** As long as a log-in waits for its second step. */
const validSecs = 600;
/** Characters of a sealed challenge; it needs some 200. */
const maxChallenge = 1000;
/** Bytes of an authenticator's name for a passkey. Source: WebAuthn, 4, Credential ID */
const maxCredentialId = 1023;
/** EdDSA, ES256 and RS256, the best first. Every authenticator has one of them. */
const algorithms = [-8, -7, -257];

const isOver = (): ApiError => badRequest("This challenge is over, or was used before: begin anew.");
const isNone = (): ApiError => badRequest("This is not what a passkey of yours says to it.");

/** The organization at an address. Undefined: browsers have no passkeys there. It has to have a name, and TLS. */
export function partyAt(url: string): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(url);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith("[");
  return isNamed && (isLocal || protocol === "https:") ? { id: hostname, origin } : undefined;
}

/** Names an account to authenticators. It says nothing about its person. */
const handleOf = ({ state }: RealmReader, userId: UserId): string =>
  createHash("sha256").update(`${state.row.uuid} ${userId}`).digest("base64url");

function newChallenge(realm: RealmReader, purpose: PasskeyPurpose, userId: UserId | undefined) {
  const random = randomBytes(32).toString("base64url");
  const asked = { random, userId: userId ?? null };
  return { random, challenge: sealState(realm, `passkey for ${purpose}`, asked, validSecs) };
}

const named = ({ credential_id, transports }: PasskeyRow) => ({
  type: "public-key",
  id: credential_id.toString("base64url"),
  transports: transports.split(" ").filter((one) => one !== ""),
});

/** Asks a browser to make a passkey. */
export async function askForNewPasskey(
  realm: RealmReader,
  user: UserRow,
  party: RelyingParty,
): Promise<PasskeyQuestion> {
  const { random, challenge } = newChallenge(realm, "registration", user.id);
  const options = {
    rp: { id: party.id, name: realm.state.row.name },
    user: { id: handleOf(realm, user.id), name: user.delivery_email, displayName: user.full_name },
    challenge: random,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: validSecs * 1000,
    excludeCredentials: (await findPasskeysOf(realm.database.sql, user.id)).map(named),
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    attestation: "none",
  };
  return { options, challenge };
}

/** Asks a browser for a passkey: of somebody, or, for a log-in by it alone, of whomever. */
export async function askForPasskey(
  realm: RealmReader,
  party: RelyingParty,
  purpose: PasskeyPurpose,
  userId?: UserId,
): Promise<PasskeyQuestion> {
  const { random, challenge } = newChallenge(realm, purpose, userId);
  const options = {
    rpId: party.id,
    challenge: random,
    timeout: validSecs * 1000,
    allowCredentials: userId === undefined ? [] : (await findPasskeysOf(realm.database.sql, userId)).map(named),
    userVerification: isAlone(purpose) ? "required" : "preferred",
  };
  return { options, challenge };
}

/** Whether nothing else is shown with it: then the authenticator has to have asked who is there. */
const isAlone = (purpose: PasskeyPurpose): boolean => purpose === "log-in" || purpose === "identity";

/** The random part of a challenge, and its end in UNIX seconds. @throws BAD_REQUEST */
function openChallenge(realm: RealmReader, purpose: PasskeyPurpose, text: string, userId: UserId | undefined) {
  const opened =
    text.length <= maxChallenge
      ? openState<{ random: string; userId: UserId | null }>(realm, `passkey for ${purpose}`, text)
      : undefined;
  if (!opened || opened.value.userId !== (userId ?? null)) throw isOver();
  return { random: opened.value.random, until: opened.until };
}

/** Uses a challenge up: of many answers at once, on any nodes, one is taken. @throws BAD_REQUEST */
async function spend({ id, database }: RealmReader, { random, until }: { random: string; until: number }) {
  const token_hash = createHash("sha256").update(`passkey challenge ${random}`).digest();
  if (!(await spendToken(database.sql, { realm_id: id, token_hash, expires_at: until }))) throw isOver();
}

/** What an authenticator said, and its name for the passkey. @throws BAD_REQUEST */
function readCredential<T>(text: string): { response: T; credentialId: Buffer } {
  let response: T & { id?: unknown };
  try {
    response = JSON.parse(text);
  } catch {
    throw isNone();
  }
  const id = response?.id;
  if (typeof id !== "string" || !/^[A-Za-z0-9_-]+$/.test(id)) throw isNone();
  const credentialId = Buffer.from(id, "base64url");
  if (credentialId.length === 0 || credentialId.length > maxCredentialId) throw isNone();
  return { response, credentialId };
}

/** Loaded when the first passkey comes: it takes 30 MiB. */
const library = () => import("@simplewebauthn/server");

/** Whatever the library makes of what strangers send is a refusal. @throws BAD_REQUEST */
async function verified<T extends { verified: boolean }>(verify: () => Promise<T>): Promise<T> {
  const found = await verify().catch(() => undefined);
  if (!found?.verified) throw isNone();
  return found;
}

/** Checks a passkey that somebody has made. @throws BAD_REQUEST */
export async function checkNewPasskey(
  realm: RealmReader,
  user: UserRow,
  party: RelyingParty,
  { challenge, credential }: ShownPasskey,
): Promise<NewPasskey> {
  const opened = openChallenge(realm, "registration", challenge, user.id);
  const { response } = readCredential<RegistrationResponseJSON>(credential);
  const { verifyRegistrationResponse } = await library();
  const { registrationInfo } = await verified(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: opened.random,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  await spend(realm, opened);
  const { id, publicKey, counter, transports = [] } = registrationInfo!.credential;
  return {
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString("base64url"),
    signCount: counter,
    // It is told back to browsers, and nothing else is done with it.
    transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 8),
    isSynced: registrationInfo!.credentialBackedUp,
  };
}

/**
 * Checks a passkey that is shown, and takes its challenge.
 *
 * @param user whose it has to be; undefined for a log-in by it alone
 * @returns `isCopy`: it is somebody's, but it has been copied. The caller blocks it, and refuses.
 * @throws BAD_REQUEST
 */
export async function takePasskey(
  realm: RealmReader,
  party: RelyingParty,
  purpose: PasskeyPurpose,
  { challenge, credential }: ShownPasskey,
  user?: UserRow,
): Promise<{ passkey: PasskeyRow; isCopy: boolean }> {
  const { id: realmId, database, environment } = realm;
  const opened = openChallenge(realm, purpose, challenge, user?.id);
  const { response, credentialId } = readCredential<AuthenticationResponseJSON>(credential);
  const passkey = await findPasskey(database.sql, realmId, credentialId);
  if (!passkey || (user && passkey.user_id !== user.id)) throw isNone();
  const { verifyAuthenticationResponse } = await library();
  const { authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: opened.random,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: isAlone(purpose),
      // What it counted is the machine's business.
      credential: { id: response.id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    }),
  );
  if (!isHandleOf(realm, passkey.user_id, response.response.userHandle, purpose)) throw isNone();
  await spend(realm, opened);
  const { newCounter: count } = authenticationInfo;
  const counts = count > 0 || passkey.sign_count > 0;
  const isCopy = counts && count <= passkey.sign_count;
  const { actions } = granted(
    stepPasskey(passkey.is_blocked ? "blocked" : "active", { type: "shown", isCopy }),
    (reason) => passkeyRefusals[reason](),
  );
  // Another answer may have counted further meanwhile.
  const isNoted =
    actions.includes("noteUse") && (await notePasskeyUse(database.sql, passkey.id, count, environment.clock()));
  return { passkey, isCopy: !isNoted };
}

/** Whoever is not named otherwise has to be named by the passkey itself. */
function isHandleOf(realm: RealmReader, userId: UserId, handle: string | undefined, purpose: PasskeyPurpose): boolean {
  if (!handle) return purpose !== "log-in";
  return handle === handleOf(realm, userId);
}
