/** Linkifiers and code playgrounds of the organization. */

import { array, nullable, size, string } from "superstruct";
import { linkifierId, playgroundId } from "../../../actors/id-shapes.ts";
import { type LinkifierInput, renderLinkifiers } from "../../../actors/organization/changes/linkifiers.ts";
import { linkifier } from "../../../actors/organization/shapes.ts";
import { described } from "../../../actors/shape.ts";
import type { LinkifierId, PlaygroundId } from "../../../storage/ids.ts";
import { json, jsonOrText, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** A text or null, as JSON. Clients also send it bare. */
const nullableText = jsonOrText(nullable(string()));
const alternatives = json(nullable(size(array(string()), 0, 1000)));
const required = { pattern: text({ minLength: 1 }), url_template: text({ minLength: 1 }) };
const linkifierParams = {
  ...required,
  example_input: nullableText.default(null),
  reverse_template: nullableText.default(null),
  alternative_url_templates: alternatives.default(null),
};

function linkifierOf(
  params: Omit<LinkifierInput, "alternative_url_templates"> & { alternative_url_templates: string[] | null },
): LinkifierInput {
  const { pattern, url_template, example_input, reverse_template, alternative_url_templates } = params;
  return {
    pattern,
    url_template,
    example_input,
    reverse_template,
    alternative_url_templates: alternative_url_templates ?? [],
  };
}

/** The organization's linkifiers, in order. https://zulip.com/api/get-linkifiers */
export const getLinkifiers = route({
  doc: "https://zulip.com/api/get-linkifiers",
  summary: "Returns the organization's linkifiers, in the order in which they are tried.",
  auth: anyAccount,
  params: {},
  returns: { linkifiers: described(array(linkifier), "The linkifiers, in the order in which they are tried.") },
  handle({ realm }) {
    return { linkifiers: renderLinkifiers(realm.state) };
  },
});

/** Adds a linkifier. https://zulip.com/api/add-linkifier */
export const addLinkifier = route({
  doc: "https://zulip.com/api/add-linkifier",
  summary: "Adds a linkifier.",
  auth: anyAccount,
  permission: "administrator",
  params: linkifierParams,
  returns: { id: described(linkifierId(), "The linkifier's id.") },
  handle({ realm, user, params }) {
    return realm.execute("addLinkifier", { userId: user.id, linkifier: linkifierOf(params) });
  },
});

/** Changes a linkifier. https://zulip.com/api/update-linkifier */
export const updateLinkifier = route({
  doc: "https://zulip.com/api/update-linkifier",
  summary: "Changes a linkifier: what is left out stays, an empty text takes it away.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    filter_id: pathInt<LinkifierId>(),
    ...required,
    example_input: nullableText.optional(),
    reverse_template: nullableText.optional(),
    alternative_url_templates: alternatives.optional(),
  },
  returns: {},
  handle({ realm, user, params }) {
    const { filter_id, pattern, url_template, example_input, reverse_template, alternative_url_templates } = params;
    return realm.execute("updateLinkifier", {
      userId: user.id,
      id: filter_id,
      linkifier: {
        pattern,
        url_template,
        ...(example_input !== undefined && { example_input }),
        ...(reverse_template !== undefined && { reverse_template }),
        ...(alternative_url_templates !== undefined && { alternative_url_templates: alternative_url_templates ?? [] }),
      },
    });
  },
});

/** Removes a linkifier. https://zulip.com/api/remove-linkifier */
export const removeLinkifier = route({
  doc: "https://zulip.com/api/remove-linkifier",
  summary: "Removes a linkifier.",
  auth: anyAccount,
  permission: "administrator",
  params: { filter_id: pathInt<LinkifierId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeLinkifier", { userId: user.id, id: params.filter_id });
  },
});

/** Orders the linkifiers. https://zulip.com/api/reorder-linkifiers */
export const reorderLinkifiers = route({
  doc: "https://zulip.com/api/reorder-linkifiers",
  summary: "Puts the linkifiers into an order.",
  auth: anyAccount,
  permission: "administrator",
  params: { ordered_linkifier_ids: json(array(linkifierId())).describe("Ids of all linkifiers, in their new order.") },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("orderLinkifiers", { userId: user.id, ids: params.ordered_linkifier_ids });
  },
});

/** Adds a code playground. https://zulip.com/api/add-code-playground */
export const addPlayground = route({
  doc: "https://zulip.com/api/add-code-playground",
  summary: "Adds a code playground.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    name: text().describe("The playground's name."),
    pygments_language: text(),
    url_template: text({ minLength: 1 }).describe("Where the code is run: an address with `{code}`, by RFC 6570."),
  },
  returns: { id: described(playgroundId(), "The playground's id.") },
  handle({ realm, user, params }) {
    return realm.execute("addPlayground", {
      userId: user.id,
      name: params.name,
      language: params.pygments_language,
      urlTemplate: params.url_template,
    });
  },
});

/** Removes a code playground. https://zulip.com/api/remove-code-playground */
export const removePlayground = route({
  doc: "https://zulip.com/api/remove-code-playground",
  summary: "Removes a code playground.",
  auth: anyAccount,
  permission: "administrator",
  params: { playground_id: pathInt<PlaygroundId>().describe("The playground's id.") },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removePlayground", { userId: user.id, id: params.playground_id });
  },
});
