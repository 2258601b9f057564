/** Where somebody who came from a provider of identities shows whose account it is, or makes one. */
import { limits } from "../../actors/realm/state/settings.ts";
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { type PageWords, pageWords } from "./words/words.ts";

export const identityPaths = {
  link: "/accounts/identity/link/",
  mail: "/accounts/identity/mail/",
  join: "/accounts/identity/join/",
} as const;

interface ArrivalForm {
  language: Language;
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
  const { realmName, provider, account, join } = form;
  const words = pageWords(form.language);
  const hidden = `<input type="hidden" name="arrival" value="${escapeHtml(form.arrival)}">`;
  const why = account === undefined ? words.notLinked(provider, realmName) : words.hasYourAddress(provider, realmName);
  return page({
    title: words.identityTitle(provider, realmName),
    language: form.language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(words.whoseAccount)}</h1>
<p class="soft">${escapeHtml(why)}</p>
${errorNote(form.error)}
${join ? joinForm(words, join.fullName, hidden) : ""}<h2>${escapeHtml(words.haveOne)}</h2>
<form method="post" action="${identityPaths.link}">
${hidden}
<label for="username">${escapeHtml(words.email)}</label>
<input id="username" name="username" type="email" value="${escapeHtml(form.email ?? account?.email ?? "")}" required maxlength="254" autocomplete="username">
<label for="password">${escapeHtml(words.password)}</label>
<input id="password" name="password" type="password" required autocomplete="current-password">
<button type="submit">${escapeHtml(words.linkAndLogIn)}</button>
</form>
${account?.canMail ? mailForm(words, account.email, hidden) : ""}<p class="soft">${escapeHtml(words.administratorLinks)} <a href="/login/">${escapeHtml(words.otherWay)}</a></p>`,
  });
}

const joinForm = (words: PageWords, fullName: string, hidden: string): string => `<h2>${escapeHtml(words.newHere)}</h2>
<form method="post" action="${identityPaths.join}">
${hidden}
<label for="full_name">${escapeHtml(words.name)}</label>
<input id="full_name" name="full_name" value="${escapeHtml(fullName)}" required maxlength="${limits.fullName}" autocomplete="name" autofocus>
<button type="submit">${escapeHtml(words.join)}</button>
</form>
`;

const mailForm = (
  words: PageWords,
  email: string,
  hidden: string,
): string => `<h2>${escapeHtml(words.passwordUnknown)}</h2>
<form method="post" action="${identityPaths.mail}">
${hidden}
<p class="soft">${escapeHtml(words.linkSentTo(email))}</p>
<button type="submit">${escapeHtml(words.sendLink)}</button>
</form>
`;

export function identityLinkSentPage(language: Language, realmName: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.linkAccount(realmName),
    language,
    body: `<h1>${escapeHtml(words.lookIntoMail)}</h1>
<p>${escapeHtml(words.identityOnWay(realmName))}</p>
<p class="soft"><a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

interface ConfirmForm {
  language: Language;
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
  const { language, provider, told, email, realmName } = form;
  const words = pageWords(language);
  const title = words.linkProvider(provider);
  const who =
    told === null
      ? words.somebodyLogsIn(provider, email, realmName)
      : words.personLogsIn(told, provider, email, realmName);
  return page({
    title,
    language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(who)}</p>
<p>${escapeHtml(words.onlyYourself(provider))}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">${escapeHtml(words.linkIt)}</button>
</form>`,
  });
}
