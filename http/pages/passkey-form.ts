/** A form by which a page of a log-in asks the browser for a passkey. It shows where the browser has passkeys. */
import { escapeHtml } from "./page.ts";
import type { PageWords } from "./words/words.ts";

export interface PasskeyForm {
  /** What the browser is asked. One with `user` asks it to make one. */
  options: Readonly<Record<string, unknown>>;
  challenge: string;
}

export function passkeyForm(
  words: PageWords,
  asked: PasskeyForm | undefined,
  form: { action: string; label: string; fields: Readonly<Record<string, string>> },
): string {
  if (!asked) return "";
  const fields = { ...form.fields, challenge: asked.challenge, credential: "" };
  return `<form method="post" action="${form.action}" data-passkey="${escapeHtml(JSON.stringify(asked.options))}" hidden>
${Object.entries(fields)
  .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  .join("\n")}
<button type="submit">${escapeHtml(form.label)}</button>
<p class="hint" role="status" data-failed="${escapeHtml(words.passkeyFailed)}"></p>
</form>
`;
}

/** Challenges are good for ten minutes; a page that has been open for longer fetches another one. */
export const passkeyScript = `
{
  const form = document.querySelector("form[data-passkey]");
  const kinds = window.PublicKeyCredential;
  if (form && kinds && kinds.parseRequestOptionsFromJSON) {
    form.hidden = false;
    const opened = Date.now();
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (Date.now() - opened > 540000) return location.reload();
      try {
        const options = JSON.parse(form.dataset.passkey);
        const credential = options.user
          ? await navigator.credentials.create({ publicKey: kinds.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: kinds.parseRequestOptionsFromJSON(options) });
        form.elements.credential.value = JSON.stringify(credential);
        form.submit();
      } catch {
        const status = form.querySelector("[role=status]");
        status.textContent = status.dataset.failed;
      }
    });
  }
}`;
