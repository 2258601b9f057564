/** Where a log-in for the desktop application ends, in a browser: the application takes it from the clipboard. */
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { escapeHtml, page } from "./page.ts";
import { pageWords } from "./words/words.ts";

/** Where the application goes with what it found on the clipboard. The application knows it. */
export const desktopLoginPath = "/accounts/login/subdomain/";

const copyScript = `
const field = document.getElementById("token");
document.getElementById("copy").addEventListener("click", async (event) => {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy");
  }
  event.target.textContent = event.target.dataset.copied;
});`;

/** @param sealed a token, encrypted for the application that asked */
export function desktopPage(language: Language, realmName: string, sealed: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.logInTo(realmName),
    language,
    script: copyScript,
    body: `<h1>${escapeHtml(words.oneMoreStep)}</h1>
<p>${escapeHtml(words.copyHint)}</p>
<label for="token">${escapeHtml(words.forApplication)}</label>
<input id="token" value="${escapeHtml(sealed)}" readonly>
<button id="copy" type="button" data-copied="${escapeHtml(words.copied)}">${escapeHtml(words.copy)}</button>
<p class="soft">${escapeHtml(words.notLoggedInHere)} <a href="/login/">${escapeHtml(words.logInHere)}</a></p>`,
  });
}

/**
 * In the desktop application a provider's button opens the person's own browser, and waits for the clipboard. The
 * application has the key by which it reads what comes.
 */
export const desktopLoginScript = `
const bridge = window.electron_bridge;
if (bridge && bridge.decrypt_clipboard)
  for (const link of document.querySelectorAll("a.provider"))
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      const { key, pasted } = bridge.decrypt_clipboard(1);
      const url = new URL(link.href);
      url.searchParams.set("desktop_flow_otp", Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join(""));
      window.open(url.href, "_blank");
      const token = await pasted;
      location.href = "${desktopLoginPath}" + encodeURIComponent(token);
    });`;
