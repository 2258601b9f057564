/** Sessions of browsers. Programs have none: they send their key with each request. */
import { integer } from "superstruct";
import { countSessions } from "../../../actors/users/sessions.ts";
import { route } from "../../api/route.ts";

export const getSessions = route({
  doc: "README.md",
  summary: "Says in how many browsers the caller is logged in.",
  auth: ["cookie"],
  params: {},
  returns: { count: integer() },
  async handle({ realm, user }) {
    return { count: await countSessions(realm, user.id) };
  },
});

export const endOwnSession = route({
  doc: "README.md",
  summary: "Logs the caller's browser out.",
  auth: ["cookie"],
  params: {},
  returns: {},
  async handle({ app, realm, exchange }) {
    await app.authenticator.endSession(realm, exchange);
    return {};
  },
});

export const endOtherSessions = route({
  doc: "README.md",
  summary: "Logs the caller out in every browser but this one.",
  auth: ["cookie"],
  params: {},
  returns: { ended: integer() },
  async handle({ app, realm, user, exchange }) {
    return { ended: await app.authenticator.endOtherSessions(realm, user.id, exchange) };
  },
});
