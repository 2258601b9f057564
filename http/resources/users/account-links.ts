/** Links by email: one to set a new password, and one to confirm an address. */

import { errors } from "../../../actors/errors.ts";
import {
  digestUnsubscribePath,
  findUnsubscriber,
  unsubscribe,
  unsubscribeFromDigests,
  unsubscribePath,
} from "../../../actors/notifications/unsubscribe.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import {
  addressPath,
  askForPassword,
  checkSendsEmail,
  passwordPath,
  readLink,
} from "../../../actors/users/changes/one-time-links.ts";
import { passwordRulesOf } from "../../../actors/users/log-ins/policy.ts";
import { passwordRules } from "../../../actors/users/passwords/new-password.ts";
import { hashNewPassword } from "../../../actors/users/passwords.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { App } from "../../api/app.ts";
import { bool, pathInt, pathText, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import {
  confirmAddressPage,
  deadLinkPage,
  forgottenPage,
  linkSentPage,
  linkUsedPage,
  newPasswordPage,
  unsubscribePage,
} from "../../pages/link-pages.ts";
import { checkOrigin, orRefused } from "../../pages/page.ts";
import { languageAsked, pageWords } from "../../pages/words/words.ts";
import type { Exchange } from "../../server/exchange.ts";

const maxFormBytes = 16 * 1024;
const maxEmail = 254;
const maxTyped = 1000;
const linkParams = { token: pathText() };

export const getForgottenPage = route({
  doc: "README.md",
  summary: "A page on which people who forgot their password ask for a link.",
  auth: ["anybody"],
  params: {},
  handle({ realm, exchange }) {
    const realmName = realm.state.row.name;
    const language = languageAsked(exchange, realm.state);
    const form = () => {
      checkSendsEmail(realm.state);
      return forgottenPage({ language, realmName });
    };
    return orRefused({ realm, exchange }, form, (refused) => forgottenPage({ language, realmName, ...refused }));
  },
});

/** The answer does not tell whether an account has the address. */
export const submitForgottenPage = route({
  doc: "README.md",
  summary: "Has a link for a new password sent, if an account has the address.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: { email: text({ maxLength: maxEmail }).default("") },
  handle({ app, realm, params, exchange }) {
    const realmName = realm.state.row.name;
    const language = languageAsked(exchange, realm.state);
    const { email } = params;
    const send = async () => {
      checkOrigin(exchange);
      checkSendsEmail(realm.state);
      await countAsking(app, realm, exchange, email);
      await askForPassword(realm, email);
      return linkSentPage(language, realmName);
    };
    return orRefused({ realm, exchange }, send, (refused) => forgottenPage({ language, realmName, email, ...refused }));
  },
});

/** @throws RATE_LIMIT_HIT after a few requests for one address, or many from one machine */
async function countAsking(app: App, realm: ServedRealm, exchange: Exchange, email: string): Promise<void> {
  const limiter = app.rateLimiters.of(realm);
  const address = exchange.remoteAddress(app.config.trustedProxies);
  // These limits always apply: each request may send an email.
  for (const allowance of [
    await limiter.takeShared("reset_password_by_ip", { realmId: realm.id, address }),
    await limiter.takeShared("reset_password_by_username", `${realm.id}:${email.trim().toLowerCase()}`),
  ])
    if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}

const passwordForm = ({ state }: ServedRealm, exchange: Exchange, token: string, { email }: { email: string }) => ({
  language: languageAsked(exchange, state),
  realmName: state.row.name,
  action: actionOf(passwordPath, token),
  email,
  passwordMin: passwordRulesOf(state).minLength,
});

export const getNewPasswordPage = route({
  doc: "README.md",
  summary: "A page on which somebody chooses a new password, by a link that was sent to them.",
  auth: ["anybody"],
  params: linkParams,
  async handle({ realm, params: { token }, exchange }) {
    const link = await readLink(realm, "password", token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    return newPasswordPage(passwordForm(realm, exchange, token, link));
  },
});

export const submitNewPasswordPage = route({
  doc: "README.md",
  summary: "Sets a new password by a link, which is over then, and logs everybody out.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: {
    ...linkParams,
    password: text({ maxLength: maxTyped }).default(""),
    username: text().default(""),
    end_api_keys: bool().default(false),
  },
  async handle({ realm, params: { token, password, end_api_keys: endsKeys }, exchange }) {
    // The link is checked first: hashing a password takes long.
    const link = await readLink(realm, "password", token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    const realmName = realm.state.row.name;
    const form = passwordForm(realm, exchange, token, link);
    const set = async () => {
      checkOrigin(exchange);
      const rules = passwordRules(realm.state, link);
      await realm.execute("resetPassword", { token, passwordHash: await hashNewPassword(password, rules), endsKeys });
      return linkUsedPage(form.language, realmName, pageWords(form.language).passwordIsNew);
    };
    return orRefused({ realm, exchange }, set, (refused) => newPasswordPage({ ...form, ...refused }));
  },
});

export const getConfirmAddressPage = route({
  doc: "README.md",
  summary: "A page on which somebody confirms an address, by a link that was sent there.",
  auth: ["anybody"],
  params: linkParams,
  async handle({ realm, params: { token }, exchange }) {
    const link = await readLink(realm, "address", token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    const language = languageAsked(exchange, realm.state);
    const action = actionOf(addressPath, token);
    return confirmAddressPage({ language, realmName: realm.state.row.name, action, ...link });
  },
});

export const submitConfirmAddressPage = route({
  doc: "README.md",
  summary: "Confirms an address by a link, which is over then.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: linkParams,
  async handle({ realm, params: { token }, exchange }) {
    const link = await readLink(realm, "address", token);
    if (!link) return deadLinkPage(languageAsked(exchange, realm.state));
    const realmName = realm.state.row.name;
    const language = languageAsked(exchange, realm.state);
    const confirm = async () => {
      checkOrigin(exchange);
      await realm.execute("confirmAddress", { token });
      return linkUsedPage(language, realmName, pageWords(language).addressIsNew(link.email));
    };
    const form = { language, realmName, action: actionOf(addressPath, token), ...link };
    return orRefused({ realm, exchange }, confirm, (refused) => confirmAddressPage({ ...form, ...refused }));
  },
});

/** The page behind a link in emails that turns them off. */
const unsubscribingPage = (path: string, what: string, heading: "endMissed" | "endDigests") =>
  route({
    doc: "README.md",
    summary: `A page on which whoever got ${what} turns them off.`,
    auth: ["anybody"],
    params: linkParams,
    async handle({ realm, params: { token }, exchange }) {
      const user = await findUnsubscriber(realm, token);
      if (!user) return deadLinkPage(languageAsked(exchange, realm.state));
      const action = actionOf(path, token);
      const language = languageAsked(exchange, realm.state);
      return unsubscribePage({
        language,
        realmName: realm.state.row.name,
        action,
        email: user.delivery_email,
        what: pageWords(language)[heading],
      });
    },
  });

/** Mail programs send this request too, for one-click unsubscribing. https://www.rfc-editor.org/rfc/rfc8058 */
const unsubscribing = (what: string, ended: "missedEnded" | "digestsEnded", end: typeof unsubscribe) =>
  route({
    doc: "README.md",
    summary: `Turns ${what} off, by a link that was in one.`,
    auth: ["anybody"],
    maxBodyBytes: maxFormBytes,
    params: { ...linkParams, "List-Unsubscribe": text().default("") },
    async handle({ realm, params: { token }, exchange }) {
      const user = await findUnsubscriber(realm, token);
      if (!user) return deadLinkPage(languageAsked(exchange, realm.state));
      await end(realm, user);
      const language = languageAsked(exchange, realm.state);
      return linkUsedPage(language, realm.state.row.name, pageWords(language)[ended]);
    },
  });

const aboutMissed = "emails about missed messages";
export const getUnsubscribePage = unsubscribingPage(unsubscribePath, aboutMissed, "endMissed");
export const submitUnsubscribePage = unsubscribing(aboutMissed, "missedEnded", unsubscribe);
const digests = "digests of the week";
export const getDigestUnsubscribePage = unsubscribingPage(digestUnsubscribePath, digests, "endDigests");
export const submitDigestUnsubscribePage = unsubscribing(digests, "digestsEnded", unsubscribeFromDigests);

const actionOf = (path: string, token: string): string => `${path}${encodeURIComponent(token)}/`;

/** Lets an administrator help a person who cannot log in. */
export const sendPasswordLink = route({
  doc: "README.md",
  summary: "Sends somebody a link by which they choose a new password.",
  auth: anyAccount,
  permission: "administrator",
  params: { user_id: pathInt<UserId>() },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("sendPasswordLink", { actorId: user.id, userId: params.user_id }),
});
