import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from "jose";
import { messageOf } from "../../storage/failures.ts";
import { translate } from "../../storage/postgres.ts";
import { spendToken as spendStored } from "../../storage/users/spent-tokens.ts";
import type { RealmReader } from "../realm/reader.ts";

/**
 * JSON Web Tokens that replace a log-in (`POST /jwt/fetch_api_key`). Another service signs them; `PARLEY_JWT_KEYS` says
 * with which key, per organization:
 *
 *     { "chat.example": { "algorithm": "HS256", "key": "shared secret" },
 *       "team.example": { "algorithm": "RS256", "key": "-----BEGIN PUBLIC KEY-----…" },
 *       "*":            { "algorithm": "ES256", "jwks": "/etc/parley/jwks.json" } }
 *
 * `audience` beside a key is what `aud` has to name in the place of the host. A PEM text may stand in the place of the
 * object. Then an RSA key is for RS256, and an Ed25519 key for EdDSA. A P-256, P-384 or P-521 key is for ES256, ES384
 * or ES512. A set of keys may leave `algorithm` out if each of its keys has an `alg`.
 *
 * The algorithm comes from this configuration and never from the token. A token that names another one, `none` above
 * all, is refused before any key is used.
 */

/** Environment variable that holds the keys. */
export const jwtKeysVariable = "PARLEY_JWT_KEYS";

/** Keys by lower-case host, `*` for every other organization. Made by {@link parseJwtKeys}. */
export type JwtKeys = ReadonlyMap<string, JwtKey>;

/** One organization's key, and the only algorithms that a token for it may use. */
export interface JwtKey {
  algorithms: readonly string[];
  /** What `aud` has to name in the place of the organization's host. */
  audience?: string;
  verify(token: string, options: Pick<JWTVerifyOptions, "currentDate" | "maxTokenAge">): Promise<JWTPayload>;
}

/** A value of `PARLEY_JWT_KEYS` that cannot be used; the message names the variable. */
export class JwtConfigError extends Error {
  override readonly name = "JwtConfigError";
}

/** Why a token was refused. */
export type JwtProblem =
  | "not_configured"
  | "malformed"
  | "unsigned"
  | "wrong_algorithm"
  | "bad_signature"
  | "expired"
  | "not_yet_valid"
  | "no_age"
  | "too_old"
  | "wrong_audience"
  | "spent"
  | "no_email";

const sentences: Readonly<Record<JwtProblem, string>> = {
  not_configured: "JWT authentication is not enabled for this organization.",
  malformed: "Bad JSON Web Token: it is malformed.",
  unsigned: "Bad JSON Web Token: it is not signed.",
  wrong_algorithm: "Bad JSON Web Token: it is signed with another algorithm than this organization accepts.",
  bad_signature: "Bad JSON Web Token: its signature is invalid.",
  expired: "Bad JSON Web Token: it has expired.",
  not_yet_valid: "Bad JSON Web Token: it is not valid yet.",
  no_age: "Bad JSON Web Token: it has no iat claim that says when it was made.",
  too_old: "Bad JSON Web Token: it is too old.",
  wrong_audience: "Bad JSON Web Token: its aud claim does not name this organization.",
  spent: "Bad JSON Web Token: it was used before.",
  no_email: "Bad JSON Web Token: it has no email claim.",
};

/** A token that was refused, with a sentence for the caller that tells nothing about the key. */
export class JwtError extends Error {
  override readonly name = "JwtError";
  readonly problem: JwtProblem;

  constructor(problem: JwtProblem) {
    super(sentences[problem]);
    this.problem = problem;
  }
}

/** Longest token looked at, in characters: identity providers make tokens of one or two thousand. */
const maxTokenLength = 16_384;

/**
 * Checks a token for an organization and returns the address in its `email` claim. `exp` and `nbf` are enforced where
 * the token has them, and the age since `iat` where `maxAgeSecs` is not 0. `host` is compared without regard to case,
 * and a port in it may be left out of the configuration. A token with `aud` has to name the organization in it.
 *
 * @param isShared whether other organizations trust the key `*` too: a token by it has to say which one it is for
 * @throws JwtError
 */
export async function verifyJwt(
  token: string,
  host: string,
  keys: JwtKeys,
  now = new Date(),
  maxAgeSecs = 0,
  isShared = false,
): Promise<VerifiedJwt> {
  const wanted = host.toLowerCase();
  const own = keys.get(wanted) ?? keys.get(withoutPort(wanted));
  const key = own ?? keys.get("*");
  if (!key) throw new JwtError("not_configured");
  const algorithm = readAlgorithm(token);
  if (algorithm.toLowerCase() === "none") throw new JwtError("unsigned");
  if (!key.algorithms.includes(algorithm)) throw new JwtError("wrong_algorithm");
  let payload: JWTPayload;
  try {
    payload = await key.verify(token, { currentDate: now, ...(maxAgeSecs > 0 && { maxTokenAge: maxAgeSecs }) });
  } catch (error) {
    throw new JwtError(problemOf(error));
  }
  checkAudience(payload.aud, key.audience === undefined ? namesOf(wanted) : [key.audience], !own && isShared);
  const email = payload["email"];
  if (typeof email !== "string" || email.trim() === "") throw new JwtError("no_email");
  const { jti, iat } = payload;
  const ends = [payload.exp, maxAgeSecs > 0 && iat !== undefined ? iat + maxAgeSecs : undefined];
  const expiresAt = Math.min(...ends.filter((at) => at !== undefined));
  return { email, jti: typeof jti === "string" && jti !== "" ? jti : undefined, expiresAt };
}

/** What a token says that was found good. */
export interface VerifiedJwt {
  email: string;
  /** The name of a token that is good once. */
  jti: string | undefined;
  /** UNIX seconds; infinite: nothing ends it. */
  expiresAt: number;
}

const withoutPort = (host: string): string => host.replace(/:[0-9]{1,5}$/, "");

/** The names and addresses of an organization under a host. */
const namesOf = (host: string): string[] =>
  [host, withoutPort(host)].flatMap((name) => [name, `https://${name}`, `http://${name}`]);

/** RFC 7519, section 4.1.3: whoever is not named in `aud` refuses the token. @throws JwtError */
function checkAudience(aud: unknown, names: readonly string[], isRequired: boolean): void {
  const named = aud === undefined ? [] : [aud].flat();
  if (named.length === 0 && !isRequired) return;
  const isNamed = (name: unknown) =>
    typeof name === "string" && names.some((own) => own.toLowerCase() === name.toLowerCase().replace(/\/$/, ""));
  if (!named.some(isNamed)) throw new JwtError("wrong_audience");
}

function readAlgorithm(token: string): string {
  if (token.length > maxTokenLength) throw new JwtError("malformed");
  try {
    const { alg } = decodeProtectedHeader(token);
    if (typeof alg === "string" && token.split(".").length === 3) return alg;
  } catch {
    // Not base64url, not JSON, not an object.
  }
  throw new JwtError("malformed");
}

function problemOf(error: unknown): JwtProblem {
  if (error instanceof errors.JWTExpired) return error.claim === "iat" ? "too_old" : "expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iat") return error.reason === "missing" ? "no_age" : "not_yet_valid";
    return error.claim === "nbf" && error.reason === "check_failed" ? "not_yet_valid" : "malformed";
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return "bad_signature";
  // Its key id is not in the set, so nobody whom this organization trusts has signed it.
  if (error instanceof errors.JWKSNoMatchingKey) return "bad_signature";
  if (error instanceof errors.JOSEError) return "malformed";
  throw error;
}

/**
 * Reads the value of `PARLEY_JWT_KEYS`, and the files it names. Empty text is no keys.
 * @throws JwtConfigError
 */
export function parseJwtKeys(text: string): JwtKeys {
  const keys = new Map<string, JwtKey>();
  if (text.trim() === "") return keys;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new JwtConfigError(`${jwtKeysVariable} is not valid JSON.`);
  }
  if (!isRecord(parsed)) throw new JwtConfigError(`${jwtKeysVariable} must be a JSON object of hosts.`);
  for (const [host, value] of Object.entries(parsed)) {
    if (host.trim() === "") throw new JwtConfigError(`${jwtKeysVariable} has an empty host.`);
    keys.set(
      host.toLowerCase(),
      readKey(value, (problem) => new JwtConfigError(`${jwtKeysVariable}, ${host}: ${problem}`)),
    );
  }
  return keys;
}

type Fail = (problem: string) => JwtConfigError;

function readKey(value: unknown, fail: Fail): JwtKey {
  if (typeof value === "string") {
    const key = readPem(value, fail);
    const algorithm = algorithmsOf(key)[0];
    if (algorithm === undefined) throw fail("no supported algorithm uses this kind of key.");
    return oneKey(algorithm, key);
  }
  if (!isRecord(value)) throw fail("must be an object with algorithm and key, or a PEM public key.");
  const { algorithm, key, jwks, audience } = value;
  if (audience !== undefined && (typeof audience !== "string" || audience === ""))
    throw fail("audience must be a text, which aud has to name.");
  const named = audience === undefined ? {} : { audience: audience.replace(/\/$/, "") };
  if (algorithm !== undefined && (typeof algorithm !== "string" || !supportedAlgorithms.has(algorithm))) {
    throw fail(`algorithm must be one of ${[...supportedAlgorithms].join(", ")}.`);
  }
  if (typeof jwks === "string" && key === undefined) return { ...readKeySet(jwks, algorithm, fail), ...named };
  if (typeof key !== "string" || key === "" || jwks !== undefined) throw fail("must have either a key or a jwks file.");
  if (algorithm === undefined) throw fail("algorithm is missing.");
  if (algorithm.startsWith("HS")) {
    // With a public key as shared secret everybody could sign.
    if (key.includes("-----BEGIN")) throw fail(`${algorithm} needs a shared secret, not a PEM key.`);
    const secret = new TextEncoder().encode(key);
    const minBytes = Number(algorithm.slice(2)) / 8;
    if (secret.length < minBytes)
      throw fail(`${algorithm} needs a key of ${minBytes} bytes or more, not ${secret.length}.`);
    return { ...oneKey(algorithm, secret), ...named };
  }
  const publicKey = readPem(key, fail);
  if (!algorithmsOf(publicKey).includes(algorithm)) throw fail(`the key is not one for ${algorithm}.`);
  return { ...oneKey(algorithm, publicKey), ...named };
}

function oneKey(algorithm: string, key: KeyObject | Uint8Array): JwtKey {
  return {
    algorithms: [algorithm],
    verify: async (token, checks) => (await jwtVerify(token, key, { ...checks, algorithms: [algorithm] })).payload,
  };
}

function readKeySet(file: string, algorithm: string | undefined, fail: Fail): JwtKey {
  if (algorithm?.startsWith("HS")) throw fail(`${algorithm} needs a shared secret, not a jwks file.`);
  let set: unknown;
  try {
    set = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw fail(`cannot read ${file}: ${messageOf(error)}`);
  }
  if (!isRecord(set) || !Array.isArray(set["keys"]) || set["keys"].length === 0) throw fail(`${file} has no keys.`);
  const algorithms = new Set<string>();
  const keys: readonly unknown[] = set["keys"];
  for (const jwk of keys) {
    const ofKey = isRecord(jwk) ? (jwk["alg"] ?? algorithm) : undefined;
    if (!isRecord(jwk) || typeof ofKey !== "string") throw fail(`a key in ${file} has no alg, so algorithm is needed.`);
    // A set may hold keys for other algorithms; those are never used.
    if (algorithm !== undefined && ofKey !== algorithm) continue;
    if (!algorithmsOf(readJwk(jwk, file, fail)).includes(ofKey)) {
      throw fail(`a key in ${file} is not one for ${ofKey}.`);
    }
    algorithms.add(ofKey);
  }
  if (algorithms.size === 0) throw fail(`${file} has no key for ${algorithm}.`);
  const allowed = [...algorithms];
  const find = createLocalJWKSet({ keys: set["keys"] });
  return {
    algorithms: allowed,
    async verify(token, checks) {
      const options = { ...checks, algorithms: allowed };
      try {
        return (await jwtVerify(token, find, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        // A token without a key id is checked with each key of the set.
        for await (const key of error) {
          try {
            return (await jwtVerify(token, key, options)).payload;
          } catch (reason) {
            if (!(reason instanceof errors.JWSSignatureVerificationFailed)) throw reason;
          }
        }
        throw new errors.JWSSignatureVerificationFailed();
      }
    },
  };
}

function readJwk(jwk: Record<string, unknown>, file: string, fail: Fail): KeyObject {
  if ("d" in jwk || jwk["kty"] === "oct") throw fail(`${file} holds a secret key; it must hold public keys only.`);
  try {
    return createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    throw fail(`${file} holds a key that cannot be read.`);
  }
}

function readPem(pem: string, fail: Fail): KeyObject {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) throw fail("the key is a private key; give the public one.");
  try {
    return createPublicKey(pem);
  } catch {
    throw fail("the key is not a PEM public key.");
  }
}

/**
 * Algorithms that a public key can be used with, the usual one first. Source: RFC 7518, section 3; RFC 8037, section
 * 3.1.
 */
function algorithmsOf(key: KeyObject): string[] {
  const details = key.asymmetricKeyDetails;
  switch (key.asymmetricKeyType) {
    case "rsa":
      // RFC 7518 asks for 2048 bits or more, and jose refuses less.
      return (details?.modulusLength ?? 0) >= 2048 ? ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] : [];
    case "ec":
      return curveAlgorithms[details?.namedCurve ?? ""] ?? [];
    case "ed25519":
      return ["EdDSA", "Ed25519"];
    default:
      return [];
  }
}

const curveAlgorithms: Readonly<Record<string, string[]>> = {
  prime256v1: ["ES256"],
  secp384r1: ["ES384"],
  secp521r1: ["ES512"],
};

const supportedAlgorithms: ReadonlySet<string> = new Set(
  "HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" "),
);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** For so long a used token is known that nothing ends: ten years. */
const longestSecs = 315_360_000;

/**
 * Uses a token up. Returns whether nobody has used it before, on any node.
 *
 * @param name what its signer calls it (`jti`)
 * @param expiresAt when it is refused for its age; UNIX seconds
 */
export async function spendToken(realm: RealmReader, name: string, expiresAt: number): Promise<boolean> {
  const expires_at = Math.ceil(Math.min(expiresAt, realm.environment.clock() + longestSecs));
  const token_hash = createHash("sha256").update(name).digest();
  try {
    return await spendStored(realm.database.sql, { realm_id: realm.id, token_hash, expires_at });
  } catch (error) {
    throw translate(error);
  }
}
