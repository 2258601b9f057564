/** Pages on which people make an account: by an invitation, and by a link that confirms the address of their choice. */
import { errors } from "../../../actors/errors.ts";
import {
  askToJoin,
  invitationFor,
  type JoinArgs,
  joiningFor,
  joiningPath,
  mustConfirm,
} from "../../../actors/invitations/join.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { passwordRulesOf } from "../../../actors/users/log-ins/policy.ts";
import { passwordRules } from "../../../actors/users/passwords/new-password.ts";
import { hashNewPassword } from "../../../actors/users/passwords.ts";
import { pathText, text } from "../../api/params.ts";
import type { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { deadInvitationPage, hasAccountPage, type JoinForm, joinPage, joinSentPage } from "../../pages/join-page.ts";
import { checkOrigin, orRefused } from "../../pages/page.ts";
import { languageAsked } from "../../pages/words/words.ts";
import type { Exchange } from "../../server/exchange.ts";
import { type LoginRequest as Asked, letBrowserIn } from "../users/log-in.ts";

/** Bytes of a form. Its fields are short, and what is shown again has to be escaped. */
const maxFormBytes = 16 * 1024;
const maxEmail = 254;
const maxTyped = 1000;
const keyParams = { key: pathText().describe("The secret of the invitation's link.") };
const tokenParams = { token: pathText() };
const fields = {
  full_name: text({ maxLength: maxTyped }).default(""),
  email: text({ maxLength: maxEmail }).default(""),
  password: text({ maxLength: maxTyped }).default(""),
};

/** The page of an invitation's link. */
export const getJoinPage = route({
  doc: "README.md",
  summary: "A page on which somebody who was invited makes an account, or says with which address they want to.",
  auth: ["anybody"],
  refusesWithPages: true,
  params: keyParams,
  async handle({ realm, params, exchange }) {
    const invitation = await invitationFor(realm, params.key);
    const realmName = realm.state.row.name;
    if (!invitation) return deadInvitationPage(languageAsked(exchange, realm.state), realmName);
    const asksAddressOnly = mustConfirm(realm.state, invitation);
    return joinPage({
      ...formOf(realm, exchange),
      action: actionOf(params.key),
      invitedEmail: invitation.email,
      asksAddressOnly,
    });
  },
});

/**
 * Creates the account, logs the browser in, and redirects to the chat. Where the address has to be confirmed first a
 * link is sent there, and the answer does not tell whether an account has it.
 */
export const submitJoinPage = route({
  doc: "README.md",
  summary: "Makes the account of somebody who was invited, or sends a link for that to the address of their choice.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: { ...keyParams, ...fields },
  async handle({ app, realm, params, client, exchange }) {
    const invitation = await invitationFor(realm, params.key);
    const realmName = realm.state.row.name;
    if (!invitation) return deadInvitationPage(languageAsked(exchange, realm.state), realmName);
    const asksAddressOnly = mustConfirm(realm.state, invitation);
    const { full_name: fullName, email, password } = params;
    const action = actionOf(params.key);
    const asked = { app, realm, exchange, client };
    const join = async (): Promise<RawReply> => {
      if (!asksAddressOnly)
        return makeAccount(asked, { key: params.key, email: invitation.email ?? email, fullName }, password);
      await countAsking(asked, email);
      await askToJoin(realm, invitation, email);
      return joinSentPage(languageAsked(exchange, realm.state), realmName);
    };
    return shown(asked, join, {
      ...formOf(realm, exchange),
      action,
      invitedEmail: invitation.email,
      asksAddressOnly,
      fullName,
      email,
    });
  },
});

/** The page of a link that confirms an address. */
export const getJoiningPage = route({
  doc: "README.md",
  summary: "A page on which somebody makes an account with the address that they confirm by its link.",
  auth: ["anybody"],
  params: tokenParams,
  async handle({ realm, params, exchange }) {
    const joining = await joiningFor(realm, params.token);
    const realmName = realm.state.row.name;
    if (!joining) return deadInvitationPage(languageAsked(exchange, realm.state), realmName);
    // Whoever is here reads what is sent to the address.
    if (realm.state.userByEmail(joining.email)) return hasAccountPage(languageAsked(exchange, realm.state), realmName);
    return joinPage({
      ...formOf(realm, exchange),
      action: `${joiningPath}${params.token}/`,
      invitedEmail: joining.email,
    });
  },
});

export const submitJoiningPage = route({
  doc: "README.md",
  summary: "Makes the account of somebody who has confirmed their address, by a link that is over then.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: { ...tokenParams, ...fields },
  async handle({ app, realm, params, client, exchange }) {
    const joining = await joiningFor(realm, params.token);
    const realmName = realm.state.row.name;
    if (!joining) return deadInvitationPage(languageAsked(exchange, realm.state), realmName);
    if (realm.state.userByEmail(joining.email)) return hasAccountPage(languageAsked(exchange, realm.state), realmName);
    const { token, full_name: fullName, password } = params;
    const asked = { app, realm, exchange, client };
    const action = `${joiningPath}${token}/`;
    const join = () => makeAccount(asked, { token, email: joining.email, fullName }, password);
    return shown(asked, join, { ...formOf(realm, exchange), action, invitedEmail: joining.email, fullName });
  },
});

const formOf = ({ state }: ServedRealm, exchange: Exchange) => ({
  language: languageAsked(exchange, state),
  realmName: state.row.name,
  passwordMin: passwordRulesOf(state).minLength,
});

const actionOf = (key: string): string => `/join/${encodeURIComponent(key)}/`;

type Newcomer = Omit<JoinArgs, "passwordHash"> & { email: string };

/** Makes an account and logs the browser in. @throws BAD_REQUEST */
async function makeAccount(asked: Asked, who: Newcomer, password: string): Promise<RawReply> {
  const { realm } = asked;
  const { email } = who;
  const language = languageAsked(asked.exchange, realm.state);
  const passwordHash = await hashNewPassword(password, passwordRules(realm.state, { email, fullName: who.fullName }));
  const { user_id } = await realm.execute("joinByInvitation", { ...who, passwordHash, language });
  return letBrowserIn(asked, realm.state.knownUser(user_id), "invitation", { next: "" });
}

/** @throws RATE_LIMIT_HIT after a few emails to one address, or many asked for from one machine */
async function countAsking({ app, realm, exchange }: Asked, email: string): Promise<void> {
  const limiter = app.rateLimiters.of(realm);
  // These limits always apply: each request may send an email to a stranger.
  const address = exchange.remoteAddress(app.config.trustedProxies);
  for (const allowance of [
    await limiter.takeShared("join_by_ip", { realmId: realm.id, address }),
    await limiter.takeShared("join_by_address", `${realm.id}:${email.trim().toLowerCase()}`),
  ])
    if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}

/** What was asked for, or the form with what is wrong. */
const shown = (asked: Asked, join: () => Promise<RawReply>, form: JoinForm): Promise<RawReply> =>
  orRefused(
    asked,
    () => {
      checkOrigin(asked.exchange);
      return join();
    },
    (refused) => joinPage({ ...form, ...refused }),
  );
