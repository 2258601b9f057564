/** Logging in with email and password, for API clients and for the log-in page. */
import { badRequest, errors } from "../../../actors/errors.ts";
import { isPasswordOf } from "../../../actors/users/passwords.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { RateName } from "../../api/rate-limit.ts";
import type { ApiRequest } from "../../api/route.ts";
import { knownBrowserOf } from "./devices.ts";
import { noteRefusal } from "./login-notes.ts";

type Asked = Pick<ApiRequest, "app" | "realm" | "exchange">;

/**
 * The active account with this email and password.
 *
 * @throws RATE_LIMIT_HIT after too many failures for one name, AUTHENTICATION_FAILED, USER_DEACTIVATED
 */
export async function accessAccountByPassword(asked: Asked, username: string, password: string): Promise<UserRow> {
  const email = username.trim();
  const user = asked.realm.state.userByEmail(email);
  const account = `${asked.realm.id}:${email.toLowerCase()}`;
  // Asked for now: later the client may have gone.
  const network = asked.exchange.network(asked.app.config.trustedProxies);
  const device = await knownBrowserOf(asked, user);
  // A browser that its person has used before is counted for itself: nobody else's failures lock them out there.
  const buckets: Bucket[] =
    device === undefined
      ? [
          ["authenticate_by_username", `${account}:${network}`],
          ["authenticate_by_username_anywhere", account],
        ]
      : [["authenticate_by_username", `${account}:${device}`]];
  const isRight = await inLimits(asked, buckets, () => isPasswordOf(asked.realm, user, password));
  if (!isRight || !user) {
    const failure = errors.AUTHENTICATION_FAILED("Your username or password is incorrect");
    asked.app.attempts.loginFailed({ ...attemptOf(asked), account: email }, failure);
    noteRefusal(asked, user, "password", user ? "wrong password" : "no such account");
    throw failure;
  }
  if (!user.is_active) {
    noteRefusal(asked, user, "password", "deactivated account");
    throw errors.USER_DEACTIVATED();
  }
  return user;
}

/**
 * Asks somebody who is logged in for their password once more. Their failures lock nobody out of logging in.
 *
 * @throws BAD_REQUEST for none and for a wrong one, RATE_LIMIT_HIT after several
 */
export async function confirmPassword(asked: Asked & { user: UserRow }, password: string | undefined): Promise<void> {
  if (!password) throw badRequest("This needs your password.");
  const { app, realm, user } = asked;
  const isRight = () => isPasswordOf(realm, user, password);
  if (await inLimits(asked, [["authenticate_by_username", user.id]], isRight)) return;
  const failure = badRequest("Wrong password!");
  app.attempts.loginFailed({ ...attemptOf(asked), account: user.delivery_email }, failure);
  noteRefusal(asked, user, "password", "wrong password of somebody who is logged in");
  throw failure;
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
  if (isRight) for (const bucket of buckets) limiter.giveBack(...bucket);
  return isRight;
}

const attemptOf = ({ realm, exchange }: Asked) => ({ exchange, realmId: realm.id });
