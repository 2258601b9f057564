/** The commands about people, and about what lets them in. */
import type { Command } from "./command.ts";

export const peopleCommands = {
  "user create": {
    usage: "--email E --name N [--password P] [--role owner|administrator|moderator|member|guest]",
    does: "Add an account, and print its key",
    words: { email: "Its address", name: "The person's name", password: "Without it one is made and shown" },
    example: "--email bob@example.com --name 'Bob Ross' --role moderator",
  },
  "user list": { usage: "", does: "Everybody, with their roles" },
  "user import": {
    usage: "FILE.csv [--send-link]",
    does: "Add the people of a table with columns email, name, role, password",
    words: { "send-link": "Mail each a link by which to choose a password" },
    example: "people.csv --send-link",
  },
  "user export": {
    usage: "FILE --email E",
    does: "What an account wrote and keeps, for its holder",
    example: "ada.tar.gz --email ada@example.com",
  },
  "user erase": {
    usage: "[--email E | --id N] [--messages keep|delete] [--dry-run | --confirm NAME] [--backup-days N]",
    does: "Erase a person's data for good, and report what went and what stays",
    words: {
      id: "Whose account, by its number: an erased one has no address",
      messages: "Whether what they wrote stays, under another name, or goes; it stays unless said",
      "dry-run": "Count what would go, and change nothing",
      confirm: "The person's name, so that it is nobody else",
      "backup-days": "For how many days backups are kept: the report says until when they have the data",
    },
    example: "--email ada@example.com --messages delete --dry-run",
  },
  "user deactivate": {
    usage: "--email E",
    does: "End an account: it is logged out everywhere",
    example: "--email bob@example.com",
  },
  "user reactivate": { usage: "--email E", does: "Bring an account back", example: "--email bob@example.com" },
  "user role": {
    usage: "--email E --role owner|administrator|moderator|member|guest",
    does: "Give an account another role",
    example: "--email bob@example.com --role administrator",
  },
  "user password": {
    usage: "--email E [--password P | --link | --send-link]",
    does: "Give an account another password, or show or send a link by which to choose one",
    words: {
      password: "The new one; without it one is made and shown",
      link: "Show a link by which the person chooses one",
      "send-link": "Mail the person such a link",
    },
    example: "--email bob@example.com --send-link",
  },
  "user email": {
    usage: "--email E --new-email N",
    does: "Give an account another address",
    words: { "new-email": "The new address" },
    example: "--email bob@example.com --new-email ross@example.com",
  },
  "user sessions": {
    usage: "--email E",
    does: "The browsers in which an account is logged in",
    example: "--email bob@example.com",
  },
  "user logout": {
    usage: "--email E [--session ID | --new-key]",
    does: "Log an account out of every browser, or of one; with --new-key of applications too",
    words: { session: "Of this browser alone, as user sessions tells it", "new-key": "Change its API key as well" },
    example: "--email bob@example.com --new-key",
  },
  "user second-factor": {
    usage: "--email E [--end]",
    does: "Whether an account has a second factor; with --end it has none any more",
    words: { end: "End it, for somebody who has lost it" },
    example: "--email bob@example.com --end",
  },
  "user permit": {
    usage: "--email E [--can-create-users on|off] [--can-change-user-emails on|off]",
    does: "Let an administrator add accounts, or an owner change addresses",
    words: {
      "can-create-users": "Whether an administrator may add accounts by the API",
      "can-change-user-emails": "Whether an owner may change people's addresses by the API",
    },
    example: "--email ada@example.com --can-create-users on",
  },
  "user api-key": { usage: "--email E", does: "Show an account's API key", example: "--email ada@example.com" },
  "scim-token create": {
    usage: "--name N",
    does: "Make a token by which a directory provisions accounts",
    words: { name: "What it is for" },
    example: "--name Entra",
  },
  "scim-token list": { usage: "", does: "The tokens, and when each was used last" },
  "scim-token end": {
    usage: "--id N",
    does: "End one",
    words: { id: "Its number, as scim-token list tells it" },
    example: "--id 3",
  },
  "ldap check": {
    usage: "EMAIL",
    does: "What a directory says of somebody, and what would come if they logged in",
    example: "ada@example.com",
  },
  "ldap sync": {
    usage: "[--deactivate [--even-many]]",
    does: "Whom a directory has no more; with --deactivate their accounts end, of more than a tenth at once only with --even-many",
    words: { deactivate: "End their accounts", "even-many": "Also where they are more than a tenth" },
  },
  invite: {
    usage: "[--email E] [--role R]",
    does: "Invite an address, or make a link that anybody may use",
    words: { email: "Who is invited, by mail; without it a link is shown" },
    example: "--email bob@example.com --role guest",
  },
  invitations: { usage: "", does: "Show the links of open invitations" },
} as const satisfies Record<string, Command>;
