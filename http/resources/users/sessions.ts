/** Sessions of browsers. Programs have none: they send their key with each request. */
import { array, integer, optional, string } from "superstruct";
import { programIn } from "../../../actors/email/words/words.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { described } from "../../../actors/shape.ts";
import { readSessions } from "../../../actors/users/changes/sessions.ts";
import { accessSessions } from "../../../actors/users/changes/sessions-of-others.ts";
import { sessionRecord } from "../../../actors/users/shapes.ts";
import type { SessionId, UserId } from "../../../storage/ids.ts";
import type { LogIn } from "../../api/auth.ts";
import { pathInt } from "../../api/params.ts";
import { clientName } from "../../api/pipeline.ts";
import { anyAccount, route } from "../../api/route.ts";
import { programAndSystem } from "./devices.ts";
import { checkIdentity } from "./identity.ts";
import { providerLogOut } from "./provider-log-out.ts";

export const getSessions = route({
  doc: "README.md",
  summary:
    "Lists the browsers in which the caller is logged in, the one seen last first. When one was seen is noted about once an hour.",
  auth: anyAccount,
  params: {},
  returns: { sessions: described(array(sessionRecord), "The log-ins of browsers, the one seen last first.") },
  handle: async ({ realm, user, session }) => ({ sessions: await listed(realm, user.id, session) }),
});

/** Other programs than the page know the one of English. */
function namesOf(userAgent: string) {
  const names = programAndSystem(userAgent, clientName(userAgent));
  return { client: programIn("en", names), ...names };
}

async function listed(realm: ServedRealm, userId: UserId, asking: LogIn | undefined) {
  const rows = await readSessions(realm, userId);
  return rows.map(({ id, user_agent, ip_address, date_created, last_seen, expires_at }) => ({
    id,
    ...namesOf(user_agent),
    user_agent,
    ip_address,
    date_created,
    last_seen,
    expires_at,
    is_current: id === asking?.id,
  }));
}

export const getSessionsOfUser = route({
  doc: "README.md",
  summary: "Lists the browsers in which somebody is logged in, for administrators; an owner's, for owners.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: { sessions: described(array(sessionRecord), "The log-ins of browsers, the one seen last first.") },
  async handle({ realm, user, session, params }) {
    const { id } = accessSessions(realm.state, user, params.user_id);
    return { sessions: await listed(realm, id, session) };
  },
});

export const endSessionsOfUser = route({
  doc: "README.md",
  summary:
    "Logs somebody out in every browser, as an administrator; an owner, as an owner. Their event queues, polls and streams " +
    "end at once. API keys go on.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: { ended: described(integer(), "How many log-ins were ended.") },
  async handle(request) {
    const { app, realm, user, session, params, exchange } = request;
    checkIdentity(request);
    const reply = await realm.execute("endSessionsOfUser", { actorId: user.id, userId: params.user_id });
    if (session && params.user_id === user.id) app.authenticator.removeCookies(realm, exchange);
    return reply;
  },
});

export const endSession = route({
  doc: "README.md",
  summary: "Logs the caller out in one browser. Its event queues, polls and streams end at once.",
  auth: anyAccount,
  params: { session_id: pathInt<SessionId>().describe("The log-in's id.") },
  returns: {},
  async handle({ app, realm, user, session, params, exchange }) {
    await realm.execute("endSession", { actorId: user.id, id: params.session_id });
    if (params.session_id === session?.id) app.authenticator.removeCookies(realm, exchange);
    return {};
  },
});

export const endOtherSessions = route({
  doc: "README.md",
  summary: "Logs the caller out in every browser but the one that asks, and says in how many.",
  auth: anyAccount,
  params: {},
  returns: { ended: described(integer(), "How many were logged out.") },
  handle: ({ realm, user, session }) => realm.execute("endOtherSessions", { actorId: user.id, keptId: session?.id }),
});

export const endOwnSession = route({
  doc: "README.md",
  summary: "Logs the caller's browser out.",
  auth: ["cookie"],
  params: {},
  returns: {
    logout_url: described(optional(string()), "Where the person logs out at the provider by which they came."),
  },
  async handle(request) {
    const { app, realm, user, session, exchange } = request;
    const logout_url = await providerLogOut(request);
    if (session) await realm.execute("endSession", { actorId: user.id, id: session.id });
    app.authenticator.removeCookies(realm, exchange);
    return logout_url === undefined ? {} : { logout_url };
  },
});
