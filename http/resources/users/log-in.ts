/**
 * The way in: whoever has shown who they are, by whatever method, is let in here and nowhere else. What every log-in
 * has to pass or leave behind belongs here.
 */
import { badRequest, errors } from "../../../actors/errors.ts";
import type { Person } from "../../../actors/identities/claims.ts";
import { directoryOf, hasPlainNames } from "../../../actors/identities/directories.ts";
import { providersOf } from "../../../actors/identities/organization-providers.ts";
import { loginPath } from "../../../actors/identities/providers.ts";
import { readApiKey } from "../../../actors/users/changes/api-keys.ts";
import type { CameBy } from "../../../actors/users/changes/sessions.ts";
import { dutyFrom } from "../../../actors/users/second-factors/duty.ts";
import { hasSecondFactor } from "../../../actors/users/second-factors/factors.ts";
import { sealPendingLogIn } from "../../../actors/users/second-factors/pending-log-in.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { type Param, type ParamsOf, text } from "../../api/params.ts";
import type { RawReply } from "../../api/reply.ts";
import type { ApiRequest } from "../../api/route.ts";
import type { LoginForm } from "../../pages/login-page.ts";
import { redirect } from "../../pages/page.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { enrolmentPage, secondFactorPage } from "../../pages/second-factor-page.ts";
import { languageAsked } from "../../pages/words/words.ts";
import { answerDesktop, answerPhone } from "./application-log-in.ts";
import { noteBrowser, noteProgram } from "./devices.ts";
import { keepGiven } from "./given-groups.ts";
import { noteLogin, noteRefusal } from "./login-notes.ts";
import { askBrowser } from "./passkey-proof.ts";

export type LoginRequest = Pick<ApiRequest, "app" | "realm" | "exchange" | "client">;

/** By which method somebody has shown who they are. */
export type LoginMethod = "password" | "passkey" | "invitation" | "identity" | "directory" | "token" | "development";

/** Where somebody goes who has logged in with a browser. */
export interface Destination {
  /** The pad of a mobile application, for the key that it wants. The browser itself is not logged in. */
  mobileFlowOtp?: string | undefined;
  /** The key of a desktop application, for the token that it wants. The browser is not logged in either. */
  desktopFlowOtp?: string | undefined;
  /** A place in the page, or a call. */
  next: string;
  /** Who a provider said that they are, for whoever links that with their account. */
  links?: { provider: string; person: Person };
  /** By which identity they came. */
  cameBy?: CameBy | undefined;
}

/** In hexadecimal 32 bytes: a pad with one for each character of an API key, or a key of AES-256. */
const otpPattern = /^[0-9a-fA-F]{64}$/;
/** A location inside the page, from its address bar, or a video call. It cannot lead to another site. */
const placePattern = /^(?:#|calls\/)[!-~]{0,3000}$/;
/** Characters. The link of a call contains its name and a signature. */
const maxPlace = 3000;

const otp = (application: string): Param<string | undefined> =>
  text().optional().describe(`64 hexadecimal digits, from ${application}.`);

/** The parameters that say where somebody goes afterwards. */
export const destinationParams = {
  mobile_flow_otp: otp("a mobile application"),
  desktop_flow_otp: otp("a desktop application"),
  next: text({ maxLength: maxPlace })
    .default("")
    .describe("A place in the page to go to, beginning with `#`, or a call."),
};

/** @throws BAD_REQUEST for a pad or a key that is none */
export function readDestination(params: ParamsOf<typeof destinationParams>): Destination {
  const { mobile_flow_otp: mobileFlowOtp, desktop_flow_otp: desktopFlowOtp, next } = params;
  for (const given of [mobileFlowOtp, desktopFlowOtp])
    if (given !== undefined && !otpPattern.test(given)) throw badRequest("Invalid OTP");
  return { mobileFlowOtp, desktopFlowOtp, next };
}

const nowhere: Destination = { next: "" };

/** The page on which people log in, with a button for each provider of identities. */
export async function loginForm(
  asked: Pick<LoginRequest, "app" | "realm" | "exchange">,
  destination = nowhere,
): Promise<LoginForm> {
  const { state } = asked.realm;
  const { mobileFlowOtp, desktopFlowOtp, next } = destination;
  const fields = {
    ...(mobileFlowOtp !== undefined && { mobile_flow_otp: mobileFlowOtp }),
    ...(desktopFlowOtp !== undefined && { desktop_flow_otp: desktopFlowOtp }),
    ...(next !== "" && { next }),
  };
  const query = new URLSearchParams(fields);
  const providers = providersOf(state).map((provider) => ({
    name: provider.displayName,
    url: `${loginPath(provider)}${query.size === 0 ? "" : `?${query}`}`,
  }));
  const isForApplication = mobileFlowOtp !== undefined || desktopFlowOtp !== undefined;
  const passkey = await askBrowser(asked, "log-in");
  const directory = directoryOf(state);
  const hasNames = directory !== undefined && hasPlainNames(directory);
  const language = languageAsked(asked.exchange, state);
  return { language, realmName: state.row.name, fields, isForApplication, hasNames, providers, passkey };
}

/** Lets somebody in by a browser who has shown the first factor, or asks for the second one if they have it. */
export async function letBrowserIn(
  request: LoginRequest,
  user: UserRow,
  method: LoginMethod,
  to: Destination,
): Promise<RawReply> {
  const { realm } = request;
  checkNetwork(request, user, method);
  const realmName = realm.state.row.name;
  if (await hasSecondFactor(realm, user.id))
    return secondFactorPage({
      language: languageAsked(request.exchange, realm.state),
      realmName,
      pending: sealPendingLogIn(realm, user, { method, to }),
      passkey: await askBrowser(request, "second step", user),
    });
  const from = dutyFrom(realm.state, user);
  if (from === undefined || from > realm.environment.clock()) {
    // While there are days of grace, a log-in that leads nowhere leads to where one is set up.
    const isNear = from !== undefined && to.next === "";
    return finishLogIn(request, user, method, isNear ? { ...to, next: "#settings/account" } : to);
  }
  const { secret, otpauth_url } = await realm.execute("beginTotp", { actorId: user.id });
  return enrolmentPage({
    language: languageAsked(request.exchange, realm.state),
    realmName,
    pending: sealPendingLogIn(realm, user, { method, to, secret }),
    secret,
    qr: qrCode(otpauth_url),
    passkey: await askBrowser(request, "registration", user),
  });
}

/** @throws NETWORK_NOT_ALLOWED for somebody who comes from elsewhere than the organization's networks */
function checkNetwork(request: LoginRequest, user: UserRow, method: LoginMethod): void {
  if (request.app.authenticator.mayCome(request.realm, user, request.exchange)) return;
  // Nobody knows any more from where a client came that has gone.
  if (!request.exchange.isGone) noteRefusal(request, user, method, "network not allowed");
  throw errors.NETWORK_NOT_ALLOWED();
}

/** Logs a browser in. Returns where it goes. A mobile application gets its key, encrypted. */
export async function finishLogIn(
  request: LoginRequest,
  user: UserRow,
  method: LoginMethod,
  to: Destination,
): Promise<RawReply> {
  const { app, realm, exchange } = request;
  const { mobileFlowOtp, desktopFlowOtp, next, links } = to;
  checkNetwork(request, user, method);
  const cameBy = links ? await linked(request, user, links) : to.cameBy;
  if (desktopFlowOtp !== undefined)
    return answerDesktop(request, user, { method, to: { next, cameBy } }, desktopFlowOtp);
  await noteLogin(request, user, method);
  await noteBrowser(request, user);
  if (mobileFlowOtp !== undefined) return answerPhone(request, user, mobileFlowOtp);
  await app.authenticator.startSession(realm, user.id, exchange, cameBy);
  return redirect(`/${placePattern.test(next) ? next : ""}`);
}

/** Links an account with who a provider said that they are. @throws BAD_REQUEST */
async function linked(request: LoginRequest, user: UserRow, links: NonNullable<Destination["links"]>): Promise<CameBy> {
  const { realm } = request;
  const { identity_id: identityId } = await realm.execute("linkByPassword", { ...links, userId: user.id });
  await keepGiven(request, user.id, links.person);
  return { identityId, providerSession: links.person.providerSession };
}

/** Lets somebody in by a program, and answers their key. @throws SECOND_FACTOR_REQUIRED where that is not enough */
export async function letProgramIn(
  request: LoginRequest,
  user: UserRow,
  method: LoginMethod,
): Promise<{ api_key: string; email: string; user_id: UserId }> {
  const { realm } = request;
  checkNetwork(request, user, method);
  const isDue = (dutyFrom(realm.state, user) ?? Infinity) <= realm.environment.clock();
  if (isDue || (await hasSecondFactor(realm, user.id))) {
    noteRefusal(request, user, method, "second factor missing");
    throw errors.SECOND_FACTOR_REQUIRED({ url: urlAsAsked(request) });
  }
  if (method === "password" || method === "directory") await noteProgram(request, user);
  await noteLogin(request, user, method);
  return { api_key: await readApiKey(realm, user), email: user.delivery_email, user_id: user.id };
}
