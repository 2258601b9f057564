/**
 * How applications get a log-in that was made in a browser. That browser itself is not logged in.
 *
 * - On phones: a redirect to the application's own scheme, with the API key XORed with the pad that it sent.
 * - On desktops: a page with a token, encrypted by the key that the application sent. The application takes it from the
 *   clipboard, and is logged in by it once, within seconds.
 */
import { createCipheriv, randomBytes } from "node:crypto";
import { badRequest } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { readApiKey } from "../../../actors/users/changes/api-keys.ts";
import { spendToken } from "../../../actors/users/jwt.ts";
import { openState, sealState } from "../../../actors/users/second-factors/sealed-state.ts";
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import type { RawReply } from "../../api/reply.ts";
import type { ApiRequest } from "../../api/route.ts";
import { desktopPage } from "../../pages/desktop-page.ts";
import { redirect } from "../../pages/page.ts";
import { languageAsked } from "../../pages/words/words.ts";

/** Gives a mobile application its key. */
export async function answerPhone(
  request: Pick<ApiRequest, "app" | "realm" | "exchange">,
  user: UserRow,
  otpHex: string,
): Promise<RawReply> {
  const apiKey = await readApiKey(request.realm, user);
  const pad = Buffer.from(otpHex, "hex");
  const sealed = Buffer.from(apiKey, "latin1").map((byte, index) => byte ^ defined(pad[index], "byte of the pad"));
  const query = new URLSearchParams({
    realm: urlAsAsked(request),
    email: user.delivery_email,
    user_id: String(user.id),
    otp_encrypted_api_key: Buffer.from(sealed).toString("hex"),
  });
  return redirect(`zulip://login?${query}`);
}

const desktopPurpose = "log-in of a desktop application";
/** Zulip's. Whoever sees the clipboard, or the screen, has little time. */
const desktopSecs = 15;

interface DesktopToken<LogIn> {
  id: string;
  userId: UserId;
  /** `api_key_version`: whoever was logged out everywhere meanwhile is not logged in by it. */
  version: number;
  logIn: LogIn;
}

/** Gives a desktop application the token that it logs in by. @param logIn what that goes on with */
export function answerDesktop(
  { realm, exchange }: Pick<ApiRequest, "realm" | "exchange">,
  user: UserRow,
  logIn: object,
  keyHex: string,
): RawReply {
  const id = randomBytes(16).toString("base64url");
  const token: DesktopToken<object> = { id, userId: user.id, version: user.api_key_version, logIn };
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(keyHex, "hex"), nonce);
  const text = sealState(realm, desktopPurpose, token, desktopSecs);
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return desktopPage(languageAsked(exchange, realm.state), realm.state.row.name, sealed.toString("hex"));
}

/** Whom a token of a desktop application logs in, once, and what goes on then. @throws BAD_REQUEST */
export async function takeDesktopToken<LogIn>(
  realm: ServedRealm,
  text: string,
): Promise<{ user: UserRow; logIn: LogIn }> {
  const refusal = badRequest("This took too long, or was done already. Please log in again.");
  const opened = openState<DesktopToken<LogIn>>(realm, desktopPurpose, text);
  if (!opened) throw refusal;
  const { id, userId, version, logIn } = opened.value;
  const user = realm.state.users.get(userId);
  if (!user?.is_active || user.api_key_version !== version) throw refusal;
  if (!(await spendToken(realm, `desktop log-in ${id}`, opened.until))) throw refusal;
  return { user, logIn };
}
