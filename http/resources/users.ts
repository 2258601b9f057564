/** Accounts: reading, creating and changing them. */
import { badRequest } from "../../actors/errors.ts";
import { limits } from "../../actors/realm/realm-settings.ts";
import { renderUser } from "../../actors/realm/user-record.ts";
import { roles } from "../../actors/realm/user-role.ts";
import { hashPassword } from "../../storage/passwords.ts";
import { findMaxMessageId } from "../../storage/register.ts";
import { oneOfNumbers, pathInt, text } from "../params.ts";
import { anyAccount, route } from "../route.ts";

/** The caller's own account. https://zulip.com/api/get-own-user */
export const getOwnUser = route({
  method: "GET",
  path: "/users/me",
  doc: "https://zulip.com/api/get-own-user",
  summary: "Returns the caller's own account.",
  auth: anyAccount,
  params: {},
  async handle({ realm, user }) {
    const max_message_id = await findMaxMessageId(realm.database.sql, user.id);
    return {
      ...renderUser(realm.state, user, user, { clientGravatar: false, includeProfileData: true }),
      max_message_id,
    };
  },
});

/** @throws BAD_REQUEST for a password of a length that is not allowed; code points are counted */
export function checkPassword(password: string): string {
  const length = [...password].length;
  if (length < limits.passwordMin || length > limits.passwordMax)
    throw badRequest(`Password must have from ${limits.passwordMin} to ${limits.passwordMax} characters.`);
  return password;
}

/** Adds an account. https://zulip.com/api/create-user */
export const createUser = route({
  method: "POST",
  path: "/users",
  doc: "https://zulip.com/api/create-user",
  summary: "Creates an account with an email, a password and a name.",
  auth: anyAccount,
  permission: "administrator",
  params: { email: text(), password: text(), full_name: text() },
  returns: { user_id: { type: "integer" } },
  async handle({ realm, user, params }) {
    const passwordHash = await hashPassword(checkPassword(params.password));
    return realm.execute("createUser", {
      actorId: user.id,
      email: params.email,
      fullName: params.full_name,
      passwordHash,
      role: 400,
    });
  },
});

/** Changes somebody's account. https://zulip.com/api/update-user */
export const updateUser = route({
  method: "PATCH",
  path: "/users/:user_id",
  doc: "https://zulip.com/api/update-user",
  summary: "Changes the name or role of an account.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt(), full_name: text().optional(), role: oneOfNumbers(...roles).optional() },
  handle({ realm, user, params }) {
    return realm.execute("updateUser", {
      actorId: user.id,
      userId: params.user_id,
      ...(params.full_name !== undefined && { fullName: params.full_name }),
      ...(params.role !== undefined && { role: params.role }),
    });
  },
});
