/** Where somebody who was invited makes their account. */
import { limits } from "../../actors/realm/state/settings.ts";
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";
import { type PageWords, pageWords } from "./words/words.ts";

export interface JoinForm {
  language: Language;
  realmName: string;
  /** Where the form goes. */
  action: string;
  /** Characters that a password must have. */
  passwordMin: number;
  /** The only address that may join, if the invitation is for one. */
  invitedEmail: string | null;
  /** The address has to be confirmed before anything else is asked. */
  asksAddressOnly?: boolean;
  /** What was typed before, and what is wrong with it. */
  fullName?: string;
  email?: string;
  error?: string;
  status?: number;
}

export function joinPage(form: JoinForm): RawReply {
  const words = pageWords(form.language);
  const email = form.invitedEmail ?? form.email ?? "";
  // All but the password is filled in.
  const isAgain = Boolean(form.fullName) && email !== "";
  const described = form.error === undefined ? "" : ' aria-describedby="error"';
  return page({
    title: words.joinRealm(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(words.joinRealm(form.realmName))}</h1>
<p class="soft">${escapeHtml(form.asksAddressOnly ? words.invitedAsks : words.invited)}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
${form.asksAddressOnly ? "" : nameField(words, form.fullName ?? "", isAgain, described)}<label for="email">${escapeHtml(words.email)}</label>
<input id="email" name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username"${form.invitedEmail === null ? "" : " readonly"}${described}>
${form.asksAddressOnly ? `<button type="submit">${escapeHtml(words.sendLink)}</button>` : `${newPasswordField(words, words.password, form.passwordMin, isAgain)}<button type="submit">${escapeHtml(words.join)}</button>`}
</form>
<p class="soft">${escapeHtml(words.haveAccount)} <a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

const nameField = (
  words: PageWords,
  fullName: string,
  isAgain: boolean,
  described: string,
): string => `<label for="full_name">${escapeHtml(words.name)}</label>
<input id="full_name" name="full_name" value="${escapeHtml(fullName)}" required maxlength="${limits.fullName}" autocomplete="name"${isAgain ? "" : " autofocus"}${described}>
`;

/** The same whether an account has the address or not. */
export function joinSentPage(language: Language, realmName: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.joinRealm(realmName),
    language,
    body: `<h1>${escapeHtml(words.lookIntoMail)}</h1>
<p>${escapeHtml(words.joinOnWay(realmName))}</p>
<p>${escapeHtml(words.joinNothingCame)}</p>`,
  });
}

/** For a link to an address that has an account by now. */
export function hasAccountPage(language: Language, realmName: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.joinRealm(realmName),
    language,
    body: `<h1>${escapeHtml(words.youHaveAccount)}</h1>
<p>${escapeHtml(words.hasAccount(realmName))}</p>
<p><a class="button" href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

/** For a link that is unknown, over, or was taken back: all look the same from outside. */
export function deadInvitationPage(language: Language, realmName: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.deadInvitation,
    language,
    status: 404,
    body: `<h1>${escapeHtml(words.deadInvitation)}</h1>
<p>${escapeHtml(words.deadInvitationHint(realmName))}</p>
<p>${escapeHtml(words.haveAccount)} <a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}
