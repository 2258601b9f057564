/** What clients ask before they use a server: whether it is compatible, and which subdomains are free. */
import { string } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { described } from "../../../actors/shape.ts";
import { pathText } from "../../api/params.ts";
import { route } from "../../api/route.ts";

/** Clients use this name to test how they are refused. */
const refusedClient = /^ZulipInvalid\b/;

/** https://zulip.com/api/http-headers */
export const getCompatibility = route({
  doc: "https://zulip.com/api/http-headers",
  summary: "Tells a client whether this server takes its version, as it tells it in its User-Agent.",
  auth: ["anybody"],
  params: {},
  returns: {},
  handle({ exchange }) {
    if (refusedClient.test(exchange.userAgent)) throw badRequest("Client is too old");
    return {};
  },
});

/** A label of a host name: letters, digits, and dashes between them. Source: RFC 1035, 2.3.1. */
const subdomainPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether an organization may be created under a subdomain. `msg` is `available`, or the reason why not. */
export const getSubdomain = route({
  doc: "https://zulip.com/help/create-your-organization-profile",
  summary: "Tells whether a subdomain is free for an organization: msg is `available`, or why it is not.",
  auth: ["anybody"],
  params: { subdomain: pathText().describe("The name in question.") },
  returns: { msg: described(string(), "`available`, or why it is not.") },
  async handle({ app, params }) {
    const { subdomain } = params;
    if (!subdomainPattern.test(subdomain))
      return { msg: "A subdomain has only lower-case letters, digits and dashes." };
    const { hostname } = new URL(app.config.externalUrl);
    const isTaken = await app.system.hasHost(`${subdomain}.${hostname}`);
    return { msg: isTaken ? "Subdomain is already in use." : "available" };
  },
});
