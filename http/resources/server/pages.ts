/** Pages for people with a browser: about this server, and logging in. */
import { ApiError, badRequest } from "../../../actors/errors.ts";
import { renderPlain } from "../../../actors/organization/markdown-context.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { readApiKey } from "../../../actors/users/changes/api-keys.ts";
import { featureLevel, version } from "../../../actors/version.ts";
import { roles, type UserRow } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { type Param, text } from "../../api/params.ts";
import { retryHeaders } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { landingPage } from "../../pages/landing-page.ts";
import { loginPage } from "../../pages/login-page.ts";
import { checkOrigin, redirect } from "../../pages/page.ts";
import { noteBrowser } from "../users/devices.ts";
import { accessAccountByPassword, noteLogin } from "../users/password-login.ts";

const roleNames: Record<number, string> = {
  [roles.owner]: "an owner",
  [roles.administrator]: "an administrator",
  [roles.moderator]: "a moderator",
  [roles.member]: "a member",
  [roles.guest]: "a guest",
};
/** A one-time pad in hexadecimal: 32 bytes, one for each character of an API key. */
const otpPattern = /^[0-9a-fA-F]{64}$/;

/** The page about this server. */
export const getAboutPage = route({
  doc: "README.md",
  summary: "A page that tells what this server is.",
  auth: ["cookie", "anybody"],
  params: {},
  handle({ realm, user }) {
    const { state } = realm;
    return landingPage({
      realmName: state.row.name,
      description: renderPlain(state, state.setting("description")),
      url: state.url,
      version,
      featureLevel,
      user: user && { name: user.full_name, email: user.delivery_email, role: roleNames[user.role] ?? "a member" },
    });
  },
});

/** Bytes of a form. Its fields are short, and what is shown again has to be escaped. */
const maxFormBytes = 16 * 1024;
const maxEmail = 254;
const maxTyped = 1000;

/** A location inside the page, from its address bar, or a video call. It cannot lead to another site. */
const placePattern = /^(?:#|calls\/)[!-~]{0,3000}$/;
/** Characters. The link of a call contains its name and a signature. */
const maxPlace = 3000;
const next = () =>
  text({ maxLength: maxPlace }).default("").describe("A place in the page to go to, beginning with `#`, or a call.");
const placeAfter = (place: string): string => `/${placePattern.test(place) ? place : ""}`;

const otp: Param<string | undefined> = text().optional().describe("64 hexadecimal digits, from a mobile application.");

export const getLoginPage = route({
  doc: "README.md",
  summary: "A page on which people log in.",
  auth: ["anybody"],
  refusesWithPages: true,
  params: { mobile_flow_otp: otp, next: next() },
  handle({ realm, params }) {
    const realmName = realm.state.row.name;
    const pad = params.mobile_flow_otp;
    if (pad !== undefined && !otpPattern.test(pad))
      return loginPage({ realmName, mobileFlowOtp: undefined, error: "Invalid OTP", status: 400 });
    return loginPage({ realmName, mobileFlowOtp: pad, next: params.next });
  },
});

/** Logs a browser in. If a mobile app asked, it gets the key, encrypted with its one-time pad. */
export const submitLoginPage = route({
  doc: "README.md",
  summary: "Logs a browser in.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: {
    username: text({ maxLength: maxEmail }).default(""),
    password: text({ maxLength: maxTyped }).default(""),
    mobile_flow_otp: otp,
    next: next(),
  },
  async handle({ app, realm, params, client, exchange }) {
    const pad = params.mobile_flow_otp;
    const realmName = realm.state.row.name;
    try {
      checkOrigin(exchange);
      if (pad !== undefined && !otpPattern.test(pad)) throw badRequest("Invalid OTP");
      const user = await accessAccountByPassword({ app, realm, exchange }, params.username, params.password);
      await noteLogin(app, realm, user);
      await noteBrowser({ app, realm, exchange, client }, user);
      if (pad !== undefined)
        return redirect(await mobileRedirect(realm, urlAsAsked({ app, realm, exchange }), user, pad));
      await app.authenticator.startSession(realm, user.id, exchange);
      return redirect(placeAfter(params.next));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      exchange.headers.push(...retryHeaders(error));
      const known = pad !== undefined && otpPattern.test(pad) ? pad : undefined;
      return loginPage({
        realmName,
        username: params.username,
        next: params.next,
        mobileFlowOtp: known,
        error: error.message,
        status: error.status,
      });
    }
  },
});

/**
 * The URL that gives the mobile app its key. It has the app's own scheme, and the key is XORed with the one-time pad
 * that the app sent.
 */
async function mobileRedirect(realm: ServedRealm, url: string, user: UserRow, otpHex: string): Promise<string> {
  const apiKey = await readApiKey(realm, user);
  const pad = Buffer.from(otpHex, "hex");
  const sealed = Buffer.from(apiKey, "latin1").map((byte, index) => byte ^ pad[index]!);
  const query = new URLSearchParams({
    realm: url,
    email: user.delivery_email,
    user_id: String(user.id),
    otp_encrypted_api_key: Buffer.from(sealed).toString("hex"),
  });
  return `zulip://login?${query}`;
}
