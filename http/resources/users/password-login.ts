/** Logging in with an email and a password: for clients that want a key and for people at a page. */
import { errors } from "../../../actors/errors.ts";
import { isPasswordOf } from "../../../actors/users/passwords.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { ApiRequest } from "../../api/route.ts";

/**
 * The active account of this email and password.
 *
 * @throws RATE_LIMIT_HIT after too many failures under one name, AUTHENTICATION_FAILED, USER_DEACTIVATED
 */
export async function accessAccountByPassword(
  { app, realm, exchange }: Pick<ApiRequest, "app" | "realm" | "exchange">,
  username: string,
  password: string,
): Promise<UserRow> {
  const email = username.trim();
  const bucket = `${realm.id}:${email.toLowerCase()}`;
  // Always limited, and counted before the answer is known: guesses cost the same as hits.
  const allowance = await app.rateLimiter.takeShared("authenticate_by_username", bucket);
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
  const user = realm.state.userByEmail(email);
  const isRight = await isPasswordOf(realm, user, password);
  if (!isRight || !user) {
    const failure = errors.AUTHENTICATION_FAILED("Your username or password is incorrect");
    app.attempts.loginFailed({ exchange, realmId: realm.id, account: email }, failure);
    throw failure;
  }
  app.rateLimiter.giveBack("authenticate_by_username", bucket);
  if (!user.is_active) throw errors.USER_DEACTIVATED();
  return user;
}
