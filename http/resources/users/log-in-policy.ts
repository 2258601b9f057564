/** What an organization's owners decide about log-ins: their length, networks, and passwords. */
import { array, size, string } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { described } from "../../../actors/shape.ts";
import {
  type LogInPolicy,
  logInPolicyOf,
  passwordStrengths,
  policyLimits,
} from "../../../actors/users/log-ins/policy.ts";
import { logInPolicy } from "../../../actors/users/shapes.ts";
import { int, json, oneOf } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { checkIdentity } from "./identity.ts";

const policy = described(logInPolicy, "What was decided.");

export const getLogInPolicy = route({
  doc: "README.md",
  summary: "Tells administrators what the organization decided about log-ins: their length, networks, and passwords.",
  auth: anyAccount,
  permission: "administrator",
  params: {},
  returns: { log_in_policy: policy },
  handle: ({ realm }) => ({ log_in_policy: logInPolicyOf(realm.state) }),
});

const networks = size(array(size(string(), 1, policyLimits.networkLength)), 0, policyLimits.networks);

export const decideLogInPolicy = route({
  doc: "README.md",
  summary:
    "Decides about log-ins: how long they last, from which networks people come, and which passwords they may choose. " +
    "Log-ins that are there last no longer than new ones would from now.",
  auth: anyAccount,
  permission: "owner",
  params: {
    session_days: int({ min: 1, max: policyLimits.sessionDays })
      .optional()
      .describe("Days after which a log-in of a browser ends."),
    idle_minutes: int({ min: 0, max: policyLimits.idleMinutes })
      .optional()
      .describe(
        `Minutes without use after which it ends before, ${policyLimits.idleMinutesMin} or more; 0: it does not.`,
      ),
    password_min_length: int({ min: limits.passwordMin, max: policyLimits.passwordMin })
      .optional()
      .describe("Characters that a new password must have."),
    password_strength: oneOf(...passwordStrengths)
      .optional()
      .describe("How hard a new password must be to guess."),
    allowed_networks: json(networks)
      .optional()
      .describe(
        "Addresses, and ranges like `10.1.0.0/16`, from which people come; that of whoever asks is among them.",
      ),
  },
  returns: { log_in_policy: policy },
  async handle(request) {
    checkIdentity(request);
    const { app, realm, user, params, exchange } = request;
    const { idle_minutes: idle, ...others } = params;
    if (idle !== undefined && idle > 0 && idle < policyLimits.idleMinutesMin)
      throw badRequest("idle_minutes is too small");
    const given = Object.entries(others).filter(([, value]) => value !== undefined);
    const change: Partial<LogInPolicy> = {
      ...Object.fromEntries(given),
      ...(idle !== undefined && { idle_minutes: idle === 0 ? null : idle }),
    };
    const address = exchange.remoteAddress(app.config.trustedProxies);
    return { log_in_policy: await realm.execute("decideLogInPolicy", { actorId: user.id, change, address }) };
  },
});
