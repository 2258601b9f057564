/** Asking a browser for a passkey: at a log-in, as its second step, and to show again who is there. */
import { createHash } from "node:crypto";
import { ApiError, badRequest, errors } from "../../../actors/errors.ts";
import { passkeyRefusals } from "../../../actors/users/second-factors/passkey-machine.ts";
import {
  askForNewPasskey,
  askForPasskey,
  type PasskeyPurpose,
  type PasskeyQuestion,
  partyAt,
  type RelyingParty,
  type ShownPasskey,
  takePasskey,
} from "../../../actors/users/second-factors/passkeys.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { text } from "../../api/params.ts";
import type { ApiRequest } from "../../api/route.ts";
import { noteRefusal } from "./login-notes.ts";
import { inLimits } from "./password-login.ts";

type Asked = Pick<ApiRequest, "app" | "realm" | "exchange">;

/** Characters of what an authenticator says. It needs some 2,000. */
const maxCredential = 8192;
/** Characters of a sealed challenge. */
const maxChallenge = 1000;

/** The parameters by which a passkey comes. */
export const passkeyParams = {
  challenge: text({ maxLength: maxChallenge }).default("").describe("The challenge, as the server sealed it."),
  credential: text({ maxLength: maxCredential }).default("").describe("What the passkey says to it: WebAuthn's JSON."),
};

/** @throws BAD_REQUEST where browsers have no passkeys */
export function partyOf(asked: Asked): RelyingParty {
  const party = partyAt(urlAsAsked(asked));
  if (!party) throw badRequest("Passkeys need an organization whose address has a name, and TLS.");
  return party;
}

/** What a page asks a browser; undefined where it has no passkeys. @param purpose `registration`: to make one */
export async function askBrowser(
  asked: Asked,
  purpose: PasskeyPurpose,
  user?: UserRow,
): Promise<PasskeyQuestion | undefined> {
  const party = partyAt(urlAsAsked(asked));
  if (!party) return undefined;
  const { realm } = asked;
  if (purpose === "registration" && user) return askForNewPasskey(realm, user, party);
  const question = await askForPasskey(realm, party, purpose, user?.id);
  // Nobody is asked for what they do not have.
  const allowed = question.options["allowCredentials"];
  const isEmpty = user !== undefined && Array.isArray(allowed) && allowed.length === 0;
  return isEmpty ? undefined : question;
}

/**
 * Takes a passkey. Limited as passwords are: by account, or, where nobody has said who they are, by network and
 * passkey.
 *
 * @param user whose it has to be; undefined for a log-in by it alone
 * @returns whose it is
 * @throws BAD_REQUEST, USER_DEACTIVATED, RATE_LIMIT_HIT after several that were refused
 */
export async function confirmPasskey(
  asked: Asked,
  purpose: PasskeyPurpose,
  shown: ShownPasskey,
  user?: UserRow,
): Promise<UserRow> {
  const { app, realm, exchange } = asked;
  const party = partyOf(asked);
  const key = user
    ? `passkey:${user.id}`
    : `passkey:${exchange.network(app.config.trustedProxies)}:${createHash("sha256").update(shown.credential.slice(0, 64)).digest("hex")}`;
  let failure = badRequest("");
  let owner = user;
  const isRight = await inLimits(asked, [["authenticate_by_username", key]], async () => {
    try {
      const { passkey, isCopy } = await takePasskey(realm, party, purpose, shown, user);
      owner = realm.state.users.get(passkey.user_id);
      if (!isCopy) return true;
      await realm.execute("blockPasskey", { userId: passkey.user_id, id: passkey.id });
      throw passkeyRefusals.isBlocked();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      failure = error;
      return false;
    }
  });
  if (!isRight || !owner) {
    noteRefusal(asked, owner, "passkey", failure.message);
    app.attempts.loginFailed({ exchange, realmId: realm.id, account: owner?.delivery_email ?? "" }, failure);
    throw failure;
  }
  if (!owner.is_active) {
    noteRefusal(asked, owner, "passkey", "deactivated account");
    throw errors.USER_DEACTIVATED();
  }
  return owner;
}
