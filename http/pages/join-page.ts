/** Where somebody who was invited makes their account. */
import { limits } from "../../actors/realm/state/settings.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { newPasswordField } from "./password-field.ts";

export interface JoinForm {
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
  const email = form.invitedEmail ?? form.email ?? "";
  const described = form.error === undefined ? "" : ' aria-describedby="error"';
  return page({
    title: `Join ${form.realmName}`,
    status: form.status ?? 200,
    body: `<h1>Join ${escapeHtml(form.realmName)}</h1>
<p class="soft">${form.asksAddressOnly ? "You were invited. A link to make your account is sent to your address." : "You were invited. Make your account to begin."}</p>
${errorNote(form.error)}
<form method="post" action="${escapeHtml(form.action)}">
${form.asksAddressOnly ? "" : nameField(form.fullName ?? "", described)}<label for="email">Email</label>
<input id="email" name="email" type="email" value="${escapeHtml(email)}" required maxlength="254" autocomplete="username"${form.invitedEmail === null ? "" : " readonly"}${described}>
${form.asksAddressOnly ? '<button type="submit">Send the link</button>' : `${newPasswordField("Password", form.passwordMin)}<button type="submit">Join</button>`}
</form>
<p class="soft">Do you have an account already? <a href="/login/">Log in</a></p>`,
  });
}

const nameField = (fullName: string, described: string): string => `<label for="full_name">Name</label>
<input id="full_name" name="full_name" value="${escapeHtml(fullName)}" required maxlength="${limits.fullName}" autocomplete="name" autofocus${described}>
`;

/** The same whether an account has the address or not. */
export function joinSentPage(realmName: string): RawReply {
  return page({
    title: `Join ${realmName}`,
    body: `<h1>Look into your mail</h1>
<p>A link to make your account at ${escapeHtml(realmName)} is on its way to your address. It works once, within a day.</p>
<p>Nothing came? Look at what your mail program takes for spam, and whether you typed your address right.</p>`,
  });
}

/** For a link to an address that has an account by now. */
export function hasAccountPage(realmName: string): RawReply {
  return page({
    title: `Join ${realmName}`,
    body: `<h1>You have an account</h1>
<p>Your address has an account at ${escapeHtml(realmName)} already.</p>
<p><a class="button" href="/login/">Log in</a></p>`,
  });
}

/** For a link that is unknown, over, or was taken back: all look the same from outside. */
export function deadInvitationPage(realmName: string): RawReply {
  return page({
    title: "This invitation is not valid",
    status: 404,
    body: `<h1>This invitation is not valid</h1>
<p>It may have expired, been used or been taken back. Ask somebody in ${escapeHtml(realmName)} for a new one.</p>
<p><a href="/login/">Log in</a> if you have an account.</p>`,
  });
}
