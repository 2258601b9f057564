/** Logging in with a JSON Web Token, which another service signed. */
import { optional, string } from "superstruct";
import { type ApiError, badRequest, errors } from "../../../actors/errors.ts";
import { described } from "../../../actors/shape.ts";
import { JwtError, spendToken, type VerifiedJwt, verifyJwt } from "../../../actors/users/jwt.ts";
import { renderUser } from "../../../actors/users/record.ts";
import { userRecord } from "../../../actors/users/shapes.ts";
import { bool, text } from "../../api/params.ts";
import { type ApiRequest, route } from "../../api/route.ts";
import { letProgramIn } from "./log-in.ts";
import { noteRefusal } from "./login-notes.ts";

/** Exchanges a JSON Web Token for an API key. https://zulip.com/api/jwt-fetch-api-key */
export const jwtFetchApiKey = route({
  doc: "https://zulip.com/api/jwt-fetch-api-key",
  summary: "Exchanges a JSON Web Token with an email claim for that account's API key.",
  auth: ["anybody"],
  params: {
    token: text().describe("A JSON Web Token with a claim `email`."),
    include_profile: bool().default(false).describe("Whether to tell the account too."),
  },
  returns: {
    api_key: string(),
    email: string(),
    user: described(optional(userRecord), "The account, where it was asked for."),
  },
  async handle(request) {
    const { app, realm, params } = request;
    const token = await verified({ app, realm }, params.token);
    const account = realm.state.userByEmail(token.email.trim());
    const refused = (error: ApiError): ApiError => {
      noteRefusal(request, account, "token", error.code);
      return error;
    };
    if (!account || account.is_bot)
      throw refused(errors.AUTHENTICATION_FAILED("No account has the email address of this token."));
    if (!account.is_active) throw refused(errors.USER_DEACTIVATED());
    // Without this check, a person could sign up with somebody else's address and wait for them to log in.
    if (account.has_unconfirmed_email)
      throw refused(
        errors.AUTHENTICATION_FAILED("Nobody has confirmed the email address of this account: ask an owner to."),
      );
    if (token.jti !== undefined && !(await spendToken(realm, token.jti, token.expiresAt)))
      throw badRequest(new JwtError("spent").message);
    const { api_key } = await letProgramIn(request, account, "token");
    const user = realm.state.knownUser(account.id);
    return {
      api_key,
      email: user.delivery_email,
      user: params.include_profile ? renderUser(realm.state, user, user, { clientGravatar: false }) : undefined,
    };
  },
});

/** @throws BAD_REQUEST for an invalid token */
async function verified({ app, realm }: Pick<ApiRequest, "app" | "realm">, token: string): Promise<VerifiedJwt> {
  const { jwtKeys, jwtMaxAgeSecs } = app.config;
  const now = new Date(realm.environment.clock() * 1000);
  const isShared = app.system.all().length > 1;
  try {
    return await verifyJwt(token, realm.state.host, jwtKeys, now, jwtMaxAgeSecs, isShared);
  } catch (error) {
    if (error instanceof JwtError) throw badRequest(error.message);
    throw error;
  }
}
