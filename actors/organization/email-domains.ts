/** Checks which email addresses may join an organization. */
import { badRequest } from "../errors.ts";
import type { RealmState } from "../realm/state/state.ts";

/** The best-known services of disposable addresses. A longer list would be out of date as soon. */
const disposableDomains = new Set([
  "10minutemail.com",
  "dispostable.com",
  "fakeinbox.com",
  "getnada.com",
  "grr.la",
  "guerrillamail.com",
  "guerrillamail.net",
  "mailcatch.com",
  "maildrop.cc",
  "mailinator.com",
  "mailnesia.com",
  "mintemail.com",
  "moakt.com",
  "sharklasers.com",
  "spamgourmet.com",
  "temp-mail.org",
  "tempmail.com",
  "throwawaymail.com",
  "trashmail.com",
  "yopmail.com",
]);

/**
 * Refuses an address that nobody has confirmed where only some domains are let in and no email can be sent. The
 * restriction would be worth nothing: anybody can type an address of the right domain.
 *
 * @throws BAD_REQUEST
 */
export function checkConfirmable(state: RealmState): void {
  if (state.setting("emails_restricted_to_domains") && !state.server.sendsEmail)
    throw badRequest(
      "This organization lets in only addresses of some domains, and this server sends no email to confirm yours. Ask an administrator to invite your address.",
    );
}

/**
 * Checks an address. An organization restricted to domains accepts only theirs. Otherwise one that refuses disposable
 * addresses refuses their known domains.
 *
 * @throws BAD_REQUEST
 */
export function checkEmailDomain(state: RealmState, email: string): void {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1).toLowerCase();
  if (state.setting("emails_restricted_to_domains")) {
    // With a `+`, one mailbox has any number of addresses.
    if (email.slice(0, at).includes("+")) throw badRequest("Email addresses containing + are not allowed.");
    for (const allowed of state.domains.values()) {
      if (domain === allowed.domain || (allowed.allow_subdomains && domain.endsWith(`.${allowed.domain}`))) return;
    }
    throw badRequest(`The domain of your email address, ${domain}, is not allowed in this organization.`);
  }
  if (state.setting("disallow_disposable_email_addresses") && disposableDomains.has(domain))
    throw badRequest("Please use your real email address.");
}
