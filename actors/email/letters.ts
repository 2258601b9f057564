/** The letters of this server, apart from those about missed messages. Each is in the language of its reader. */
import type { UserRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { type Letter, type LetterBlock, nameInLetter } from "./letter.ts";
import { timeIn } from "./shown-words.ts";
import { type LetterWords, languageFor, programIn, wordsIn } from "./words/words.ts";

const say = (text: string): LetterBlock => ({ kind: "text", text });
const button = (label: string, url: string): LetterBlock => ({ kind: "button", label, url });

/** @param reader whose language it has; undefined: somebody without an account, and it is the organization's */
function letter(
  state: RealmState,
  reader: UserRow | undefined,
  write: (words: LetterWords, realm: string) => { subject: string; blocks: LetterBlock[] },
): Letter {
  const realm = nameInLetter(state.row.name);
  const language = languageFor(state, reader);
  return { ...write(wordsIn(language), realm), footer: `${realm}\n${state.url}`, language };
}

/** Somebody is invited. @param url where they join @param expiresAt UNIX seconds; null: the link is good for ever */
export function invitationLetter(state: RealmState, inviter: UserRow, url: string, expiresAt: number | null): Letter {
  const name = nameInLetter(inviter.full_name);
  const language = languageFor(state, undefined);
  return letter(state, undefined, (words, realm) => ({
    subject: words.invitationSubject(name, realm),
    blocks: [
      say(words.invitation(name, inviter.delivery_email, realm)),
      button(words.join, url),
      ...(expiresAt === null ? [] : [say(words.invitationUntil(timeIn(inviter.timezone, expiresAt, language)))]),
      say(words.unexpected),
    ],
  }));
}

/** Somebody wants to join with this address, by a link that anybody may use. They may have an account already. */
export const joinLetter = (state: RealmState): Letter =>
  letter(state, undefined, (words, realm) => ({
    subject: words.joinSubject(realm),
    blocks: [say(words.joinAsked(realm)), say(words.joinOnce)],
  }));

/** Somebody has joined. @param isConfirmed whether their address is known to be theirs */
export const welcomeLetter = (state: RealmState, user: UserRow, isConfirmed: boolean): Letter =>
  letter(state, user, (words, realm) => {
    const begin = words.welcome(realm, user.delivery_email);
    return {
      subject: words.welcomeSubject(realm),
      blocks: [
        say(isConfirmed ? begin : `${begin} ${words.confirmWelcome}`),
        button(words.open(realm), state.url),
        say(words.applications(state.url)),
        say(words.notYours),
      ],
    };
  });

/** Somebody who forgot their password gets a link. @param asker undefined: they asked themselves */
export const passwordLetter = (state: RealmState, user: UserRow | undefined, asker?: UserRow): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.passwordSubject(realm),
    blocks: [
      say(asker ? words.passwordAskedBy(nameInLetter(asker.full_name), realm) : words.passwordAsked(realm)),
      say(words.passwordOnce),
    ],
  }));

/** Somebody was brought in, by an administrator or with an import, and never was here. */
export const accountMadeLetter = (state: RealmState, user: UserRow): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.accountSubject(realm),
    blocks: [
      say(words.accountMade(realm)),
      say(words.accountOnce(state.url, user.delivery_email)),
      say(words.accountApplications(state.url)),
      say(words.knowNobody),
    ],
  }));

/** Somebody's account was ended. @param comment what the administrator says of it; empty: nothing */
export const deactivatedLetter = (state: RealmState, user: UserRow, actor: UserRow, comment: string): Letter =>
  letter(state, user, (words, realm) => {
    const name = nameInLetter(actor.full_name);
    return {
      subject: words.deactivatedSubject(realm),
      blocks: [
        say(words.deactivated(name, realm)),
        ...(comment.trim() === "" ? [] : [say(words.says(name, comment.trim()))]),
        say(words.askIfMistake),
      ],
    };
  });

/** To the address of an account that has another password now. */
export const passwordChangedLetter = (state: RealmState, user: UserRow): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.passwordChangedSubject(realm),
    blocks: [say(words.passwordChanged(realm)), say(words.loggedOutAll)],
  }));

/** To somebody whose log-ins ask for a code from now on, or no longer. */
export const secondFactorLetter = (state: RealmState, user: UserRow, isOn: boolean): Letter =>
  letter(state, user, (words, realm) => ({
    subject: isOn ? words.factorOnSubject(realm) : words.factorOffSubject(realm),
    blocks: [say(isOn ? words.factorOn(realm) : words.factorOff(realm)), say(words.notYou)],
  }));

/** To somebody who has another passkey or application now, or lost one. @param what says what happened */
export const factorLetter = (state: RealmState, user: UserRow, what: (words: LetterWords) => string): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.logInSubject(realm),
    blocks: [say(what(words)), say(words.notYou)],
  }));

/** To an address that somebody wants to have. */
export const confirmAddressLetter = (state: RealmState, user: UserRow): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.confirmAddressSubject(realm),
    blocks: [say(words.confirmAddress(nameInLetter(user.full_name), realm)), say(words.confirmOnce)],
  }));

/** To the address that an account has, when another one is asked for. */
export const addressAskedLetter = (state: RealmState, user: UserRow, email: string): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.addressAskedSubject(realm),
    blocks: [say(words.addressAsked(realm, email)), say(words.addressAskedHint)],
  }));

/** To both addresses, when an account has another one. @param user as it was */
export const addressChangedLetter = (state: RealmState, user: UserRow, to: string): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.addressChangedSubject(realm),
    blocks: [say(words.addressChanged(realm, user.delivery_email, to)), say(words.notYou)],
  }));

/** Somebody who came from a provider of identities is said to have this account. */
export const identityLetter = (state: RealmState, user: UserRow, provider: string): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.identitySubject(nameInLetter(provider), realm),
    blocks: [say(words.identity(nameInLetter(provider), realm)), say(words.identityOnce)],
  }));

/** To the address of an account into which somebody gets by a provider of identities now. */
export const identityLinkedLetter = (state: RealmState, user: UserRow, provider: string): Letter =>
  letter(state, user, (words, realm) => ({
    subject: words.linkedSubject(nameInLetter(provider), realm),
    blocks: [say(words.linked(nameInLetter(provider), realm)), say(words.notYou)],
  }));

/** Where and with what somebody has logged in. */
export interface LogIn {
  /** As far as its own words tell; empty: they do not. */
  program: string;
  system: string;
  address: string;
  /** UNIX seconds */
  at: number;
}

/** Somebody has logged in with something that they never logged in with before. */
export const newDeviceLetter = (state: RealmState, user: UserRow, { address, at, ...used }: LogIn): Letter =>
  letter(state, user, (words, realm) => {
    const language = languageFor(state, user);
    const time = timeIn(user.timezone, at, language);
    const program = programIn(language, used);
    return {
      subject: words.deviceSubject(realm),
      blocks: [
        say(words.device(realm)),
        say(words.deviceDetails(time, program || words.unknownProgram, address)),
        say(words.deviceHint),
      ],
    };
  });
