/** The organization's own settings. */

import { boolean, integer, literal, record, string } from "superstruct";
import { either } from "../../../actors/either.ts";
import { badRequest } from "../../../actors/errors.ts";
import { messageId } from "../../../actors/id-shapes.ts";
import { requireOwner } from "../../../actors/realm/access.ts";
import {
  limits,
  type RealmSetting,
  type RealmSettingName,
  realmGroupSettingNames,
  realmSettingNames,
  realmSettings,
} from "../../../actors/realm/state/settings.ts";
import { annotated, described } from "../../../actors/shape.ts";
import { recordOf } from "../../../storage/rows.ts";
import { bool, int, json, jsonOrText, oneOf, oneOfNumbers, type Param, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { groupSettingUpdate } from "../groups/setting-params.ts";

/** The request parameter of one setting. */
function settingParam({ kind, min, max, maxLength }: RealmSetting): Param<unknown> {
  if (typeof kind === "object") {
    const numbers = kind.oneOf.filter((value) => typeof value === "number");
    return numbers.length > 0
      ? oneOfNumbers(...numbers)
      : oneOf(...kind.oneOf.filter((value) => typeof value === "string"));
  }
  switch (kind) {
    case "boolean":
      return bool();
    case "integer":
      return int({ min, max });
    case "days":
    case "limit":
      return jsonOrText(
        either(
          annotated(integer(), { minimum: min ?? 0, ...(max !== undefined && { maximum: max }) }),
          literal("unlimited"),
        ),
      );
    case "channel":
      return int({ min: -1 });
    case "language":
    case "url":
      return jsonOrText(string()).declares({ ...(maxLength !== undefined && { maxLength }) });
    case "string":
      return text().declares({ ...(maxLength !== undefined && { maxLength }) });
  }
}

/** Former names of settings. */
const formerNames: Partial<Record<RealmSettingName, string[]>> = { gif_rating_policy: ["giphy_rating"] };
const settingParams = recordOf(realmSettingNames, (name) =>
  settingParam(realmSettings[name])
    .optional()
    .alias(...(formerNames[name] ?? [])),
);
const groupParams = recordOf(realmGroupSettingNames, () => groupSettingUpdate().optional());

/** The authentication methods that an organization can turn on and off. */
const authenticationMethods = ["Email"];

/** @throws BAD_REQUEST for turning off email and password, the only method there is */
function checkAuthenticationMethods(methods: Record<string, boolean>): void {
  for (const name of Object.keys(methods)) {
    if (!authenticationMethods.includes(name)) throw badRequest(`Invalid authentication method: ${name.slice(0, 50)}`);
  }
  if (!Object.values(methods).includes(true)) throw badRequest("At least one authentication method must be enabled.");
}

/** Changes settings of the organization. Either all changes are made or none. https://zulip.com/api/update-realm */
export const updateRealm = route({
  doc: "https://zulip.com/help/customize-organization-settings",
  summary: "Changes the organization's settings: all that are given, or none.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    name: text()
      .declares({ minLength: 1, maxLength: limits.realmName })
      .optional()
      .describe("The organization's name."),
    authentication_methods: json(record(string(), boolean()))
      .optional()
      .describe("Which ways to log in are open; there is `Email`."),
    ...settingParams,
    description: settingParams.description.describe(
      "What the organization is, in Markdown: shown before people log in.",
    ),
    default_language: settingParams.default_language.describe("The language of new accounts, such as `en` or `de`."),
    ...groupParams,
  },
  returns: {},
  async handle({ realm, user, params }) {
    if (params.authentication_methods !== undefined) {
      requireOwner(user);
      checkAuthenticationMethods(params.authentication_methods);
    }
    const given: Readonly<Record<string, unknown>> = params;
    const pick = (names: readonly string[]) =>
      Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
    return realm.execute("updateRealm", {
      userId: user.id,
      name: params.name,
      settings: pick(realmSettingNames),
      groups: pick(realmGroupSettingNames) as never,
    });
  },
});

/** Shows how a welcome text will look. https://zulip.com/api/test-welcome-bot-custom-message */
export const testWelcomeMessage = route({
  doc: "https://zulip.com/api/test-welcome-bot-custom-message",
  summary: "Has Welcome Bot send the caller a text that newcomers are to be welcomed with.",
  auth: anyAccount,
  permission: "administrator",
  params: { welcome_message_custom_text: text({ maxLength: limits.welcomeText }) },
  returns: { message_id: described(messageId(), "The message that Welcome Bot sent.") },
  handle({ realm, user, params }) {
    return realm.execute("testWelcomeText", { userId: user.id, text: params.welcome_message_custom_text });
  },
});

/** Deactivates the organization. https://zulip.com/help/deactivate-your-organization */
export const deactivateRealm = route({
  doc: "https://zulip.com/help/deactivate-your-organization",
  summary: "Closes the organization: every later request is refused.",
  auth: anyAccount,
  permission: "owner",
  params: {},
  returns: {},
  handle({ realm, user }) {
    return realm.execute("deactivateRealm", { userId: user.id });
  },
});
