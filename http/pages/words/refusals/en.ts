/** Refusals that pages show, in English: word for word what the server says of them, which pages know them by. */
import type { Translated } from "../../../../actors/text/languages.ts";

export const refusals = {
  notFromSite: "This form was not sent from this site.",
  wrongPassword: "Your username or password is incorrect",
  deactivated: "Account is deactivated",
  otherNetwork: "Your organization lets people in only from its own networks.",
  sendsNoEmail: "This server sends no email. Ask whoever runs it for help.",
  tookTooLong: "This took too long, or something has changed: log in again.",
  tookTooLongOrDone: "This took too long, or was done already. Please log in again.",
  linkIsOver: "This link is not valid any more.",
  invitationIsOver: "This invitation is not valid any more.",
  confirmFirst: "Confirm your address first.",
  passwordLength: (least: string, most: string) => `Password must have from ${least} to ${most} characters.`,
  passwordEasy: "Password is too easy to guess.",
  passwordNames: "Password is little more than your name or address, or the organization's.",
  nameShort: "Name too short!",
  nameLong: "Name too long!",
  nameCharacters: "Invalid characters in name!",
  nameFormat: "Invalid format!",
  nameTaken: "Unique names required in this organization.",
  addressInvalid: "Invalid address.",
  addressInUse: (email: string) => `Email '${email}' already in use`,
  addressPlus: "Email addresses containing + are not allowed.",
  addressDomain: (domain: string) =>
    `The domain of your email address, ${domain}, is not allowed in this organization.`,
  addressDisposable: "Please use your real email address.",
  addressUnconfirmed:
    "This organization lets in only addresses of some domains, and this server sends no email to confirm yours. Ask an administrator to invite your address.",
  wrongCode: "This code is wrong, or was used before.",
  otherCode: "This is not the code that your application shows now.",
  nothingSetUp: "Nothing is being set up: begin anew.",
  challengeOver: "This challenge is over, or was used before: begin anew.",
  otherPasskey: "This is not what a passkey of yours says to it.",
  passkeyRegistered: "This passkey is registered already.",
  passkeyBlocked: "This passkey is blocked: it seems that somebody has a copy. Log in in another way, and remove it.",
  noProvider: "Nobody logs in here by that provider.",
  staleLogIn: (provider: string) => `This log-in by ${provider} did not begin here, or is over. Please begin again.`,
  notLoggedIn: (provider: string, reason: string) => `${provider} did not log you in: ${reason}.`,
  invalidAnswer: (provider: string) =>
    `What ${provider} answered is not valid, so you are not logged in. Try again, or tell whoever runs this server.`,
  didNotSay: (provider: string) => `${provider} did not say who you are.`,
  unavailable: (provider: string, reason: string) =>
    `${provider} cannot be asked at the moment: ${reason}. Log in another way, or later.`,
  notLinked: "You have no account here that is linked with this log-in.",
  nobodyWaits: "Nobody waits for this to be linked.",
  linkedAlready: "This log-in is linked with an account already.",
  nobodyToMail: "There is nobody to send a link to.",
  callElsewhere: "This link to a call was not made here.",
  callStale: (service: string) => `This did not begin here. Please start a call on ${service} again.`,
  noService: (service: string) => `${service} is not configured.`,
} as const;

export type Refusals = Translated<typeof refusals>;
