/**
 * Showing again who one is, before what would outlast a log-in: keys, second factors, roles, exports. A browser has to
 * for these when its person last did more than ten minutes ago; logging in counts. Programs that come by the account's
 * own key need not, as in Zulip's API: such a key is good for all of it.
 */
import { badRequest, errors } from "../../../actors/errors.ts";
import { noteConfirmed } from "../../../actors/users/changes/sessions.ts";
import { takeCode } from "../../../actors/users/second-factors/factors.ts";
import { text } from "../../api/params.ts";
import { type ApiRequest, route } from "../../api/route.ts";
import { knownBrowserOf } from "./devices.ts";
import { noteRefusal } from "./login-notes.ts";
import { confirmPasskey, passkeyParams } from "./passkey-proof.ts";
import { confirmPassword, inLimits } from "./password-login.ts";

/** How long it is good. */
const confirmedSecs = 600;

type Caller = Pick<ApiRequest, "app" | "realm" | "exchange" | "user">;

/** Whether a request is by a program, or by a browser whose person showed lately who they are. */
export const isConfirmed = ({ realm, session }: Pick<ApiRequest, "realm" | "session">): boolean =>
  session === undefined || session.confirmedAt + confirmedSecs > realm.environment.clock();

/** @throws REAUTHENTICATION_REQUIRED when the person of a browser has to show again who they are */
export function checkIdentity(request: Pick<ApiRequest, "realm" | "session">): void {
  if (!isConfirmed(request)) throw errors.REAUTHENTICATION_REQUIRED();
}

/**
 * The same, unless the password comes along. Programs have to send it.
 *
 * @throws REAUTHENTICATION_REQUIRED, BAD_REQUEST for a missing or wrong password, RATE_LIMIT_HIT
 */
export async function confirmIdentity(caller: Caller & Pick<ApiRequest, "session">, password?: string): Promise<void> {
  if (caller.session && password === undefined) return checkIdentity(caller);
  await confirmPassword(caller, password);
}

/**
 * Takes a code of somebody who has shown another factor. Limited as passwords are, by account: whoever tries many codes
 * knows the password.
 *
 * @throws BAD_REQUEST for a wrong one, RATE_LIMIT_HIT after several
 */
export async function confirmCode(caller: Caller, code: string): Promise<void> {
  const { app, realm, user, exchange } = caller;
  // A browser that its person has used before is counted for itself, so that nobody locks them out there.
  const key = `code:${user.id}:${(await knownBrowserOf(caller, user)) ?? ""}`;
  const isRight = await inLimits(caller, [["authenticate_by_username", key]], () => takeCode(realm, user.id, code));
  if (isRight) return;
  const failure = badRequest("This code is wrong, or was used before.");
  noteRefusal(caller, user, "second factor", "wrong code");
  app.attempts.loginFailed({ exchange, realmId: realm.id, account: user.delivery_email }, failure);
  throw failure;
}

/** Shows the server that the person of a browser is still there. */
export const reauthenticate = route({
  doc: "README.md",
  summary:
    "Shows, by a password, a code or a passkey, that the person of this browser is still there. With none it asks whether that is needed.",
  auth: ["cookie"],
  params: {
    password: text().optional().describe("The caller's password."),
    code: text({ maxLength: 100 }).optional().describe("A code of the caller's application, or a recovery code."),
    ...passkeyParams,
  },
  returns: {},
  async handle(request) {
    const { realm, session, params, user } = request;
    if (params.credential) await confirmPasskey(request, "identity", params, user);
    else if (params.code) await confirmCode(request, params.code);
    else if (params.password) await confirmPassword(request, params.password);
    else checkIdentity(request);
    if ((params.credential || params.code || params.password) && session) await noteConfirmed(realm, session.tokenHash);
    return {};
  },
});
