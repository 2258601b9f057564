/**
 * Pages for somebody whom a provider of identities has named and nobody here knows. They get an account, or show whose
 * it is: by its password here, or by a link that is sent to its address.
 */
import { ApiError, badRequest, errors } from "../../../actors/errors.ts";
import type { Person } from "../../../actors/identities/claims.ts";
import { identityLinkPath, providerName, readIdentityLink } from "../../../actors/identities/identities.ts";
import { openState, sealState } from "../../../actors/users/second-factors/sealed-state.ts";
import type { IdentityId, UserId } from "../../../storage/ids.ts";
import { pathText, text } from "../../api/params.ts";
import { type RawReply, retryHeaders } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { arrivalPage, confirmIdentityPage, identityLinkSentPage } from "../../pages/identity-pages.ts";
import { deadLinkPage, linkUsedPage } from "../../pages/link-pages.ts";
import { checkOrigin } from "../../pages/page.ts";
import { refusalIn } from "../../pages/words/refusals/refusals.ts";
import { languageAsked, pageWords } from "../../pages/words/words.ts";
import { keepGiven } from "./given-groups.ts";
import { type Destination, type LoginMethod, type LoginRequest, letBrowserIn } from "./log-in.ts";
import { accessAccountByPassword } from "./password-login.ts";

const doc = "README.md";
const arrivalPurpose = "arrival by a provider";
/** How long somebody may take to show whose account it is. An application on a phone waits as long for its key. */
const arrivalSecs = 3600;
/** Bytes of a form: what is sealed has up to a few thousand. */
const maxFormBytes = 32 * 1024;
const maxEmail = 254;
const maxTyped = 1000;

/** Somebody from a provider who is not linked with an account yet. */
interface Arrival {
  provider: string;
  person: Person;
  destination: Destination;
  /** How they showed who they are, where that was no provider's page. */
  method?: LoginMethod;
  /** Whose account it is said to be. */
  asked?: { userId: UserId; identityId: IdentityId };
  /** They may join, but for their name. */
  mayJoin?: boolean;
}

/** Gives somebody an account, or asks whose it is. @throws USER_DEACTIVATED, BAD_REQUEST */
export async function arrive(request: LoginRequest, arrival: Arrival, fullName?: string): Promise<RawReply> {
  const { realm } = request;
  const { provider, person, destination } = arrival;
  try {
    const came = await realm.execute("comeByIdentity", { provider, person, fullName });
    if (came.kind === "in") {
      await keepGiven(request, came.user_id, person, true);
      return await letBrowserIn(request, realm.state.knownUser(came.user_id), arrival.method ?? "identity", {
        ...destination,
        cameBy: { identityId: came.identity_id, providerSession: person.providerSession },
      });
    }
    return shownTo(request, { ...arrival, asked: { userId: came.user_id, identityId: came.identity_id } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "AUTHENTICATION_FAILED") return shownTo(request, arrival, error);
    // Their name, or their address, is refused.
    if (error.code === "BAD_REQUEST") return shownTo(request, { ...arrival, mayJoin: true }, error);
    throw error;
  }
}

function shownTo(request: LoginRequest, arrival: Arrival, error?: ApiError, email?: string): RawReply {
  const { state } = request.realm;
  const language = languageAsked(request.exchange, state);
  const user = arrival.asked && state.users.get(arrival.asked.userId);
  return arrivalPage({
    language,
    realmName: state.row.name,
    provider: providerName(state, arrival),
    arrival: sealState(request.realm, arrivalPurpose, arrival, arrivalSecs),
    account: user && { email: user.delivery_email, canMail: state.server.sendsEmail === true },
    join: arrival.mayJoin ? { fullName: arrival.person.fullName } : undefined,
    ...(email !== undefined && { email }),
    ...(error && { error: refusalIn(language, error), status: error.status }),
  });
}

const arrivalParams = { arrival: text({ maxLength: 20_000 }).default("") };

/** Does what a form asks for. What is refused is told on the same page. */
async function answered(
  request: LoginRequest,
  sealed: string,
  answer: (arrival: Arrival) => Promise<RawReply>,
  email?: string,
): Promise<RawReply> {
  const arrival = openState<Arrival>(request.realm, arrivalPurpose, sealed)?.value;
  if (!arrival) return deadLinkPage(languageAsked(request.exchange, request.realm.state));
  try {
    checkOrigin(request.exchange);
    return await answer(arrival);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    request.exchange.headers.push(...retryHeaders(error));
    return shownTo(request, arrival, error, email);
  }
}

export const submitIdentityPassword = route({
  doc,
  summary: "Links a log-in at a provider with the account whose password is given, and logs its person in.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: {
    ...arrivalParams,
    username: text({ maxLength: maxEmail }).default(""),
    password: text({ maxLength: maxTyped }).default(""),
  },
  handle({ app, realm, params, client, exchange }) {
    const request = { app, realm, client, exchange };
    const link = async ({ provider, person, destination }: Arrival) => {
      const user = await accessAccountByPassword(request, params.username, params.password);
      // Whoever has a second factor shows it before anything is linked.
      return letBrowserIn(request, user, "password", { ...destination, links: { provider, person } });
    };
    return answered(request, params.arrival, link, params.username);
  },
});

export const submitIdentityMail = route({
  doc,
  summary: "Sends a link to the account's address by which a log-in at a provider is linked with it.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: arrivalParams,
  handle({ app, realm, params, client, exchange }) {
    const request = { app, realm, client, exchange };
    return answered(request, params.arrival, async ({ asked }) => {
      if (!asked) throw badRequest("There is nobody to send a link to.");
      await countSending(request, asked.userId);
      await realm.execute("sendIdentityLink", { identityId: asked.identityId });
      return identityLinkSentPage(languageAsked(exchange, realm.state), realm.state.row.name);
    });
  },
});

/** @throws RATE_LIMIT_HIT after a few emails to one account */
async function countSending({ app, realm, exchange }: LoginRequest, userId: UserId): Promise<void> {
  const limiter = app.rateLimiters.of(realm);
  const address = exchange.remoteAddress(app.config.trustedProxies);
  // These limits always apply: each request sends an email.
  for (const allowance of [
    await limiter.takeShared("reset_password_by_ip", { realmId: realm.id, address }),
    await limiter.takeShared("reset_password_by_username", `${realm.id}:${userId}`),
  ])
    if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}

export const submitIdentityJoin = route({
  doc,
  summary: "Makes an account for somebody from a provider, with a name of their choice.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: { ...arrivalParams, full_name: text({ maxLength: maxTyped }).default("") },
  handle({ app, realm, params, client, exchange }) {
    const request = { app, realm, client, exchange };
    return answered(request, params.arrival, (arrival) => arrive(request, arrival, params.full_name));
  },
});

const linkParams = { token: pathText() };
const actionOf = (token: string): string => `${identityLinkPath}${encodeURIComponent(token)}/`;

export const getIdentityLinkPage = route({
  doc,
  summary: "A page on which somebody links a log-in at a provider with their account, by a link that was sent to them.",
  auth: ["anybody"],
  params: linkParams,
  async handle({ realm, params: { token }, exchange }) {
    const link = await readIdentityLink(realm, token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    const { state } = realm;
    const { email, told } = link;
    const provider = providerName(state, link);
    const language = languageAsked(exchange, state);
    return confirmIdentityPage({
      language,
      realmName: state.row.name,
      provider,
      action: actionOf(token),
      email,
      told,
    });
  },
});

export const submitIdentityLinkPage = route({
  doc,
  summary: "Links a log-in at a provider with an account, by a link that was sent to its address.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: linkParams,
  async handle({ realm, params: { token }, exchange }) {
    const link = await readIdentityLink(realm, token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    checkOrigin(exchange);
    await realm.execute("linkByMail", { token });
    const language = languageAsked(exchange, realm.state);
    const what = pageWords(language).linkedNow(providerName(realm.state, link));
    return linkUsedPage(language, realm.state.row.name, what);
  },
});
