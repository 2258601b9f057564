/** What the pages say that people meet before they are logged in, in English, which is the base. */
import type { Translated } from "../../../actors/text/languages.ts";

export const words = {
  logInTo: (realm: string) => `Log in to ${realm}`,
  toApplication: "You return to your application afterwards.",
  emailOrName: "Email or user name",
  email: "Email",
  password: "Password",
  logIn: "Log in",
  usePasskey: "Use a passkey",
  forgotten: "Forgot your password?",
  aboutServer: "What this server is",
  logInWith: (provider: string) => `Log in with ${provider}`,
  orPassword: "Or with your password:",
  wrongPassword: "Your username or password is incorrect",
  tooMuch: "That was too much at once. Try again in a moment.",
  newPasswordFor: (realm: string) => `A new password for ${realm}`,
  newPasswordTitle: "A new password",
  linkHint: (realm: string) => `A link to choose one is sent to the address of your account at ${realm}.`,
  sendLink: "Send the link",
  lookIntoMail: "Look into your mail",
  linkOnWay: (realm: string) =>
    `If an account at ${realm} has this address, a link is on its way to it. It works once, within a day.`,
  nothingCame:
    "Nothing came? Look at what your mail program takes for spam, and whether you gave the address of your account.",
  loggedOutHint: (realm: string) => `For your account at ${realm}. Every browser is logged out.`,
  newPassword: "New password",
  passwordHint: (n: number) =>
    `At least ${n} characters, and none that many people choose or that is made of your name.`,
  endKeys: "Also end API keys: applications on phones and programs that act for me have to log in again",
  setPassword: "Set the password",
  deadLink: "This link is not valid",
  deadLinkHint: "It may have been used, or be too old, or there is a newer one.",
  askForPassword: "Ask for a new password",
  joinRealm: (realm: string) => `Join ${realm}`,
  invitedAsks: "You were invited. A link to make your account is sent to your address.",
  invited: "You were invited. Make your account to begin.",
  name: "Name",
  join: "Join",
  haveAccount: "Do you have an account already?",
  joinOnWay: (realm: string) =>
    `A link to make your account at ${realm} is on its way to your address. It works once, within a day.`,
  joinNothingCame:
    "Nothing came? Look at what your mail program takes for spam, and whether you typed your address right.",
  youHaveAccount: "You have an account",
  hasAccount: (realm: string) => `Your address has an account at ${realm} already.`,
  deadInvitation: "This invitation is not valid",
  deadInvitationHint: (realm: string) =>
    `It may have expired, been used or been taken back. Ask somebody in ${realm} for a new one.`,
  oneMoreStep: "One more step",
  code: "Code",
  codeHint: "The six digits that your authenticator application shows now, or one of your recovery codes.",
  goOn: "Go on",
  lostAll: (realm: string) => `Lost all of them? An administrator of ${realm} can take the second factor away.`,
  beginAgain: "Begin again",
} as const;

export type PageWords = Translated<typeof words>;
