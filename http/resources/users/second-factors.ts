/** The caller's second factor, and taking away somebody's who lost theirs. A browser alone sets one up or ends one. */
import { array, integer, object, string } from "superstruct";
import { described } from "../../../actors/shape.ts";
import { readApiKey } from "../../../actors/users/changes/api-keys.ts";
import { requiredOf, requirementOf } from "../../../actors/users/second-factors/duty.ts";
import { readSecondFactor } from "../../../actors/users/second-factors/factors.ts";
import { requiredSecondFactor, secondFactorRecord } from "../../../actors/users/shapes.ts";
import type { UserId } from "../../../storage/ids.ts";
import { int, oneOf, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { checkIdentity } from "./identity.ts";

const codes = described(array(string()), "Recovery codes, which are told this once; each is good once.");

const required = described(requiredSecondFactor, "Of whom a second factor is required.");

export const getSecondFactor = route({
  doc: "README.md",
  summary: "Tells whether the caller's log-ins ask for a code or a passkey beside the password.",
  auth: anyAccount,
  params: {},
  returns: { second_factor: described(secondFactorRecord, "The caller's second factor.") },
  handle: async ({ realm, user }) => ({ second_factor: await readSecondFactor(realm, user) }),
});

export const beginTotp = route({
  doc: "README.md",
  summary: "Begins to set up codes by time (RFC 6238). Nothing asks for them until the first one is shown.",
  auth: ["cookie"],
  params: {},
  returns: {
    secret: described(string(), "The secret in base32, for who types it into an application."),
    otpauth_url: described(string(), "The same as applications read it."),
    qr_code: described(
      object({
        size: described(integer(), "The sides of the square, in modules."),
        path: described(string(), "The path of an SVG that fills the dark modules."),
      }),
      "`otpauth_url` as a picture.",
    ),
  },
  async handle(request) {
    checkIdentity(request);
    const { secret, otpauth_url } = await request.realm.execute("beginTotp", { actorId: request.user.id });
    return { secret, otpauth_url, qr_code: qrCode(otpauth_url) };
  },
});

export const confirmTotp = route({
  doc: "README.md",
  summary: "Turns codes by time on, by the first of them.",
  auth: ["cookie"],
  params: { code: text({ maxLength: 100 }).describe("The code that the application shows now.") },
  returns: { recovery_codes: codes },
  async handle(request) {
    checkIdentity(request);
    return request.realm.execute("confirmTotp", { actorId: request.user.id, code: request.params.code });
  },
});

export const renewRecoveryCodes = route({
  doc: "README.md",
  summary: "Gives the caller ten new recovery codes, which end those before.",
  auth: ["cookie"],
  params: {},
  returns: { recovery_codes: codes },
  handle(request) {
    checkIdentity(request);
    return request.realm.execute("renewRecoveryCodes", { actorId: request.user.id });
  },
});

export const endSecondFactor = route({
  doc: "README.md",
  summary: "Ends the caller's second factor: the application, passkeys and recovery codes.",
  auth: ["cookie"],
  params: {},
  returns: {},
  handle(request) {
    checkIdentity(request);
    return request.realm.execute("endSecondFactor", { actorId: request.user.id, userId: request.user.id });
  },
});

export const endTotp = route({
  doc: "README.md",
  summary: "Ends the caller's authenticator application, where passkeys are left.",
  auth: ["cookie"],
  params: {},
  returns: {},
  handle(request) {
    checkIdentity(request);
    return request.realm.execute("endTotp", { actorId: request.user.id });
  },
});

export const resetSecondFactor = route({
  doc: "README.md",
  summary: "Ends the second factor of somebody who lost theirs; an owner's, only by owners.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: {},
  handle(request) {
    checkIdentity(request);
    return request.realm.execute("endSecondFactor", { actorId: request.user.id, userId: request.params.user_id });
  },
});

export const getRequiredSecondFactor = route({
  doc: "README.md",
  summary: "Tells of whom the organization requires a second factor.",
  auth: anyAccount,
  params: {},
  returns: { required_second_factor: required },
  handle: ({ realm }) => ({ required_second_factor: requirementOf(realm.state) }),
});

export const requireSecondFactor = route({
  doc: "README.md",
  summary:
    "Decides of whom the organization requires a second factor. Others than before have their days of grace from now.",
  auth: anyAccount,
  permission: "owner",
  params: {
    of: oneOf(...requiredOf)
      .optional()
      .describe("Of whom: administrators (owners too), all but guests, everyone, or nobody."),
    grace_days: int({ min: 0, max: 365 }).optional().describe("Days until log-ins take one."),
  },
  returns: { required_second_factor: required },
  async handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    const args = { actorId: user.id, of: params.of, graceDays: params.grace_days };
    return { required_second_factor: await realm.execute("requireSecondFactor", args) };
  },
});

export const showApiKey = route({
  doc: "README.md",
  summary: "Tells a browser the API key of its person.",
  auth: ["cookie"],
  params: {},
  returns: { api_key: string() },
  async handle(request) {
    checkIdentity(request);
    return { api_key: await readApiKey(request.realm, request.user) };
  },
});
