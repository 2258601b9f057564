/** Where somebody logs out at the provider by which they came. OpenID Connect RP-Initiated Logout 1.0. */
import { ApiError } from "../../../actors/errors.ts";
import { providerOf } from "../../../actors/identities/identities.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import type { ApiRequest } from "../../api/route.ts";

type Asked = Pick<ApiRequest, "app" | "realm" | "exchange" | "session">;

/** Undefined: they came by none, it has no such page, or it cannot be asked now. Nobody stays logged in for that. */
export async function providerLogOut(asked: Asked): Promise<string | undefined> {
  const { app, realm, session } = asked;
  if (session?.identityId == null) return undefined;
  const provider = await providerOf(realm, session.identityId);
  if (!provider?.logsOut) return undefined;
  try {
    return await app.openIdClient.logoutUrl(realm, provider, `${urlAsAsked(asked)}/login/`);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
