/** The commands about servers, and about what they keep. */
import type { Command } from "./command.ts";

export const startingCommands = {
  serve: {
    usage: "[--workers N]",
    does: "Serve until stopped (also: npm start)",
    isOfServer: true,
    words: { workers: "That many processes behind one port (needs REDIS_URL)" },
    example: "--workers 4",
  },
  migrate: { usage: "", does: "Bring the database's tables up to date", isOfServer: true },
} as const satisfies Record<string, Command>;

export const serverCommands = {
  backup: {
    usage: "FILE",
    does: "Write database and uploaded files into one file, while the server serves",
    isOfServer: true,
    example: "parley.backup",
  },
  restore: {
    usage: "FILE [--force] [--new-keys] [--database D]",
    does: "Put a backup into an empty database",
    isOfServer: true,
    words: {
      force: "Replace what is there",
      "new-keys": "Give everybody a new API key: for a backup whose secret key is lost",
      database: "Which of PARLEY_DATABASES it goes into",
    },
    example: "parley.backup --force",
  },
  "files move": {
    usage: "--to s3|folder",
    does: "Move all files to where new ones go, while the server serves",
    isOfServer: true,
    words: { to: "Where new ones go, said again" },
    example: "--to s3",
  },
  "files check": {
    usage: "[--remove]",
    does: "Compare the files with the database",
    isOfServer: true,
    words: { remove: "Remove what nothing names" },
  },
  "files quarantine": {
    usage: "[--release N | --delete N]",
    does: "Uploads that clamd has not called clean, the oldest first",
    words: {
      release: "Let people have one, by its number: nothing is known of it",
      delete: "Delete one, by its number",
    },
    example: "--delete 1815",
  },
  "audit verify": {
    usage: "[HOST] [--head NUM:HASH]",
    does: "Compute every hash of an organization's audit log again",
    words: { head: "What it said before, which has to be in it" },
    example: "chat.example.com",
  },
  "audit export": {
    usage: "FILE [--format jsonl|csv]",
    does: "Write an audit log into a file",
    words: { format: "JSON lines, which it is without this, or a table" },
    example: "audit.csv --format csv",
  },
  "hold create": {
    usage: "--name N [--email E | --channel C | --query WORDS]",
    does: "Put a person, a channel or what a search finds under a legal hold",
    words: {
      name: "What it is called",
      channel: "A channel, by its name",
      query: "What a search for these words finds",
    },
    example: "--name 'Case 12' --channel board",
  },
  "hold list": { usage: "", does: "The legal holds" },
  "hold end": {
    usage: "--id N",
    does: "End one: what was deleted, and kept for it alone, is gone",
    words: { id: "Its number, as hold list tells it" },
    example: "--id 7",
  },
  "compliance export": {
    usage: "FOLDER [--format jsonl|eml] [--id HOLD]",
    does: "Write messages with edits, deletions and hashes of files; goes on where it ended",
    words: {
      format: "JSON lines, which it is without this, or an email each",
      id: "Only what is under this legal hold",
    },
    example: "export/ --format eml --id 7",
  },
  "push register": {
    usage: "--email E --agree [--new-key]",
    does: "Register this server at the push notification service, by whose terms you agree to abide, or tell it of changes",
    words: {
      email: "Whom the service may write to",
      agree: "Agree to its terms; without it the command says what the service learns",
      "new-key": "Change the key by which the service knows this server",
    },
    example: "--email ops@example.com --agree",
  },
  "push status": { usage: "", does: "The registration" },
  "push end": { usage: "", does: "End it: phones of the stores are told nothing more" },
  "push-relay": { usage: "", does: "Be the push notification service for apps of your own", isOfServer: true },
  nodes: {
    usage: "",
    does: "Who is up, which organizations each writes, how far the others are behind",
    isOfServer: true,
  },
  top: {
    usage: "[--once]",
    does: "Nodes, organizations, outgoing queues, PostgreSQL and disk, again and again",
    isOfServer: true,
    words: { once: "Show it once, as where no terminal is" },
  },
  outgoing: {
    usage: "[--retry mail|push|webhook]",
    does: "What waits to be sent, and since when",
    isOfServer: true,
    words: { retry: "Try now what failed of these" },
    example: "--retry mail",
  },
} as const satisfies Record<string, Command>;
