/** What people do by a link in an email, and where they ask for one. */
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { forgottenPath } from "./login-page.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";
import { pageWords } from "./words/words.ts";

interface Spoken {
  language: Language;
}

interface Form {
  realmName: string;
  error?: string;
  status?: number;
}

/** Asks for the address to which a link is sent. */
export function forgottenPage({
  language,
  realmName,
  email = "",
  error,
  status = 200,
}: Spoken & Form & { email?: string }): RawReply {
  const words = pageWords(language);
  return page({
    title: words.newPasswordFor(realmName),
    language,
    status,
    body: `<h1>${escapeHtml(words.newPasswordTitle)}</h1>
<p class="soft">${escapeHtml(words.linkHint(realmName))}</p>
${errorNote(error)}
<form method="post" action="${forgottenPath}">
<label for="email">${escapeHtml(words.email)}</label>
<input id="email" name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username" autofocus>
<button type="submit">${escapeHtml(words.sendLink)}</button>
</form>
<p class="soft"><a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

/** The same whether an account has the address or not. */
export function linkSentPage(language: Language, realmName: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.newPasswordFor(realmName),
    language,
    body: `<h1>${escapeHtml(words.lookIntoMail)}</h1>
<p>${escapeHtml(words.linkOnWay(realmName))}</p>
<p>${escapeHtml(words.nothingCame)}</p>
<p class="soft"><a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

export function newPasswordPage(
  form: Spoken & Form & { action: string; email: string; passwordMin: number },
): RawReply {
  const words = pageWords(form.language);
  return page({
    title: words.newPasswordFor(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(words.newPasswordTitle)}</h1>
<p class="soft">${escapeHtml(words.loggedOutHint(form.realmName))}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<label for="email">${escapeHtml(words.email)}</label>
<input id="email" name="username" type="email" value="${escapeHtml(form.email)}" readonly autocomplete="username">
${newPasswordField(words, words.newPassword, form.passwordMin, true)}<label class="choice"><input type="checkbox" name="end_api_keys" value="true"> ${escapeHtml(words.endKeys)}</label>
<button type="submit">${escapeHtml(words.setPassword)}</button>
</form>`,
  });
}

/** Asks whether an address is to be confirmed: programs that look at links in emails press no button. */
export function confirmAddressPage(form: Spoken & Form & { action: string; email: string }): RawReply {
  const words = pageWords(form.language);
  return page({
    title: words.confirmAddressFor(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(words.confirmAddress)}</h1>
<p>${escapeHtml(words.addressFromNow(form.email, form.realmName))}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">${escapeHtml(words.confirm)}</button>
</form>`,
  });
}

export function linkUsedPage(language: Language, realmName: string, what: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.doneAt(realmName),
    language,
    body: `<h1>${escapeHtml(words.done)}</h1>
<p>${escapeHtml(what)}</p>
<p><a class="button" href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}

/**
 * Asks whether somebody wants no more emails: programs that look at links in emails press no button.
 *
 * @param form.what says which ones, as a heading
 */
export function unsubscribePage(form: Spoken & Form & { action: string; email: string; what: string }): RawReply {
  const words = pageWords(form.language);
  return page({
    title: words.emailsFrom(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    body: `<h1>${escapeHtml(form.what)}</h1>
<p>${escapeHtml(words.endHint(form.email, form.realmName))}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">${escapeHtml(words.turnOff)}</button>
</form>`,
  });
}

/** For a link that is unknown, over, or was used: all look the same from outside. */
export function deadLinkPage(language: Language): RawReply {
  const words = pageWords(language);
  return page({
    title: words.deadLink,
    language,
    status: 404,
    body: `<h1>${escapeHtml(words.deadLink)}</h1>
<p>${escapeHtml(words.deadLinkHint)}</p>
<p><a href="${forgottenPath}">${escapeHtml(words.askForPassword)}</a> · <a href="/login/">${escapeHtml(words.logIn)}</a></p>`,
  });
}
