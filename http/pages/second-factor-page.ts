/** Where somebody who has shown their password shows a code as well. */
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { type PasskeyForm, passkeyForm, passkeyScript } from "./passkey-form.ts";
import { pageWords } from "./words/words.ts";

export const secondFactorPath = "/login/second-factor/";

export function secondFactorPage(form: {
  language: Language;
  realmName: string;
  /** The log-in so far, sealed. */
  pending: string;
  passkey?: PasskeyForm | undefined;
  error?: string;
  status?: number;
}): RawReply {
  const words = pageWords(form.language);
  const described = form.error === undefined ? "code-hint" : "error code-hint";
  return page({
    title: words.logInTo(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    ...(form.passkey && { script: passkeyScript }),
    body: `<h1>${escapeHtml(words.oneMoreStep)}</h1>
${errorNote(form.error)}
${passkeyForm(words, form.passkey, { action: secondFactorPath, label: words.usePasskey, fields: { pending: form.pending } })}<form method="post" action="${secondFactorPath}">
<input type="hidden" name="pending" value="${escapeHtml(form.pending)}">
<label for="code">${escapeHtml(words.code)}</label>
<input id="code" name="code" required maxlength="100" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" autofocus aria-describedby="${described}">
<p class="hint" id="code-hint">${escapeHtml(words.codeHint)}</p>
<button type="submit">${escapeHtml(words.goOn)}</button>
</form>
<p class="soft">${escapeHtml(words.lostAll(form.realmName))}</p>
<p class="soft"><a href="/login/">${escapeHtml(words.beginAgain)}</a></p>`,
  });
}

/** Where whoever has to have a second factor sets one up. */
export function enrolmentPage(form: {
  language: Language;
  realmName: string;
  pending: string;
  secret: string;
  qr: { size: number; path: string };
  passkey?: PasskeyForm | undefined;
  error?: string;
  status?: number;
}): RawReply {
  const { size, path } = form.qr;
  const side = size + 8;
  const words = pageWords(form.language);
  return page({
    title: words.logInTo(form.realmName),
    language: form.language,
    status: form.status ?? 200,
    ...(form.passkey && { script: passkeyScript }),
    body: `<h1>${escapeHtml(words.setUpFactor)}</h1>
<p>${escapeHtml(words.wantsFactor(form.realmName))}</p>
${passkeyForm(words, form.passkey, { action: `${secondFactorPath}set-up/`, label: words.setUpPasskey, fields: { pending: form.pending } })}<p>${escapeHtml(words.readPicture)}</p>
<svg viewBox="-4 -4 ${side} ${side}" width="220" height="220" role="img" aria-label="${escapeHtml(words.picture)}"><path fill="#fff" d="M-4-4h${side}v${side}h-${side}z"/><path fill="#000" d="${path}"/></svg>
<p>${escapeHtml(words.typeSecret)} <code>${escapeHtml(form.secret.replace(/.{4}(?=.)/g, "$& "))}</code></p>
${errorNote(form.error)}
<form method="post" action="${secondFactorPath}set-up/">
<input type="hidden" name="pending" value="${escapeHtml(form.pending)}">
<label for="code">${escapeHtml(words.codeShown)}</label>
<input id="code" name="code" required maxlength="100" inputmode="numeric" autocomplete="one-time-code" autofocus${form.error === undefined ? "" : ' aria-describedby="error"'}>
<button type="submit">${escapeHtml(words.goOn)}</button>
</form>`,
  });
}

/** Recovery codes, which are shown this once. */
export function recoveryCodesPage(told: {
  language: Language;
  realmName: string;
  codes: readonly string[];
  pending: string;
}): RawReply {
  const words = pageWords(told.language);
  return page({
    title: words.logInTo(told.realmName),
    language: told.language,
    body: `<h1>${escapeHtml(words.keepCodes)}</h1>
<p>${escapeHtml(words.keepCodesHint)}</p>
<pre dir="ltr">${told.codes.map(escapeHtml).join("\n")}</pre>
<form method="post" action="${secondFactorPath}set-up/">
<input type="hidden" name="pending" value="${escapeHtml(told.pending)}">
<button type="submit">${escapeHtml(words.keptCodes)}</button>
</form>`,
  });
}
