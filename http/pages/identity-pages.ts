/** Where somebody who came from a provider of identities shows whose account it is, or makes one. */
import { limits } from "../../actors/realm/state/settings.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";

export const identityPaths = {
  link: "/accounts/identity/link/",
  mail: "/accounts/identity/mail/",
  join: "/accounts/identity/join/",
} as const;

interface ArrivalForm {
  realmName: string;
  /** How people know the provider. */
  provider: string;
  /** What the server told the browser to keep, sealed. */
  arrival: string;
  /** An account that the provider's address is of, for which a link can be sent if the server sends emails. */
  account: { email: string; canMail: boolean } | undefined;
  /** They may join, but for the name. */
  join: { fullName: string } | undefined;
  email?: string;
  error?: string;
  status?: number;
}

export function arrivalPage(form: ArrivalForm): RawReply {
  const { realmName, account, join } = form;
  const realm = escapeHtml(realmName);
  const provider = escapeHtml(form.provider);
  const hidden = `<input type="hidden" name="arrival" value="${escapeHtml(form.arrival)}">`;
  const why =
    account === undefined
      ? `Your log-in at ${provider} is not linked with an account at ${realm}.`
      : `An account at ${realm} has your address. It is linked with ${provider} when you have shown that it is yours.`;
  return page({
    title: `${form.provider} and ${realmName}`,
    status: form.status ?? 200,
    body: `<h1>Whose account is it?</h1>
<p class="soft">${why}</p>
${errorNote(form.error)}
${join ? joinForm(join.fullName, hidden) : ""}<h2>I have an account</h2>
<form method="post" action="${identityPaths.link}">
${hidden}
<label for="username">Email</label>
<input id="username" name="username" type="email" value="${escapeHtml(form.email ?? account?.email ?? "")}" required maxlength="254" autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autocomplete="current-password">
<button type="submit">Link it and log in</button>
</form>
${account?.canMail ? mailForm(account.email, hidden) : ""}<p class="soft">An administrator can link it as well. <a href="/login/">Log in another way</a></p>`,
  });
}

const joinForm = (fullName: string, hidden: string): string => `<h2>I am new here</h2>
<form method="post" action="${identityPaths.join}">
${hidden}
<label for="full_name">Name</label>
<input id="full_name" name="full_name" value="${escapeHtml(fullName)}" required maxlength="${limits.fullName}" autocomplete="name" autofocus>
<button type="submit">Join</button>
</form>
`;

const mailForm = (email: string, hidden: string): string => `<h2>I do not know its password</h2>
<form method="post" action="${identityPaths.mail}">
${hidden}
<p class="soft">A link is sent to ${escapeHtml(email)}.</p>
<button type="submit">Send the link</button>
</form>
`;

export function identityLinkSentPage(realmName: string): RawReply {
  return page({
    title: `Link your account at ${realmName}`,
    body: `<h1>Look into your mail</h1>
<p>A link is on its way to the address of your account at ${escapeHtml(realmName)}. It works once, within a day.</p>
<p class="soft"><a href="/login/">Log in</a></p>`,
  });
}

interface ConfirmForm {
  realmName: string;
  provider: string;
  action: string;
  email: string;
  /** The address that the provider told. */
  told: string | null;
  error?: string;
  status?: number;
}

/** Asks first: programs that look at links in emails press no button. */
export function confirmIdentityPage(form: ConfirmForm): RawReply {
  const provider = escapeHtml(form.provider);
  const who = form.told === null ? `somebody at ${provider}` : `${escapeHtml(form.told)} at ${provider}`;
  return page({
    title: `Link ${form.provider} with your account`,
    status: form.status ?? 200,
    body: `<h1>Link ${provider} with your account</h1>
<p>From now on ${who} logs in to the account of ${escapeHtml(form.email)} at ${escapeHtml(form.realmName)}.</p>
<p>Do this only if you have just logged in by ${provider} yourself.</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">Link it</button>
</form>`,
  });
}
