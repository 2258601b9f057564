/** Where somebody who has shown their password shows a code as well. */
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";

export const secondFactorPath = "/login/second-factor/";

export function secondFactorPage(form: {
  realmName: string;
  /** The log-in so far, sealed. */
  pending: string;
  error?: string;
  status?: number;
}): RawReply {
  const described = form.error === undefined ? "code-hint" : "error code-hint";
  return page({
    title: `Log in to ${form.realmName}`,
    status: form.status ?? 200,
    body: `<h1>One more step</h1>
${errorNote(form.error)}
<form method="post" action="${secondFactorPath}">
<input type="hidden" name="pending" value="${escapeHtml(form.pending)}">
<label for="code">Code</label>
<input id="code" name="code" required maxlength="100" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" autofocus aria-describedby="${described}">
<p class="hint" id="code-hint">The six digits that your authenticator application shows now, or one of your recovery codes.</p>
<button type="submit">Go on</button>
</form>
<p class="soft">Lost both? An administrator of ${escapeHtml(form.realmName)} can take the second factor away.</p>
<p class="soft"><a href="/login/">Begin again</a></p>`,
  });
}
