/** Domains of email addresses that may join the organization. */

import { array, string, tuple } from "superstruct";
import { domainId } from "../../../actors/id-shapes.ts";
import { renderDomains } from "../../../actors/organization/changes/domains.ts";
import { domain } from "../../../actors/organization/shapes.ts";
import { annotated, described } from "../../../actors/shape.ts";
import { bool, pathText, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** The allowed domains. https://zulip.com/help/restrict-account-creation */
export const getDomains = route({
  doc: "https://zulip.com/help/restrict-account-creation",
  summary: "Returns the domains whose addresses may join.",
  auth: anyAccount,
  params: {},
  returns: { domains: described(array(domain), "The domains.") },
  handle({ realm }) {
    return { domains: renderDomains(realm.state) };
  },
});

/** Allows a domain. https://zulip.com/help/restrict-account-creation */
export const addDomain = route({
  doc: "https://zulip.com/help/restrict-account-creation",
  summary: "Allows addresses of a domain to join.",
  auth: anyAccount,
  permission: "owner",
  params: { domain: text(), allow_subdomains: bool() },
  returns: {
    new_domain: described(
      annotated(tuple([domainId(), string()]), {
        type: "array",
        prefixItems: [{ type: "integer" }, { type: "string" }],
        items: false,
      }),
      "The domain's id and the domain.",
    ),
  },
  handle({ realm, user, params }) {
    return realm.execute("addDomain", {
      userId: user.id,
      domain: params.domain,
      allowSubdomains: params.allow_subdomains,
    });
  },
});

/** Changes an allowed domain. https://zulip.com/help/restrict-account-creation */
export const updateDomain = route({
  doc: "https://zulip.com/help/restrict-account-creation",
  summary: "Changes whether an allowed domain stands for its subdomains too.",
  auth: anyAccount,
  permission: "owner",
  params: { domain: pathText(), allow_subdomains: bool() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateDomain", {
      userId: user.id,
      domain: params.domain,
      allowSubdomains: params.allow_subdomains,
    });
  },
});

/** Removes an allowed domain. https://zulip.com/help/restrict-account-creation */
export const removeDomain = route({
  doc: "https://zulip.com/help/restrict-account-creation",
  summary: "Takes a domain off the list of allowed ones.",
  auth: anyAccount,
  permission: "owner",
  params: { domain: pathText() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeDomain", { userId: user.id, domain: params.domain });
  },
});
