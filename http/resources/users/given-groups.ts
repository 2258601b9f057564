/** Makes an account what its provider says of its person's groups: user groups, role, and a newcomer's channels. */
import { ApiError } from "../../../actors/errors.ts";
import type { Person } from "../../../actors/identities/claims.ts";
import { keepInStep } from "../../../actors/ldap/keep.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { ApiRequest } from "../../api/route.ts";

const byProvider = { via: "oidc" } as const;

/** What fails of it keeps nobody out. @param isNew whether the account was made just now */
export async function keepGiven(
  { app, realm }: Pick<ApiRequest, "app" | "realm">,
  userId: UserId,
  { given }: Person,
  isNew = false,
): Promise<void> {
  if (!given) return;
  const { channels, isPublicOnly, ...kept } = given;
  try {
    await keepInStep(realm, userId, { fullName: "", fields: {}, ...kept }, byProvider);
    if (isNew && channels.length > 0)
      await realm.execute("joinFirstChannels", { userId, names: [...channels], isPublicOnly }, byProvider);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    app.log.warn({ realm: realm.id, user: userId, reason: error.message }, "an account is not as its provider says");
  }
}
