/** Logging in with an email and a password: for clients that want a key and for people at a page. */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errors } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { isPasswordOf } from "../../../actors/users/passwords.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { ApiRequest } from "../../api/route.ts";
import type { App } from "../../process/app.ts";

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
  const allowance = await app.rateLimiters.of(realm).takeShared("authenticate_by_username", bucket);
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
  const user = realm.state.userByEmail(email);
  const isRight = await isPasswordOf(realm, user, password);
  if (!isRight || !user) {
    const failure = errors.AUTHENTICATION_FAILED("Your username or password is incorrect");
    app.attempts.loginFailed({ exchange, realmId: realm.id, account: email }, failure);
    throw failure;
  }
  app.rateLimiters.of(realm).giveBack("authenticate_by_username", bucket);
  if (!user.is_active) throw errors.USER_DEACTIVATED();
  return user;
}

/** A log-in waits this long for its first one to be noted. */
const notePatienceMs = 500;

/**
 * Notes somebody's first log-in, which makes an account one that is used. Nobody is kept out because there is no writer
 * to note it: what is not done by then goes on, or is done with the next log-in.
 */
export async function noteLogin(app: App, realm: ServedRealm, user: UserRow): Promise<void> {
  if (user.first_login_at !== null) return;
  const noted = realm.execute("noteLogin", { userId: user.id }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    app.log.warn({ realm: realm.id, user: user.id, err: error }, "a first log-in was not noted");
  });
  noted.catch(() => {});
  await Promise.race([noted, delay(notePatienceMs)]);
}
