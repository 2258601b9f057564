/** Where somebody logs in with a browser, for themselves or for an application on their phone. */
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { desktopLoginScript } from "./desktop-page.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { type PasskeyForm, passkeyForm, passkeyScript } from "./passkey-form.ts";
import { type PageWords, pageWords } from "./words/words.ts";

/** Where somebody asks for a link. Clients know it. */
export const forgottenPath = "/accounts/password/reset/";

const passkeyPath = "/login/passkey/";

export interface LoginForm {
  language: Language;
  realmName: string;
  username?: string;
  /** What says where somebody goes afterwards. */
  fields: Readonly<Record<string, string>>;
  isForApplication: boolean;
  /** People also log in by names that are no addresses. */
  hasNames?: boolean;
  /** Other services by which people log in, and where that begins. */
  providers: readonly { name: string; url: string }[];
  /** undefined: browsers have no passkeys here. */
  passkey?: PasskeyForm | undefined;
  error?: string;
  status?: number;
}

export function loginPage(form: LoginForm): RawReply {
  const words = pageWords(form.language);
  const title = words.logInTo(form.realmName);
  const described = form.error === undefined ? "" : ' aria-describedby="error"';
  const script = `${form.providers.length > 0 ? desktopLoginScript : ""}${form.passkey ? passkeyScript : ""}`;
  return page({
    title,
    language: form.language,
    status: form.status ?? 200,
    ...(script !== "" && { script }),
    body: `<h1>${escapeHtml(title)}</h1>
${form.isForApplication ? `<p class="soft">${escapeHtml(words.toApplication)}</p>` : ""}
${errorNote(form.error)}
${providerButtons(form.providers, words)}<form method="post" action="/login/">
${Object.entries(form.fields)
  .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  .join("\n")}
<label for="username">${escapeHtml(form.hasNames ? words.emailOrName : words.email)}</label>
<input id="username" name="username" type="${form.hasNames ? "text" : "email"}" value="${escapeHtml(form.username ?? "")}" required maxlength="254" autocomplete="username"${form.username ? "" : " autofocus"}${described}>
<label for="password">${escapeHtml(words.password)}</label>
<input id="password" name="password" type="password" required autocomplete="current-password"${form.username ? " autofocus" : ""}${described}>
<button type="submit">${escapeHtml(words.logIn)}</button>
</form>
${passkeyForm(words, form.passkey, { action: passkeyPath, label: words.usePasskey, fields: form.fields })}<p class="soft"><a href="${forgottenPath}">${escapeHtml(words.forgotten)}</a></p>
<p class="soft"><a href="/about/">${escapeHtml(words.aboutServer)}</a></p>`,
  });
}

const providerButtons = (providers: LoginForm["providers"], words: PageWords): string =>
  providers.length === 0
    ? ""
    : `${providers.map(({ name, url }) => `<p><a class="button provider" href="${escapeHtml(url)}">${escapeHtml(words.logInWith(name))}</a></p>`).join("\n")}
<p class="soft">${escapeHtml(words.orPassword)}</p>
`;
