/** Logging in with email and password, for API clients and for the log-in page. */
import { badRequest, errors } from "../../../actors/errors.ts";
import { type Directory, directoryOf, issuerOf } from "../../../actors/identities/directories.ts";
import { subjectIn } from "../../../actors/identities/identities.ts";
import type { DirectoryPerson } from "../../../actors/ldap/entry.ts";
import { isPasswordOf } from "../../../actors/users/passwords.ts";
import { defined } from "../../../storage/failures.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { RateName } from "../../api/rate-limit.ts";
import type { ApiRequest } from "../../api/route.ts";
import { knownBrowserOf } from "./devices.ts";
import { noteRefusal } from "./login-notes.ts";

type Asked = Pick<ApiRequest, "app" | "realm" | "exchange">;

/**
 * The active account with this email and password. A directory is not asked.
 *
 * @throws RATE_LIMIT_HIT after too many failures for one name, AUTHENTICATION_FAILED, USER_DEACTIVATED
 */
export async function accessAccountByPassword(asked: Asked, username: string, password: string): Promise<UserRow> {
  const found = await accessByPassword(asked, username, password, undefined);
  // Without a directory there is nobody else.
  return defined(found.user, "account");
}

/** Whose password it was: an account's own, or that of somebody in the directory. */
type Found = { user: UserRow; inDirectory?: never } | { user?: never; inDirectory: DirectoryPerson };

/**
 * The active account with this name and password, or whom the organization's directory has. The account's own password
 * comes first: no directory has to answer for it, or hears of it.
 *
 * @throws RATE_LIMIT_HIT, AUTHENTICATION_FAILED, USER_DEACTIVATED, SERVICE_UNAVAILABLE
 */
export async function accessByPassword(
  asked: Asked,
  username: string,
  password: string,
  directory: Directory | undefined,
): Promise<Found> {
  const { app, realm } = asked;
  const email = username.trim();
  const user = realm.state.userByEmail(email);
  let inDirectory: DirectoryPerson | undefined;
  const isRight = await inLimits(asked, await bucketsOf(asked, email, user), async () => {
    if (await isPasswordOf(realm, user, password)) return true;
    inDirectory = directory && (await app.ldapClient.logIn(realm, directory, email, password));
    return inDirectory !== undefined;
  });
  if (inDirectory) return { inDirectory };
  if (!isRight || !user) {
    const failure = errors.AUTHENTICATION_FAILED("Your username or password is incorrect");
    app.attempts.loginFailed({ ...attemptOf(asked), account: email }, failure);
    noteRefusal(asked, user, "password", user ? "wrong password" : "no such account");
    throw failure;
  }
  if (!user.is_active) {
    noteRefusal(asked, user, "password", "deactivated account");
    throw errors.USER_DEACTIVATED();
  }
  return { user };
}

/** What attempts under a name take from. */
async function bucketsOf(asked: Asked, name: string, user: UserRow | undefined): Promise<Bucket[]> {
  const account = `${asked.realm.id}:${plainName(name)}`;
  // Asked for now: later the client may have gone.
  const network = asked.exchange.network(asked.app.config.trustedProxies);
  const device = await knownBrowserOf(asked, user);
  // A browser that its person has used before is counted for itself: nobody else's failures lock them out there.
  return device === undefined
    ? [
        ["authenticate_by_username", `${account}:${network}`],
        ["authenticate_by_username_anywhere", account],
      ]
    : [["authenticate_by_username", `${account}:${device}`]];
}

/** Directories take names without case, accents and invisible signs: whoever adds some has no further attempts. */
const plainName = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\p{M}\p{C}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase();

/**
 * Asks somebody who is logged in for their password once more. Their failures lock nobody out of logging in.
 *
 * @throws BAD_REQUEST for none and for a wrong one, RATE_LIMIT_HIT after several
 */
export async function confirmPassword(asked: Asked & { user: UserRow }, password: string | undefined): Promise<void> {
  if (!password) throw badRequest("This needs your password.");
  const { app, realm, user } = asked;
  const isRight = async () =>
    (await isPasswordOf(realm, user, password)) || (await isPasswordInDirectory(asked, user, password));
  if (await inLimits(asked, [["authenticate_by_username", user.id]], isRight)) return;
  const failure = badRequest("Wrong password!");
  app.attempts.loginFailed({ ...attemptOf(asked), account: user.delivery_email }, failure);
  noteRefusal(asked, user, "password", "wrong password of somebody who is logged in");
  throw failure;
}

/** Whether a directory's password is that of an account which is linked with somebody there. */
async function isPasswordInDirectory({ app, realm }: Asked, user: UserRow, password: string): Promise<boolean> {
  const directory = directoryOf(realm.state);
  const subject = directory && (await subjectIn(realm, user, issuerOf(directory)));
  return (
    directory !== undefined &&
    subject !== undefined &&
    (await app.ldapClient.confirm(realm, directory, subject, password))
  );
}

type Bucket = [name: Extract<RateName, `authenticate_${string}`>, key: number | string];

/** These limits always apply. An attempt counts before its outcome is known; a success is given back. */
export async function inLimits(
  { app, realm }: Pick<Asked, "app" | "realm">,
  buckets: readonly Bucket[],
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  const limiter = app.rateLimiters.of(realm);
  for (const bucket of buckets) {
    const allowance = await limiter.takeShared(...bucket);
    if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
  }
  const isRight = await attempt();
  if (isRight) await Promise.all(buckets.map((bucket) => limiter.giveBack(...bucket)));
  return isRight;
}

const attemptOf = ({ realm, exchange }: Asked) => ({ exchange, realmId: realm.id });
