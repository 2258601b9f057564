/** What emails and notifications say in English, which is the base: every other language has what is here. */
export const words = {
  invitationSubject: (name: string, realm: string) => `${name} invites you to ${realm}`,
  invitation: (name: string, email: string, realm: string) =>
    `${name} (${email}) invites you to ${realm}, where people of one organization chat.`,
  join: "Join",
  invitationUntil: (time: string) => `The invitation is good until ${time}.`,
  unexpected: "If you did not expect this, do nothing: no account is made unless you make it.",
  joinSubject: (realm: string) => `Join ${realm}`,
  joinAsked: (realm: string) =>
    `Somebody, probably you, wants to join ${realm} with this address. Make your account here, within a day:`,
  joinOnce: "The link works once. If you have an account already, log in with it. If this was not you, do nothing.",
  makeAccount: "Make your account",
  welcomeSubject: (realm: string) => `Welcome to ${realm}`,
  welcome: (realm: string, email: string) => `You have an account at ${realm} now, under ${email}.`,
  confirmWelcome: "Confirm that this address is yours, so that you can be reached by it.",
  open: (realm: string) => `Open ${realm}`,
  applications: (url: string) =>
    `Applications for Zulip work as well: give them the address ${url} and log in with your email address.`,
  notYours: "If this was not you, somebody gave your address as theirs: do nothing, and nothing more is sent to you.",
  passwordSubject: (realm: string) => `A new password for ${realm}`,
  passwordAsked: (realm: string) =>
    `Somebody, probably you, asked for a new password for your account at ${realm}. Choose one here, within a day:`,
  passwordAskedBy: (name: string, realm: string) =>
    `${name}, an administrator, asked for a new password for your account at ${realm}. Choose one here, within a day:`,
  passwordOnce: "The link works once. If you do not need it, do nothing: your password stays as it is.",
  choosePassword: "Choose a new password",
  accountSubject: (realm: string) => `Your account at ${realm}`,
  accountMade: (realm: string) =>
    `An account was made for you at ${realm}, where people of one organization chat. Choose a password here:`,
  accountOnce: (url: string, email: string) =>
    `The link works once, within a day. Later, ask for another one: at ${url}, by "Forgot your password?". You log in with ${email}.`,
  accountApplications: (url: string) => `Applications for Zulip work as well: give them the address ${url}.`,
  knowNobody: "If you know nobody there, do nothing.",
  deactivatedSubject: (realm: string) => `Your account at ${realm} was deactivated`,
  deactivated: (name: string, realm: string) =>
    `${name} has deactivated your account at ${realm}. You are logged out everywhere.`,
  says: (name: string, comment: string) => `${name} says:\n${comment}`,
  askIfMistake: "If this is a mistake, ask an administrator of your organization.",
  passwordChangedSubject: (realm: string) => `Your password for ${realm} has changed`,
  passwordChanged: (realm: string) =>
    `Your account at ${realm} has a new password, chosen by a link that was sent to this address.`,
  loggedOutAll:
    "Every browser was logged out. If this was not you, ask an administrator of your organization for help at once.",
  notYou: "If this was not you, ask an administrator of your organization for help at once.",
  factorOnSubject: (realm: string) => `Your second factor for ${realm} is on`,
  factorOffSubject: (realm: string) => `Your second factor for ${realm} is off`,
  factorOn: (realm: string) => `Logging in to your account at ${realm} takes a code beside the password from now on.`,
  factorOff: (realm: string) => `Logging in to your account at ${realm} takes the password alone again.`,
  logInSubject: (realm: string) => `Your log-in to ${realm} has changed`,
  totpAdded: "An authenticator application was added to your account.",
  totpRemoved: "An authenticator application was removed from your account.",
  passkeyAdded: (name: string) => `A passkey, "${name}", was added to your account.`,
  passkeyRemoved: (name: string) => `The passkey "${name}" was removed from your account.`,
  passkeyBlocked: (name: string) =>
    `The passkey "${name}" of your account is blocked. It seems that somebody has a copy of it. Log in in another way, and remove it.`,
  confirmAddressSubject: (realm: string) => `Confirm your new address for ${realm}`,
  confirmAddress: (name: string, realm: string) =>
    `${name} wants this to be the address of their account at ${realm}. If that is you:`,
  confirmOnce: "The link works once, within a day. If it is not you, do nothing.",
  confirmButton: "Confirm this address",
  addressAskedSubject: (realm: string) => `Your address for ${realm} is about to change`,
  addressAsked: (realm: string, email: string) =>
    `Somebody who is logged in as you wants your account at ${realm} to have the address ${email}.`,
  addressAskedHint: "It changes when that address is confirmed. If this was not you, change your password at once.",
  addressChangedSubject: (realm: string) => `Your address for ${realm} has changed`,
  addressChanged: (realm: string, from: string, to: string) =>
    `Your account at ${realm} had the address ${from}, and has ${to} now. Log in with that one.`,
  identitySubject: (provider: string, realm: string) => `Link ${provider} with your account at ${realm}`,
  identity: (provider: string, realm: string) =>
    `Somebody, probably you, wants to log in to your account at ${realm} by ${provider}. Allow it here, within a day:`,
  identityOnce: "The link works once. If this was not you, do nothing: nobody gets into your account.",
  linkIdentity: "Link it with my account",
  linkedSubject: (provider: string, realm: string) => `You log in to ${realm} by ${provider}`,
  linked: (provider: string, realm: string) =>
    `Your account at ${realm} is linked with a log-in at ${provider}: whoever has that log-in gets in.`,
  deviceSubject: (realm: string) => `A new log-in to ${realm}`,
  device: (realm: string) =>
    `Your account at ${realm} was logged in to with something that was not used for it before.`,
  deviceDetails: (time: string, program: string, address: string) =>
    `When: ${time}\nWith: ${program}\nFrom: ${address}`,
  unknownProgram: "an unknown program",
  deviceHint: "If this was you, all is well. If not, change your password at once: that logs everybody else out.",
  unsubscribe: "No more emails like this",
  missedOne: "You missed a message",
  missed: (n: number) => `You missed ${n} messages`,
  notSent: "What is in messages is not sent by email.",
  olderOnes: (n: number) => `${n} older ones are not shown here.`,
  noAnswers: "Nobody reads answers to this email: write in the conversation.",
  answers: "What you answer to this email, from this address, is posted in the conversation.",
  andOthers: (names: string) => `${names} and others`,
  spoiler: "(a message with a spoiler)",
  unknownUser: "Unknown user",
  directMessages: (names: string) => `Direct messages with ${names}`,
  andMore: (names: string, n: number) => `${names} and ${n} more`,
  digestSubject: (realm: string) => `What you missed in ${realm}`,
  digestMore: (n: number) => `More conversations with something new: ${n}`,
  digestHidden: (conversations: string) => `There is something new in ${conversations} of your channels.`,
  digestBy: (messages: string, people: string) => `${messages} by ${people}`,
  digestFooter: "You get this once a week while you are away.",
  oneConversation: "one conversation",
  conversations: (n: number) => `${n} conversations`,
  oneMessage: "one message",
  messages: (n: number) => `${n} messages`,
  onePerson: "one person",
  people: (n: number) => `${n} people`,
  newMessage: "New message",
  newDirectMessage: "New direct message",
} as const;
