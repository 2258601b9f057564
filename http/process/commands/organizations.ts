/** The commands about organizations as a whole. */
import type { Command } from "./command.ts";

const everything = "Say what would come and what would not, and change nothing";

export const organizationCommands = {
  "realm create": {
    usage: "--name N [--host H] --owner-email E [--owner-password P] [--owner-name N] [--database D]",
    does: "Add an organization; several are told apart by their host",
    isOfServer: true,
    words: {
      name: "Its name",
      "owner-email": "The address of its first owner",
      "owner-password": "The owner's password; without it one is made and shown",
      "owner-name": "The owner's name",
    },
    example: "--name Orchard --host chat.example.com --owner-email ada@example.com",
  },
  "realm list": { usage: "", does: "Every organization, with its address", isOfServer: true },
  "realm rename": {
    usage: "--name N",
    does: "Call an organization otherwise",
    words: { name: "Its new name" },
    example: "--name 'The Orchard'",
  },
  "realm host": {
    usage: "--host H",
    does: "Move an organization to another host",
    words: { host: "The new host" },
    example: "--host chat.example.org",
  },
  "realm move": {
    usage: "HOST --to NAME",
    does: "Move an organization to another database, while people chat",
    isOfServer: true,
    words: { to: "One of PARLEY_DATABASES, or main for DATABASE_URL's" },
    example: "chat.example.com --to east",
  },
  "realm networks": {
    usage: "[--any]",
    does: "From which networks people may come; with --any from anywhere",
    words: { any: "Let them come from anywhere" },
  },
  "realm deactivate": { usage: "", does: "Let nobody use an organization; it keeps everything" },
  "realm reactivate": { usage: "", does: "Bring it back" },
  "realm delete": {
    usage: "--realm H --confirm NAME",
    does: "Delete an organization for good, with everything that it has",
    words: { realm: "Its host", confirm: "Its name, so that it is no other's" },
    example: "--realm chat.example.com --confirm Orchard",
  },
  "realm export": {
    usage: "FILE [--type public|full_with_consent|full_without_consent]",
    does: "Write an organization into a file that an import reads, while the server serves",
    words: { type: "What is in it: public channels, also what people agreed to, or all, which it is without this" },
    example: "organization.tar.gz",
  },
  "import zulip": {
    usage: "FILE [--host H] [--dry-run] [--database D]",
    does: "Bring in an organization that another Zulip server exported",
    isOfServer: true,
    words: { "dry-run": everything },
    example: "export.tar.gz --dry-run",
  },
  "import slack": {
    usage: "FOLDER [--host H] [--dry-run] [--database D]",
    does: "Bring in what Slack exported of a workspace, unpacked",
    isOfServer: true,
    words: { "dry-run": everything },
    example: "slack-export/ --dry-run",
  },
  "import mattermost": {
    usage: "FOLDER [--host H] [--dry-run] [--database D]",
    does: "Bring in Mattermost's bulk export, unpacked",
    isOfServer: true,
    words: { "dry-run": everything },
    example: "mattermost-export/ --host chat.example.com",
  },
  "import rocketchat": {
    usage: "FOLDER [--host H] [--dry-run] [--database D]",
    does: "Bring in collections of Rocket.Chat, as mongoexport writes them",
    isOfServer: true,
    words: { "dry-run": everything },
    example: "rocketchat-export/ --dry-run",
  },
  "import teams": {
    usage: "FOLDER [--host H] [--dry-run] [--database D]",
    does: "Bring in answers of Microsoft Graph about Microsoft Teams",
    isOfServer: true,
    words: { "dry-run": everything },
    example: "teams-export/ --dry-run",
  },
  seed: {
    usage: "[--users N] [--channels M] [--messages K] [--subscribe C]",
    does: "Bulk data for trying and measuring: each person joins C channels",
    words: {
      users: "How many people: 100 unless said",
      channels: "How many channels: 10 unless said",
      messages: "How many messages: 1000 unless said",
      subscribe: "How many channels each person joins: 10 unless said",
    },
    example: "--users 100 --channels 20 --messages 10000",
  },
} as const satisfies Record<string, Command>;
