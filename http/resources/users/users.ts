/** Accounts: reading, creating and changing them. */

import { array, boolean, nullable, object, optional, string } from "superstruct";
import { either } from "../../../actors/either.ts";
import { walkWritten } from "../../../actors/erasure/written.ts";
import { messageId, profileFieldId, userId } from "../../../actors/id-shapes.ts";
import { accessUser, accessUserByEmail } from "../../../actors/realm/access.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { described } from "../../../actors/shape.ts";
import { fullNameLengths } from "../../../actors/users/changes/accounts.ts";
import { maxEmailLength } from "../../../actors/users/changes/address.ts";
import { visibleUsers } from "../../../actors/users/known-people.ts";
import { readOwnUser } from "../../../actors/users/own-user.ts";
import { passwordRules } from "../../../actors/users/passwords/new-password.ts";
import { hashNewPassword } from "../../../actors/users/passwords.ts";
import { renderUser } from "../../../actors/users/record.ts";
import { type UserRecord, userFields, userRecord } from "../../../actors/users/shapes.ts";
import type { UserId } from "../../../storage/ids.ts";
import { roleNumbers, roles, type UserRow } from "../../../storage/rows.ts";
import { bool, json, oneOfNumbers, pathInt, pathText, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { removeAvatarFile } from "./avatars.ts";
import { checkIdentity } from "./identity.ts";

/** An email address contains an @, so digits alone are an id. */
const isId = (name: string): boolean => /^\d{1,15}$/.test(name);

/** The account that a path names by id or email. @throws BAD_REQUEST for an unknown email */
function idOf(state: RealmState, caller: UserRow, name: string): UserId {
  return isId(name) ? Number(name) : accessUserByEmail(state, caller, name).id;
}

const viewParams = {
  client_gravatar: bool().default(true),
  include_custom_profile_fields: bool().default(false).describe("Whether to tell values of custom profile fields."),
};

/** All accounts that the caller may see. https://zulip.com/api/get-users */
export const getUsers = route({
  doc: "https://zulip.com/api/get-users",
  summary: "Lists the accounts of the organization.",
  auth: anyAccount,
  params: { ...viewParams, user_ids: json(array(userId())).optional().describe("Only these accounts.") },
  returns: { members: described(array(userRecord), "The accounts.") },
  handle({ realm: { state }, user, params }) {
    const wanted = params.user_ids && new Set(params.user_ids);
    const members: UserRecord[] = [];
    for (const person of visibleUsers(state, user)) {
      if (person.is_system_bot || (wanted && !wanted.has(person.id))) continue;
      members.push(
        renderUser(state, person, user, {
          clientGravatar: params.client_gravatar,
          includeProfileData: params.include_custom_profile_fields,
        }),
      );
    }
    return { members };
  },
});

/** One account, by id or address. https://zulip.com/api/get-user https://zulip.com/api/get-user-by-email */
export const getUser = route({
  doc: "https://zulip.com/api/get-user-by-email",
  summary: "Returns one account, by its id, its real address where the caller may see it, or its placeholder address.",
  auth: anyAccount,
  params: { user: pathText(), ...viewParams },
  returns: { user: described(userRecord, "The account.") },
  handle({ realm: { state }, user, params }) {
    const person = isId(params.user)
      ? accessUser(state, user, Number(params.user))
      : accessUserByEmail(state, user, params.user);
    return {
      user: renderUser(state, person, user, {
        clientGravatar: params.client_gravatar,
        includeProfileData: params.include_custom_profile_fields,
      }),
    };
  },
});

/** The caller's own account. https://zulip.com/api/get-own-user */
export const getOwnUser = route({
  doc: "https://zulip.com/api/get-own-user",
  summary: "Returns the caller's own account.",
  auth: anyAccount,
  params: {},
  returns: { ...userFields, avatar_url: string(), max_message_id: messageId() },
  handle: ({ realm, user }) => readOwnUser(realm, user),
});

/** Adds an account. https://zulip.com/api/create-user */
export const createUser = route({
  doc: "https://zulip.com/api/create-user",
  summary: "Creates an account with an email, a password and a name.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    email: text().declares({ maxLength: maxEmailLength }).describe("The new account's address."),
    password: text().declares({ maxLength: limits.passwordMax }).describe("The new account's password."),
    full_name: text().declares(fullNameLengths),
  },
  returns: { user_id: userId() },
  async handle({ realm, user, params }) {
    const rules = passwordRules(realm.state, { email: params.email, fullName: params.full_name });
    const passwordHash = await hashNewPassword(params.password, rules);
    return realm.execute("createUser", {
      actorId: user.id,
      email: params.email,
      fullName: params.full_name,
      passwordHash,
      role: roles.member,
    });
  },
});

/** Values of custom profile fields, from administrators and from people themselves. */
export const profileDataParam = () =>
  json(
    array(
      object({
        id: described(profileFieldId(), "The field's id."),
        value: described(
          nullable(either(string(), array(userId()))),
          "The value: a text, or for fields of people a list of their ids.",
        ),
      }),
    ),
  );

/** Changes somebody's account. https://zulip.com/api/update-user https://zulip.com/api/update-user-by-email */
export const updateUser = route({
  doc: "https://zulip.com/api/update-user",
  summary: "Changes the name, role, profile or address of an account, which its id or its address names.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    user: pathText(),
    full_name: text().declares(fullNameLengths).optional(),
    role: oneOfNumbers(...roleNumbers).optional(),
    profile_data: profileDataParam()
      .optional()
      .describe("Values of custom profile fields: each `id` of a field with its `value`; null takes it away."),
    new_email: text().optional().describe("Another address."),
  },
  returns: {},
  handle(request) {
    const { realm, user, params } = request;
    if (params.role !== undefined) checkIdentity(request);
    return realm.execute("updateUser", {
      actorId: user.id,
      userId: idOf(realm.state, user, params.user),
      fullName: params.full_name,
      role: params.role,
      profileData: params.profile_data,
      newEmail: params.new_email,
    });
  },
});

/** https://zulip.com/api/deactivate-user#parameter-actions */
const deactivationActions = object({
  delete_profile: described(optional(boolean()), "Deletes the account for good, with its name and picture."),
  delete_public_channel_messages: described(optional(boolean()), "Deletes what they wrote in public channels."),
  delete_private_channel_messages: described(optional(boolean()), "Deletes what they wrote in private channels."),
  delete_direct_messages: described(optional(boolean()), "Deletes the direct messages that they wrote."),
});

/** Deactivates an account, or deletes it for good. https://zulip.com/api/deactivate-user */
export const deactivateUser = route({
  doc: "https://zulip.com/api/deactivate-user",
  summary: "Deactivates an account; with delete_profile among the actions, deletes it for good.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    user_id: pathInt<UserId>(),
    deactivation_notification_comment: text({ maxLength: 2000 })
      .optional()
      .describe("A note in the email that tells the person of it; empty for none, left out for no email."),
    actions: json(deactivationActions).optional().describe("What else goes, where it is true."),
  },
  returns: {},
  async handle({ app, realm, user, params }) {
    const { actions = {} } = params;
    const who = { actorId: user.id, userId: params.user_id, deletesProfile: actions.delete_profile ?? false };
    const kinds = {
      inPublicChannels: actions.delete_public_channel_messages ?? false,
      inPrivateChannels: actions.delete_private_channel_messages ?? false,
      directly: actions.delete_direct_messages ?? false,
    };
    const deletesMessages = Object.values(kinds).includes(true);
    const newest = deletesMessages ? await walkWritten(realm, { ...who, isEnded: false }, kinds, 0) : 0;
    const { avatar_path } = await realm.execute("deactivateUser", {
      ...who,
      comment: params.deactivation_notification_comment,
    });
    if (deletesMessages) await walkWritten(realm, { ...who, isEnded: true }, kinds, newest);
    if (avatar_path !== null) await removeAvatarFile(app, realm, avatar_path);
    return {};
  },
});

/** Deactivates the caller's own account. https://zulip.com/api/deactivate-own-user */
export const deactivateOwnUser = route({
  doc: "https://zulip.com/api/deactivate-own-user",
  summary: "Deactivates the caller's own account.",
  auth: anyAccount,
  params: {},
  returns: {},
  async handle({ realm, user }) {
    await realm.execute("deactivateUser", { actorId: user.id, userId: user.id });
    return {};
  },
});

/** Reactivates an account. https://zulip.com/api/reactivate-user */
export const reactivateUser = route({
  doc: "https://zulip.com/api/reactivate-user",
  summary: "Reactivates a deactivated account.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("reactivateUser", { actorId: user.id, userId: params.user_id }),
});
