/** Logging in with email and password, for API clients and for the log-in page. */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errors } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { isPasswordOf } from "../../../actors/users/passwords.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { ApiRequest } from "../../api/route.ts";
import type { App } from "../../process/app.ts";

/**
 * The active account with this email and password.
 *
 * @throws RATE_LIMIT_HIT after too many failures for one name, AUTHENTICATION_FAILED, USER_DEACTIVATED
 */
export async function accessAccountByPassword(
  { app, realm, exchange }: Pick<ApiRequest, "app" | "realm" | "exchange">,
  username: string,
  password: string,
): Promise<UserRow> {
  const email = username.trim();
  const bucket = `${realm.id}:${email.toLowerCase()}`;
  // This limit always applies. An attempt counts before its outcome is known; a success is given back.
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

/** Milliseconds that a log-in waits for the note of the first one. */
const notePatienceMs = 500;

/**
 * Notes a person's first log-in, which marks the account as used. Without a writer the log-in does not fail: the note
 * goes on in the background, or is made with the next log-in.
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
