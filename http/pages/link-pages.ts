/** What people do by a link in an email, and where they ask for one. */
import type { RawReply } from "../api/reply.ts";
import { forgottenPath } from "./login-page.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";

interface Form {
  realmName: string;
  error?: string;
  status?: number;
}

/** Asks for the address to which a link is sent. */
export function forgottenPage({ realmName, email = "", error, status = 200 }: Form & { email?: string }): RawReply {
  return page({
    title: `A new password for ${realmName}`,
    status,
    body: `<h1>A new password</h1>
<p class="soft">A link to choose one is sent to the address of your account at ${escapeHtml(realmName)}.</p>
${errorNote(error)}
<form method="post" action="${forgottenPath}">
<label for="email">Email</label>
<input id="email" name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username" autofocus>
<button type="submit">Send the link</button>
</form>
<p class="soft"><a href="/login/">Log in</a></p>`,
  });
}

/** The same whether an account has the address or not. */
export function linkSentPage(realmName: string): RawReply {
  return page({
    title: `A new password for ${realmName}`,
    body: `<h1>Look into your mail</h1>
<p>If an account at ${escapeHtml(realmName)} has this address, a link is on its way to it. It works once, within a day.</p>
<p>Nothing came? Look at what your mail program takes for spam, and whether you gave the address of your account.</p>
<p class="soft"><a href="/login/">Log in</a></p>`,
  });
}

export function newPasswordPage(form: Form & { action: string; email: string; passwordMin: number }): RawReply {
  return page({
    title: `A new password for ${form.realmName}`,
    status: form.status ?? 200,
    body: `<h1>A new password</h1>
<p class="soft">For your account at ${escapeHtml(form.realmName)}. Every browser is logged out.</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<label for="email">Email</label>
<input id="email" name="username" type="email" value="${escapeHtml(form.email)}" readonly autocomplete="username">
${newPasswordField("New password", form.passwordMin, true)}<label class="choice"><input type="checkbox" name="end_api_keys" value="true"> Also end API keys: applications on phones and programs that act for me have to log in again</label>
<button type="submit">Set the password</button>
</form>`,
  });
}

/** Asks whether an address is to be confirmed: programs that look at links in emails press no button. */
export function confirmAddressPage(form: Form & { action: string; email: string }): RawReply {
  return page({
    title: `Confirm your address for ${form.realmName}`,
    status: form.status ?? 200,
    body: `<h1>Confirm your address</h1>
<p>${escapeHtml(form.email)} is the address of your account at ${escapeHtml(form.realmName)} from now on.</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">Confirm</button>
</form>`,
  });
}

export function linkUsedPage(realmName: string, what: string): RawReply {
  return page({
    title: `Done: ${realmName}`,
    body: `<h1>Done</h1>
<p>${escapeHtml(what)}</p>
<p><a class="button" href="/login/">Log in</a></p>`,
  });
}

/** Asks whether somebody wants no more emails: programs that look at links in emails press no button. */
/** @param form.what the emails that are turned off */
export function unsubscribePage(form: Form & { action: string; email: string; what: string }): RawReply {
  return page({
    title: `Emails from ${form.realmName}`,
    status: form.status ?? 200,
    body: `<h1>No more ${form.what}</h1>
<p>To ${escapeHtml(form.email)}, from ${escapeHtml(form.realmName)}. In your settings you can turn them on again.</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
<button type="submit">Turn them off</button>
</form>`,
  });
}

/** For a link that is unknown, over, or was used: all look the same from outside. */
export function deadLinkPage(): RawReply {
  return page({
    title: "This link is not valid",
    status: 404,
    body: `<h1>This link is not valid</h1>
<p>It may have been used, or be too old, or there is a newer one.</p>
<p><a href="${forgottenPath}">Ask for a new password</a>, or <a href="/login/">log in</a>.</p>`,
  });
}
