/** People's own settings, and the defaults for new accounts. */

import { array, boolean, object, optional, string } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { groupId, userId } from "../../../actors/id-shapes.ts";
import { annotated, described } from "../../../actors/shape.ts";
import { fullNameLengths } from "../../../actors/users/changes/accounts.ts";
import type { SettingValues } from "../../../actors/users/changes/settings.ts";
import { checkNewPassword, passwordRules } from "../../../actors/users/passwords/new-password.ts";
import { hashNewPassword } from "../../../actors/users/passwords.ts";
import {
  isSettingValue,
  type UserSettingValue,
  userSettingDefaults,
  userSettingNames,
} from "../../../actors/users/settings/setting-values.ts";
import { type UserSetting, userSettings } from "../../../actors/users/settings/settings.ts";
import { userSettingDefaultsShape } from "../../../actors/users/settings/shapes.ts";
import { recordOf } from "../../../storage/rows.ts";
import { bool, int, json, jsonOrText, type Param, type ParamsOf, text } from "../../api/params.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";
import { confirmPassword } from "./password-login.ts";

/** A word. Some clients put quotes around it. */
function word(setting: UserSetting): Param<string> {
  return jsonOrText(setting.oneOf ? annotated(string(), { enum: setting.oneOf }) : string());
}

/** Its values are checked with all others, by `checkUserSetting`. */
const number = ({ oneOf, min, max }: UserSetting): Param<number> =>
  int().declares({
    ...(oneOf && { enum: oneOf }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  });

function paramOf(setting: UserSetting): Param<UserSettingValue | undefined> {
  const kind = typeof setting.default;
  const param = kind === "boolean" ? bool() : kind === "number" ? number(setting) : word(setting);
  return (param as Param<UserSettingValue>).optional().describe(setting.words);
}

/** One parameter for each setting. */
const settingParams = recordOf(userSettingNames, (name) => paramOf(userSettings[name]));
const ownParams = {
  ...settingParams,
  full_name: text().declares(fullNameLengths).optional(),
  email: text().optional().describe("Another address. Where the server sends mail, a link there has to confirm it."),
  timezone: text({ maxLength: 40 }).optional(),
  old_password: text()
    .optional()
    .describe("The caller's password. It is needed for another one, and in a browser for another address."),
  new_password: text().optional().describe("Another password."),
  target_users: json(
    object({
      user_ids: described(optional(array(userId())), "Ids of people."),
      group_ids: described(optional(array(groupId())), "Ids of groups, whose members they are."),
      skip_if_already_edited: described(
        optional(boolean()),
        "Whether to leave alone what people have chosen themselves.",
      ),
    }),
  )
    .optional()
    .describe("Whose settings an administrator changes, instead of their own."),
};

/** Settings that nobody else may change, not even administrators. */
const ownOnly = ["full_name", "email", "timezone", "old_password", "new_password"] as const;

function chosenSettings(params: Record<string, unknown>): SettingValues {
  const chosen: SettingValues = {};
  for (const name of userSettingNames) {
    const value = params[name];
    if (isSettingValue(value)) chosen[name] = value;
  }
  return chosen;
}

async function updateSettings(request: ApiRequest<typeof ownParams>): Promise<Record<string, never>> {
  const { realm, user, session, key, params, app, exchange } = request;
  if (params.target_users !== undefined) return updateOthers(request, params.target_users);
  const { full_name, email, timezone, new_password } = params;
  const changesAddress = (email?.trim() ?? "") !== "" && email !== user.delivery_email;
  if (changesAddress) await countAddressChange(request);
  const rules = passwordRules(realm.state, {
    email: email || user.delivery_email,
    fullName: full_name ?? user.full_name,
  });
  if (new_password) checkNewPassword(new_password, rules);
  // A log-in alone must not hand the account to somebody else.
  if (new_password || (changesAddress && (session || key))) await confirmPassword(request, params.old_password);
  const passwordHash = new_password ? await hashNewPassword(new_password, rules) : undefined;
  const reply = await realm.execute("updateSettings", {
    userId: user.id,
    settings: chosenSettings(params),
    fullName: full_name,
    // Browsers send their whole form, including empty fields.
    email: email === "" ? undefined : email,
    timezone,
    passwordHash,
    sessionId: session?.id,
  });
  // A new password ends every other log-in. The browser that set it is given another token.
  if (passwordHash !== undefined && session) await app.authenticator.renewSession(realm, session, exchange);
  return reply;
}

async function updateOthers(
  { realm, user, params }: ApiRequest<typeof ownParams>,
  { user_ids, group_ids, skip_if_already_edited }: NonNullable<ParamsOf<typeof ownParams>["target_users"]>,
): Promise<Record<string, never>> {
  if (user_ids === undefined && group_ids === undefined)
    throw badRequest("target_users names neither users nor groups");
  for (const name of ownOnly)
    if (params[name] !== undefined) throw badRequest(`${name} cannot be changed for others with target_users`);
  return realm.execute("updateSettingsOf", {
    actorId: user.id,
    userIds: user_ids ?? [],
    groupIds: group_ids ?? [],
    skipsEdited: skip_if_already_edited ?? false,
    settings: chosenSettings(params),
  });
}

/** Each attempt tells whether an address is taken, so attempts are limited. @throws RATE_LIMIT_HIT */
async function countAddressChange({ app, realm, user }: ApiRequest<typeof ownParams>): Promise<void> {
  if (!app.config.hasRateLimits) return;
  const allowance = await app.rateLimiters.of(realm).takeShared("change_email", String(user.id));
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}

/** https://zulip.com/api/update-settings */
export const patchSettings = route({
  doc: "https://zulip.com/api/update-settings",
  summary: "Changes the caller's own settings, name, address or password; with target_users, the settings of others.",
  auth: anyAccount,
  params: ownParams,
  returns: {},
  async handle(request: ApiRequest<typeof ownParams>) {
    await updateSettings(request);
    return {};
  },
});

/** The default settings of new accounts. */
export const getUserSettingsDefaults = route({
  doc: "https://zulip.com/api/update-realm-user-settings-defaults",
  summary: "Returns the settings that new accounts begin with.",
  auth: anyAccount,
  params: {},
  returns: { realm_user_settings_defaults: userSettingDefaultsShape },
  handle: ({ realm }) => ({ realm_user_settings_defaults: userSettingDefaults(realm.state) }),
});

/** Changes the default settings of new accounts. https://zulip.com/api/update-realm-user-settings-defaults */
export const patchUserSettingsDefaults = route({
  doc: "https://zulip.com/api/update-realm-user-settings-defaults",
  summary: "Changes the settings that new accounts begin with.",
  auth: anyAccount,
  permission: "administrator",
  params: settingParams,
  returns: {},
  handle: ({ realm, user, params }: ApiRequest<typeof settingParams>) =>
    realm.execute("updateUserDefaults", { userId: user.id, settings: chosenSettings(params) }),
});
