/** What a provider says of a person, read without trust in its form. */
import { ApiError, errors } from "../errors.ts";
import { checkEmail } from "../users/changes/address.ts";
import { type Claims, type Given, givenIn } from "./group-claims.ts";
import type { Provider } from "./providers.ts";

export interface Person {
  issuer: string;
  subject: string;
  /** null: the provider told none that is an address. */
  email: string | null;
  /** The provider knows that the address is theirs. */
  isEmailConfirmed: boolean;
  /** Empty: the provider told none. */
  fullName: string;
  /** The provider's name for this log-in, when it tells of log-outs. */
  providerSession: string | null;
  /** What their groups there give them here. Undefined: the provider does not tell, or is not asked. */
  given?: Given | undefined;
}

/** Characters of a subject. Source: OpenID Connect Core 1.0, section 2. */
const maxSubject = 255;
const maxIssuer = 1000;
/** Characters of a name that are looked at. */
const maxName = 200;

/**
 * The person of an ID token.
 *
 * @param more what the provider tells of them besides; an address comes from one of the two with its confirmation
 * @throws AUTHENTICATION_FAILED for one that names nobody
 */
export function personIn(provider: Provider, claims: Claims, more: Claims = {}): Person {
  const { iss: issuer, sub: subject } = claims;
  const isName = (value: unknown, max: number): value is string =>
    typeof value === "string" && value.length > 0 && value.length <= max && !/[\p{Cc}\p{Cs}]/u.test(value);
  if (!isName(issuer, maxIssuer) || !isName(subject, maxSubject))
    throw errors.AUTHENTICATION_FAILED(`${provider.displayName} did not say who you are.`);
  const addressed = claims[provider.emailClaim] === undefined ? more : claims;
  const email = addressIn(addressed[provider.emailClaim]);
  const name = claims[provider.nameClaim] ?? more[provider.nameClaim];
  return {
    issuer,
    subject,
    email,
    isEmailConfirmed: email !== null && (provider.confirmsEmails || isConfirmed(provider, addressed)),
    providerSession: isName(claims["sid"], maxSubject) ? claims["sid"] : null,
    fullName: typeof name === "string" ? nameFrom(name) : "",
    given: givenIn(provider, claims, more),
  };
}

/** What is said of `email` holds for no other claim. Some providers say it as a text. */
function isConfirmed({ emailClaim }: Provider, { email_verified }: Claims): boolean {
  return emailClaim === "email" && (email_verified === true || email_verified === "true");
}

/** An address; null: it is none. */
export function addressIn(value: unknown): string | null {
  if (typeof value !== "string") return null;
  try {
    return checkEmail(value);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Without the signs that a name may not have here. */
export const nameFrom = (name: string): string =>
  name
    .slice(0, maxName)
    .replace(/[*`\\>"@\p{Cc}\p{Cs}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
