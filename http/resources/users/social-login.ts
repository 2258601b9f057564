/**
 * Logging in by a provider of identities:
 *
 *     /accounts/login/social/NAME/ ─► the provider ─► /complete/NAME/ ─► in, or asked whose account it is
 *
 * A cookie that only the server can read has what belongs together on the way. Its state is good once, for minutes.
 */
import { badRequest, errors } from "../../../actors/errors.ts";
import { linkedUser, noteUsed } from "../../../actors/identities/identities.ts";
import type { Flow } from "../../../actors/identities/open-id-requests.ts";
import { findProvider } from "../../../actors/identities/organization-providers.ts";
import { callbackPath, type Provider } from "../../../actors/identities/providers.ts";
import { spendToken } from "../../../actors/users/jwt.ts";
import { openState, sealState } from "../../../actors/users/second-factors/sealed-state.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { ownCookie, setCookie } from "../../api/cookies.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { pathText, text } from "../../api/params.ts";
import type { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { loginPage } from "../../pages/login-page.ts";
import { orRefused, redirect } from "../../pages/page.ts";
import { keepGiven } from "./given-groups.ts";
import { arrive } from "./identity-pages.ts";
import {
  type Destination,
  destinationParams,
  type LoginRequest,
  letBrowserIn,
  loginForm,
  readDestination,
} from "./log-in.ts";
import { noteRefusal } from "./login-notes.ts";

const flowCookie = "log-in";
const flowPurpose = "log-in by a provider";
/** How long somebody may take at the provider, who may have to find a password and a second factor. */
const flowSecs = 1200;
/** Characters of a place in the page that is kept on the way: a cookie is small. */
const maxPlace = 1000;

interface KeptFlow {
  provider: string;
  flow: Flow;
  destination: Destination;
}

const providerParams = { provider: pathText().describe("The provider's name in the server's settings.") };
const doc = "README.md";

/** Sends a browser to a provider. Who has no account there begins alike. */
const begin = route({
  doc,
  summary: "Sends a browser to a provider of identities, by which its person logs in or joins.",
  auth: ["anybody"],
  redirects: "To the provider.",
  refusesWithPages: true,
  params: { ...providerParams, ...destinationParams },
  handle({ app, realm, params, client, exchange }) {
    const request = { app, realm, client, exchange };
    return shown(request, undefined, async () => {
      const destination = readDestination(params);
      const provider = accessProvider(request, params.provider);
      const redirectUri = `${urlAsAsked(request)}${callbackPath(provider)}`;
      const { url, flow } = await app.openIdClient.begin(realm, provider, redirectUri);
      const next = destination.next.length > maxPlace ? "" : destination.next;
      const kept: KeptFlow = { provider: provider.name, flow, destination: { ...destination, next } };
      keep(request, sealState(realm, flowPurpose, kept, flowSecs), flowSecs);
      return redirect(url);
    });
  },
});
export const getSocialLogin = begin;
export const getSocialSignup = begin;

/** Takes a browser that comes back from a provider. */
export const completeSocialLogin = route({
  doc,
  summary: "Takes a browser back that a provider of identities sends, and logs its person in.",
  auth: ["anybody"],
  redirects: "Into the page, or to the application that asked.",
  refusesWithPages: true,
  params: providerParams,
  handle({ app, realm, params, client, exchange }) {
    const request = { app, realm, client, exchange };
    const cookie = ownCookie(exchange.cookie, flowCookie) ?? "";
    const kept = openState<KeptFlow>(realm, flowPurpose, cookie);
    return shown(request, kept?.value.destination, async (isAbout) => {
      const provider = accessProvider(request, params.provider);
      const isOurs =
        kept?.value.provider === provider.name &&
        new URLSearchParams(exchange.query).get("state") === kept.value.flow.state;
      if (!isOurs) throw staleFlow(provider);
      keep(request, "", 0);
      const { flow, destination } = kept.value;
      if (!(await spendToken(realm, `state ${flow.state}`, kept.until))) throw staleFlow(provider);
      const person = await app.openIdClient.finish(realm, provider, flow, exchange.query);
      const linked = await linkedUser(realm, person);
      if (!linked) return arrive(request, { provider: provider.name, person, destination });
      isAbout(linked.user);
      if (!linked.user.is_active) throw errors.USER_DEACTIVATED();
      await noteUsed(realm, linked.identity.id, person.email);
      await keepGiven(request, linked.user.id, person);
      const cameBy = { identityId: linked.identity.id, providerSession: person.providerSession };
      const user = realm.state.users.get(linked.user.id) ?? linked.user;
      return letBrowserIn(request, user, "identity", { ...destination, cameBy });
    });
  },
});

/** Characters of a token. Providers' have about a thousand. */
const maxToken = 8_000;

/** Ends what somebody opened who has logged out at a provider, as the provider itself says. */
export const takeLogout = route({
  doc,
  summary: "Ends the log-ins of whoever has logged out at a provider of identities, which signs that they have.",
  auth: ["anybody"],
  // A provider tells of everybody's log-out from one address, and what it did not sign costs a check of its signature.
  rateLimit: "none",
  maxBodyBytes: 16 * 1024,
  params: { ...providerParams, logout_token: text({ maxLength: maxToken }) },
  async handle({ app, realm, params }) {
    const provider = findProvider(realm.state, params.provider);
    if (!provider) throw badRequest("Nobody logs in here by that provider.");
    const { id, until, ...of } = await app.openIdClient.loggedOut(realm, provider, params.logout_token);
    if (!(await spendToken(realm, `logout ${of.issuer} ${id}`, until))) throw badRequest("Bad logout token.");
    await realm.execute("endProviderSessions", of);
    return {};
  },
});

const staleFlow = ({ displayName }: Provider) =>
  errors.AUTHENTICATION_FAILED(`This log-in by ${displayName} did not begin here, or is over. Please begin again.`);

function accessProvider({ realm }: LoginRequest, name: string): Provider {
  const provider = findProvider(realm.state, name);
  if (!provider) throw errors.AUTHENTICATION_FAILED("Nobody logs in here by that provider.");
  return provider;
}

function keep({ realm, exchange }: LoginRequest, value: string, maxAgeSecs: number): void {
  exchange.headers.push(setCookie(realm.state.url, { name: flowCookie, value, maxAgeSecs }));
}

/**
 * What was asked for, or the page on which people log in another way, with what is wrong.
 *
 * @param show calls `isAbout` once it knows whose account it is, which the audit log is told with a refusal
 */
const shown = (
  request: LoginRequest,
  destination: Destination | undefined,
  show: (isAbout: (user: UserRow) => void) => Promise<RawReply>,
): Promise<RawReply> => {
  let user: UserRow | undefined;
  const isAbout = (known: UserRow) => {
    user = known;
  };
  return orRefused(
    request,
    () => show(isAbout),
    async (refused, { code }) => {
      if (["AUTHENTICATION_FAILED", "USER_DEACTIVATED"].includes(code)) noteRefusal(request, user, "identity", code);
      return loginPage({ ...(await loginForm(request, destination)), ...refused });
    },
  );
};
