/** Where somebody logs in with a browser, for themselves or for an application on their phone. */
import type { RawReply } from "../api/reply.ts";
import { desktopLoginScript } from "./desktop-page.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { type PasskeyForm, passkeyForm, passkeyScript } from "./passkey-form.ts";

/** Where somebody asks for a link. Clients know it. */
export const forgottenPath = "/accounts/password/reset/";

const passkeyPath = "/login/passkey/";

export interface LoginForm {
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
  const described = form.error === undefined ? "" : ' aria-describedby="error"';
  const script = `${form.providers.length > 0 ? desktopLoginScript : ""}${form.passkey ? passkeyScript : ""}`;
  return page({
    title: `Log in to ${form.realmName}`,
    status: form.status ?? 200,
    ...(script !== "" && { script }),
    body: `<h1>Log in to ${escapeHtml(form.realmName)}</h1>
${form.isForApplication ? '<p class="soft">You return to your application afterwards.</p>' : ""}
${errorNote(form.error)}
${providerButtons(form.providers)}<form method="post" action="/login/">
${Object.entries(form.fields)
  .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  .join("\n")}
<label for="username">${form.hasNames ? "Email or user name" : "Email"}</label>
<input id="username" name="username" type="${form.hasNames ? "text" : "email"}" value="${escapeHtml(form.username ?? "")}" required maxlength="254" autocomplete="username"${form.username ? "" : " autofocus"}${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" required autocomplete="current-password"${form.username ? " autofocus" : ""}${described}>
<button type="submit">Log in</button>
</form>
${passkeyForm(form.passkey, { action: passkeyPath, label: "Use a passkey", fields: form.fields })}<p class="soft"><a href="${forgottenPath}">Forgot your password?</a></p>
<p class="soft"><a href="/about/">What this server is</a></p>`,
  });
}

const providerButtons = (providers: LoginForm["providers"]): string =>
  providers.length === 0
    ? ""
    : `${providers.map(({ name, url }) => `<p><a class="button provider" href="${escapeHtml(url)}">Log in with ${escapeHtml(name)}</a></p>`).join("\n")}
<p class="soft">Or with your password:</p>
`;
