/** Logging in, and what stays of it: pages, keys, sessions, second factors. Paths are as in `routes.ts`. */
import * as providers from "../resources/organization/identity-providers.ts";
import { getLoginPage, submitLoginPage, takeDesktopLogIn } from "../resources/server/pages.ts";
import { devFetchApiKey, fetchApiKey } from "../resources/server/server.ts";
import * as keys from "../resources/users/further-keys.ts";
import * as identities from "../resources/users/identities.ts";
import { reauthenticate } from "../resources/users/identity.ts";
import * as identityPages from "../resources/users/identity-pages.ts";
import { jwtFetchApiKey } from "../resources/users/jwt.ts";
import * as policy from "../resources/users/log-in-policy.ts";
import * as passkeys from "../resources/users/passkeys.ts";
import * as factors from "../resources/users/second-factors.ts";
import { submitEnrolment, submitSecondStep } from "../resources/users/second-step.ts";
import * as sessions from "../resources/users/sessions.ts";
import * as social from "../resources/users/social-login.ts";
import type { Route } from "./route.ts";
import type { Place } from "./route-table.ts";

export const logInRoutes = {
  "POST /fetch_api_key": fetchApiKey,
  "POST /dev_fetch_api_key": devFetchApiKey,
  "POST /jwt/fetch_api_key": jwtFetchApiKey,
  "GET /users/me/sessions": sessions.getSessions,
  "DELETE /users/me/sessions": sessions.endOtherSessions,
  "GET /users/:user_id/sessions": sessions.getSessionsOfUser,
  "DELETE /users/:user_id/sessions": sessions.endSessionsOfUser,
  "GET /realm/log_in_policy": policy.getLogInPolicy,
  "PATCH /realm/log_in_policy": policy.decideLogInPolicy,
  "GET /realm/identity_providers": providers.getIdentityProviders,
  "POST /realm/identity_providers": providers.addIdentityProvider,
  "POST /realm/identity_providers/try": providers.tryIdentityProvider,
  "PATCH /realm/identity_providers/:provider": providers.changeIdentityProvider,
  "DELETE /realm/identity_providers/:provider": providers.removeIdentityProvider,
  "DELETE /users/me/sessions/:session_id": sessions.endSession,
  "GET /users/me/api_keys": keys.getFurtherKeys,
  "POST /users/me/api_keys": keys.addFurtherKey,
  "DELETE /users/me/api_keys/:key_id": keys.endFurtherKey,
  "POST /sessions/end": sessions.endOwnSession,
  "GET ^/login/": getLoginPage,
  "GET ^/login": getLoginPage,
  "POST ^/login/": submitLoginPage,
  "POST ^/login/second-factor/": submitSecondStep,
  "GET ^/accounts/login/subdomain/:token": takeDesktopLogIn,
  "GET ^/accounts/login/social/:provider/": social.getSocialLogin,
  "GET ^/accounts/register/social/:provider/": social.getSocialSignup,
  "GET ^/complete/:provider/": social.completeSocialLogin,
  "POST ^/accounts/logout/backchannel/:provider/": social.takeLogout,
  "POST ^/accounts/identity/link/": identityPages.submitIdentityPassword,
  "POST ^/accounts/identity/mail/": identityPages.submitIdentityMail,
  "POST ^/accounts/identity/join/": identityPages.submitIdentityJoin,
  "GET ^/accounts/identity/confirm/:token/": identityPages.getIdentityLinkPage,
  "POST ^/accounts/identity/confirm/:token/": identityPages.submitIdentityLinkPage,
  "GET /identities": identities.getIdentities,
  "POST /identities/:identity_id/link": identities.linkIdentity,
  "DELETE /identities/:identity_id": identities.endIdentity,
  "POST ^/login/second-factor/set-up/": submitEnrolment,
  "GET /realm/second_factor": factors.getRequiredSecondFactor,
  "PATCH /realm/second_factor": factors.requireSecondFactor,
  "POST /users/me/reauthenticate": reauthenticate,
  "POST /users/me/api_key": factors.showApiKey,
  "GET /users/me/second_factor": factors.getSecondFactor,
  "DELETE /users/me/second_factor": factors.endSecondFactor,
  "POST /users/me/second_factor/totp": factors.beginTotp,
  "POST /users/me/second_factor/totp/confirm": factors.confirmTotp,
  "DELETE /users/me/second_factor/totp": factors.endTotp,
  "POST /users/me/passkeys/options": passkeys.askForNewPasskey,
  "POST /users/me/passkeys": passkeys.addPasskey,
  "PATCH /users/me/passkeys/:passkey_id": passkeys.renamePasskey,
  "DELETE /users/me/passkeys/:passkey_id": passkeys.endPasskey,
  "POST /users/me/reauthenticate/options": passkeys.askForIdentity,
  "POST ^/login/passkey/": passkeys.submitPasskey,
  "POST /users/me/second_factor/recovery_codes": factors.renewRecoveryCodes,
  "DELETE /users/:user_id/second_factor": factors.resetSecondFactor,
} satisfies Readonly<Record<Place, Route>>;
