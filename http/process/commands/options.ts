/** The options of the command line, and the words of those that say the same wherever they stand. */
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** What is read of a command line. Which of them a command takes, its usage says. */
export const options = {
  json: flag,
  help: { type: "boolean", short: "h" },
  version: flag,
  deactivate: flag,
  "even-many": flag,
  force: flag,
  name: text,
  host: text,
  realm: text,
  email: text,
  password: text,
  "can-create-users": text,
  "can-change-user-emails": text,
  role: text,
  "owner-email": text,
  "owner-password": text,
  "owner-name": text,
  "new-email": text,
  "new-key": flag,
  "new-keys": flag,
  end: flag,
  session: text,
  id: text,
  link: flag,
  "send-link": flag,
  confirm: text,
  type: text,
  users: text,
  channels: text,
  messages: text,
  subscribe: text,
  workers: text,
  "dry-run": flag,
  "backup-days": text,
  head: text,
  format: text,
  to: text,
  remove: flag,
  any: flag,
  once: flag,
  agree: flag,
  retry: text,
  channel: text,
  query: text,
  database: text,
  release: text,
  delete: text,
} as const satisfies Readonly<Record<string, { type: "string" | "boolean"; short?: string }>>;

export type OptionName = keyof typeof options;

/** What every command takes. */
export const everywhere = ["json", "help", "version"] as const satisfies readonly OptionName[];

/** Said where a command has no words of its own. */
export const commonWords: Partial<Record<OptionName, string>> = {
  json: "Print what a program can read",
  help: "Show this",
  realm: "Which organization is meant, by its host, where there are several",
  email: "Whose account",
  role: "owner, administrator, moderator, member or guest",
  host: "The host under which the organization is reached; without one, any",
  database: "Which of PARLEY_DATABASES it goes into, instead of DATABASE_URL's",
};
