/** The letters that this server writes, apart from those about missed messages. */
import type { UserRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { type Letter, type LetterBlock, nameInLetter } from "./letter.ts";
import { timeIn } from "./shown-words.ts";

const say = (text: string): LetterBlock => ({ kind: "text", text });
const button = (label: string, url: string): LetterBlock => ({ kind: "button", label, url });

function letter(state: RealmState, subject: string, blocks: LetterBlock[]): Letter {
  return { subject, blocks, footer: `${nameInLetter(state.row.name)}\n${state.url}` };
}

/** Somebody is invited. @param url where they join @param expiresAt UNIX seconds; null: the link is good for ever */
export function invitationLetter(state: RealmState, inviter: UserRow, url: string, expiresAt: number | null): Letter {
  const realm = nameInLetter(state.row.name);
  const name = nameInLetter(inviter.full_name);
  return letter(state, `${name} invites you to ${realm}`, [
    say(`${name} (${inviter.delivery_email}) invites you to ${realm}, where people of one organization chat.`),
    button("Join", url),
    ...(expiresAt === null ? [] : [say(`The invitation is good until ${timeIn(inviter.timezone, expiresAt)}.`)]),
    say("If you did not expect this, do nothing: no account is made unless you make it."),
  ]);
}

/** Somebody wants to join with this address, by a link that anybody may use. They may have an account already. */
export function joinLetter(state: RealmState): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Join ${realm}`, [
    say(`Somebody, probably you, wants to join ${realm} with this address. Make your account here, within a day:`),
    say("The link works once. If you have an account already, log in with it. If this was not you, do nothing."),
  ]);
}

/** Somebody has joined. @param isConfirmed whether their address is known to be theirs */
export function welcomeLetter(state: RealmState, email: string, isConfirmed: boolean): Letter {
  const realm = nameInLetter(state.row.name);
  const begin = `You have an account at ${realm} now, under ${email}.`;
  return letter(state, `Welcome to ${realm}`, [
    say(isConfirmed ? begin : `${begin} Confirm that this address is yours, so that you can be reached by it.`),
    button(`Open ${realm}`, state.url),
    say(`Applications for Zulip work as well: give them the address ${state.url} and log in with your email address.`),
    say("If this was not you, somebody gave your address as theirs: do nothing, and nothing more is sent to you."),
  ]);
}

/** Somebody who forgot their password gets a link. @param asker undefined: they asked themselves */
export function passwordLetter(state: RealmState, asker?: UserRow): Letter {
  const realm = nameInLetter(state.row.name);
  const who = asker === undefined ? "Somebody, probably you," : `${nameInLetter(asker.full_name)}, an administrator,`;
  return letter(state, `A new password for ${realm}`, [
    say(`${who} asked for a new password for your account at ${realm}. Choose one here, within a day:`),
    say("The link works once. If you do not need it, do nothing: your password stays as it is."),
  ]);
}

/** Somebody was brought in, by an administrator or with an import, and never was here. */
export function accountMadeLetter(state: RealmState, email: string): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your account at ${realm}`, [
    say(`An account was made for you at ${realm}, where people of one organization chat. Choose a password here:`),
    say(
      `The link works once, within a day. Later, ask for another one: at ${state.url}, by "Forgot your password?". You log in with ${email}.`,
    ),
    say(`Applications for Zulip work as well: give them the address ${state.url}.`),
    say("If you know nobody there, do nothing."),
  ]);
}

/** Somebody's account was ended. @param comment what the administrator says of it; empty: nothing */
export function deactivatedLetter(state: RealmState, actor: UserRow, comment: string): Letter {
  const realm = nameInLetter(state.row.name);
  const name = nameInLetter(actor.full_name);
  return letter(state, `Your account at ${realm} was deactivated`, [
    say(`${name} has deactivated your account at ${realm}. You are logged out everywhere.`),
    ...(comment.trim() === "" ? [] : [say(`${name} says:\n${comment.trim()}`)]),
    say("If this is a mistake, ask an administrator of your organization."),
  ]);
}

/** To the address of an account that has another password now. */
export function passwordChangedLetter(state: RealmState): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your password for ${realm} has changed`, [
    say(`Your account at ${realm} has a new password, chosen by a link that was sent to this address.`),
    say(
      "Every browser was logged out. If this was not you, ask an administrator of your organization for help at once.",
    ),
  ]);
}

/** To somebody whose log-ins ask for a code from now on, or no longer. */
export function secondFactorLetter(state: RealmState, isOn: boolean): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your second factor for ${realm} is ${isOn ? "on" : "off"}`, [
    say(
      isOn
        ? `Logging in to your account at ${realm} takes a code beside the password from now on.`
        : `Logging in to your account at ${realm} takes the password alone again.`,
    ),
    say("If this was not you, ask an administrator of your organization for help at once."),
  ]);
}

/** To somebody who has another passkey or application now, or lost one. @param what a sentence */
export function factorLetter(state: RealmState, what: string): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your log-in to ${realm} has changed`, [
    say(what),
    say("If this was not you, ask an administrator of your organization for help at once."),
  ]);
}

/** To an address that somebody wants to have. */
export function confirmAddressLetter(state: RealmState, user: UserRow): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Confirm your new address for ${realm}`, [
    say(`${nameInLetter(user.full_name)} wants this to be the address of their account at ${realm}. If that is you:`),
    say("The link works once, within a day. If it is not you, do nothing."),
  ]);
}

/** To the address that an account has, when another one is asked for. */
export function addressAskedLetter(state: RealmState, email: string): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your address for ${realm} is about to change`, [
    say(`Somebody who is logged in as you wants your account at ${realm} to have the address ${email}.`),
    say("It changes when that address is confirmed. If this was not you, change your password at once."),
  ]);
}

/** To both addresses, when an account has another one. */
export function addressChangedLetter(state: RealmState, from: string, to: string): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `Your address for ${realm} has changed`, [
    say(`Your account at ${realm} had the address ${from}, and has ${to} now. Log in with that one.`),
    say("If this was not you, ask an administrator of your organization for help at once."),
  ]);
}

/** Somebody who came from a provider of identities is said to have this account. */
export function identityLetter(state: RealmState, provider: string): Letter {
  const realm = nameInLetter(state.row.name);
  const name = nameInLetter(provider);
  return letter(state, `Link ${name} with your account at ${realm}`, [
    say(`Somebody, probably you, wants to log in to your account at ${realm} by ${name}. Allow it here, within a day:`),
    say("The link works once. If this was not you, do nothing: nobody gets into your account."),
  ]);
}

/** To the address of an account into which somebody gets by a provider of identities now. */
export function identityLinkedLetter(state: RealmState, provider: string): Letter {
  const realm = nameInLetter(state.row.name);
  const name = nameInLetter(provider);
  return letter(state, `You log in to ${realm} by ${name}`, [
    say(`Your account at ${realm} is linked with a log-in at ${name}: whoever has that log-in gets in.`),
    say("If this was not you, ask an administrator of your organization for help at once."),
  ]);
}

/** Where and with what somebody has logged in. */
export interface LogIn {
  /** As far as its own words tell; empty: they do not. */
  program: string;
  address: string;
  /** UNIX seconds */
  at: number;
}

/** Somebody has logged in with something that they never logged in with before. */
export function newDeviceLetter(state: RealmState, user: UserRow, { program, address, at }: LogIn): Letter {
  const realm = nameInLetter(state.row.name);
  return letter(state, `A new log-in to ${realm}`, [
    say(`Your account at ${realm} was logged in to with something that was not used for it before.`),
    say(`When: ${timeIn(user.timezone, at)}\nWith: ${program || "an unknown program"}\nFrom: ${address}`),
    say("If this was you, all is well. If not, change your password at once: that logs everybody else out."),
  ]);
}
