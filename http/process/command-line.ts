/** The command line: `parley --help`. The only other reader of `process.env` is the configuration it is handed to. */
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { prepareEstimates } from "../../actors/users/passwords/new-password.ts";
import { messageOf } from "../../storage/failures.ts";
import {
  importUsers,
  invite,
  listSessions,
  listUsers,
  logOut,
  secondFactor,
  setActive,
  setEmail,
  setPassword,
  setRole,
} from "./accounts.ts";
import {
  type AdminResult,
  createOrganization,
  createUserAccount,
  listInvitations,
  permitUser,
  seed,
  showApiKey,
} from "./admin.ts";
import { exportAudit, verifyAudit } from "./audit.ts";
import { backUp, restore } from "./backup.ts";
import { ConfigError, readConfig } from "./config.ts";
import { listOutgoing } from "./console/outgoing.ts";
import { showTop } from "./console/top.ts";
import { checkLdap, syncLdap } from "./directories/ldap.ts";
import { exportRealm, exportUser } from "./export.ts";
import { createHold, endHold, exportCompliance, listHolds } from "./files/compliance.ts";
import { checkFiles, moveFiles } from "./files/files.ts";
import { moveRealmToDatabase } from "./homes/move-realm.ts";
import { runOn } from "./homes/run-on.ts";
import { openStorage, type StopOptions, startServer } from "./main.ts";
import { networkAddresses } from "./network.ts";
import { listNodes } from "./nodes.ts";
import { endRegistration, registerServer, showRegistration } from "./push/register.ts";
import { servePushRelay } from "./push/relay.ts";
import { deleteRealm, listRealms, moveRealm, networks, renameRealm, setRealmActive } from "./realms.ts";
import { createScimToken, endScimToken, listScimTokens } from "./scim-tokens.ts";
import { answersForMs, closesWithinMs, killsAfterMs, retiresForMs } from "./stop-times.ts";
import { imports } from "./transfer.ts";
import { readVersion } from "./version.ts";
import { type SupervisorMessage, startWorkers, type WorkerMessage } from "./workers.ts";

const help = `Usage: parley <command> [options]

  serve                               Serve until stopped (also: npm start)
  migrate                             Bring the database's tables up to date
  realm create --name N [--host H] --owner-email E [--owner-password P] [--owner-name N] [--database D]
                                      Add an organization; several are told apart by their host. It is in DATABASE_URL's
                                      database, or in one that PARLEY_DATABASES names
  realm list                          Every organization, with its address
  realm rename --name N               Call an organization otherwise
  realm host --host H                 Move an organization to another host
  realm move HOST --to NAME           Move an organization to another database, while people chat
  realm networks [--any]              From which networks people may come; with --any from anywhere
  realm deactivate                    Let nobody use an organization; it keeps everything
  realm reactivate                    Bring it back
  realm delete --realm H --confirm NAME
                                      Delete an organization for good, with everything that it has
  realm export FILE [--type public|full_with_consent|full_without_consent]
                                      Write an organization into a file that an import reads, while the server serves
  user create --email E --name N [--password P] [--role owner|administrator|moderator|member|guest] [--realm H]
                                      Add an account
  user list                           Everybody, with their roles
  user import FILE.csv [--send-link]  Add the people of a table with columns email, name, role, password
  user export FILE --email E          What an account wrote and keeps, for its holder
  user deactivate --email E           End an account: it is logged out everywhere
  user reactivate --email E           Bring an account back
  user role --email E --role owner|administrator|moderator|member|guest
                                      Give an account another role
  user password --email E [--password P | --link | --send-link]
                                      Give an account another password, or show or send a link by which to choose one
  user email --email E --new-email N  Give an account another address
  user sessions --email E             The browsers in which an account is logged in
  user logout --email E [--session ID | --new-key]
                                      Log an account out of every browser, or of one; with --new-key of applications too
  user second-factor --email E [--end]
                                      Whether an account has a second factor; with --end it has none any more
  user permit --email E [--can-create-users on|off] [--can-change-user-emails on|off] [--realm H]
                                      Let an administrator add accounts, or an owner change addresses
  user api-key --email E [--realm H]  Show an account's API key
  scim-token create --name N          Make a token by which a directory provisions accounts
  scim-token list                     The tokens, and when each was used last
  scim-token end --id N               End one
  ldap check EMAIL                    What a directory says of somebody, and what would come if they logged in
  ldap sync [--deactivate [--even-many]]
                                      Whom a directory has no more; with --deactivate their accounts end, of more than a
                                      tenth at once only with --even-many
  invite [--email E] [--role R]       Invite an address, or make a link that anybody may use
  invitations                         Show the links of open invitations
  import zulip FILE [--host H] [--dry-run] [--database D]
                                      Bring in an organization that another Zulip server exported
  import slack|mattermost|rocketchat FOLDER [--host H] [--dry-run] [--database D]
                                      Bring in what Slack, Mattermost or Rocket.Chat exported, unpacked
  seed --users N --channels M --messages K [--subscribe C]
                                      Bulk data for trying and measuring: each person joins C channels
  backup FILE                         Write database and uploaded files into one file, while the server serves
  restore FILE [--force] [--new-keys] [--database D]
                                      Put a backup into an empty database; --force replaces what is there, --new-keys
                                      gives everybody a new API key: for a backup whose secret key is lost
  files move --to s3|folder           Move all files to where new ones go, while the server serves
  files check [--remove]              Compare the files with the database; --remove removes what nothing names
  audit verify [HOST] [--head NUM:HASH]
                                      Compute every hash of an organization's audit log again; --head is what it said
                                      before, which has to be in it
  audit export FILE [--format jsonl|csv]
                                      Write an audit log into a file
  hold create --name N [--email E | --channel C | --query WORDS]
                                      Put a person, a channel or what a search finds under a legal hold
  hold list                           The legal holds
  hold end --id N                     End one: what was deleted, and kept for it alone, is gone
  compliance export FOLDER [--format jsonl|eml] [--id HOLD]
                                      Write messages with edits, deletions and hashes of files; goes on where it ended
  push register --email E --agree [--new-key]
                                      Register this server at the push notification service, by whose terms you agree
                                      to abide, or tell it of changes; without --agree it says what the service learns
  push status                         The registration
  push end                            End it: phones of the stores are told nothing more
  push-relay                          Be the push notification service for apps of your own
  nodes                               Who is up, which organizations each writes, how far the others are behind
  top [--once]                        Nodes, organizations, outgoing queues, PostgreSQL and disk, again and again
  outgoing [--retry mail|push|webhook]
                                      What waits to be sent, and since when; --retry tries what failed now

Options:
  --json                              Print what a program can read
  --workers N                         serve: that many processes behind one port (needs REDIS_URL)
  --version                           Show which Parley this is
  --help                              Show this

Where there are several organizations, --realm H says which one is meant. --json prints what a program can read.
Settings come from the environment: PORT, HOST, DATABASE_URL, REDIS_URL, PARLEY_*; see docs/settings.md.
`;

class UsageError extends Error {}

const options = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
  deactivate: { type: "boolean" },
  "even-many": { type: "boolean" },
  force: { type: "boolean" },
  name: { type: "string" },
  host: { type: "string" },
  realm: { type: "string" },
  email: { type: "string" },
  password: { type: "string" },
  "can-create-users": { type: "string" },
  "can-change-user-emails": { type: "string" },
  role: { type: "string" },
  "owner-email": { type: "string" },
  "owner-password": { type: "string" },
  "owner-name": { type: "string" },
  "new-email": { type: "string" },
  "new-key": { type: "boolean" },
  "new-keys": { type: "boolean" },
  end: { type: "boolean" },
  session: { type: "string" },
  id: { type: "string" },
  link: { type: "boolean" },
  "send-link": { type: "boolean" },
  confirm: { type: "string" },
  type: { type: "string" },
  users: { type: "string" },
  channels: { type: "string" },
  messages: { type: "string" },
  subscribe: { type: "string" },
  workers: { type: "string" },
  "dry-run": { type: "boolean" },
  head: { type: "string" },
  format: { type: "string" },
  to: { type: "string" },
  remove: { type: "boolean" },
  any: { type: "boolean" },
  once: { type: "boolean" },
  agree: { type: "boolean" },
  retry: { type: "string" },
  channel: { type: "string" },
  query: { type: "string" },
  database: { type: "string" },
} as const;

/** What each command does in the database. `migrate` does no more than any: it opens it. */
const commands = {
  migrate: undefined,
  "realm create": createOrganization,
  "realm list": listRealms,
  "realm rename": renameRealm,
  "realm host": moveRealm,
  "realm move": moveRealmToDatabase,
  "realm networks": networks,
  "realm deactivate": setRealmActive(false),
  "realm reactivate": setRealmActive(true),
  "realm delete": deleteRealm,
  "realm export": exportRealm,
  "user create": createUserAccount,
  "user list": listUsers,
  "user import": importUsers,
  "user export": exportUser,
  "user deactivate": setActive(false),
  "user reactivate": setActive(true),
  "user role": setRole,
  "user password": setPassword,
  "user email": setEmail,
  "user sessions": listSessions,
  "user logout": logOut,
  "user second-factor": secondFactor,
  "scim-token create": createScimToken,
  "scim-token list": listScimTokens,
  "scim-token end": endScimToken,
  "ldap check": checkLdap,
  "ldap sync": syncLdap,
  invite,
  "user permit": permitUser,
  "user api-key": showApiKey,
  invitations: listInvitations,
  ...imports,
  seed,
  "audit verify": verifyAudit,
  "audit export": exportAudit,
  "hold create": createHold,
  "hold list": listHolds,
  "hold end": endHold,
  "compliance export": exportCompliance,
  "push register": registerServer,
  "push status": showRegistration,
  "push end": endRegistration,
  nodes: listNodes,
  top: showTop,
  outgoing: listOutgoing,
  "files move": moveFiles,
  "files check": checkFiles,
};

async function run(argv: string[]): Promise<void> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  const { values, positionals } = parsed;
  // These take a file, which may be called anything.
  const takesFile =
    positionals[0] === "import" ||
    [
      "user import",
      "user export",
      "realm export",
      "realm move",
      "audit export",
      "audit verify",
      "ldap check",
      "compliance export",
    ].includes(positionals.slice(0, 2).join(" "));
  const place = ["backup", "restore"].includes(positionals[0] ?? "") ? 1 : takesFile ? 2 : undefined;
  const [file] = place === undefined ? [] : positionals.splice(place, 1);
  const command = positionals.join(" ");
  if (values.version) return console.log(`parley ${readVersion()}`);
  if (values.help || command === "help" || command === "") {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(
    values.workers === undefined ? process.env : { ...process.env, PARLEY_WORKERS: values.workers },
  );
  if (command === "push-relay") return void stopOnSignals(await servePushRelay(config));
  if (command === "serve") {
    if (config.isWorker) return serveAsWorker(config);
    return config.workers > 1 ? supervise(config) : serve(config);
  }
  const notify = (line: string) => console.error(line);
  const tell = (result: AdminResult) => console.log(values.json ? JSON.stringify(result.data) : result.text);
  if (command === "backup" || command === "restore") {
    if (!file) throw new UsageError(`${command} needs the name of a file.`);
    return tell(await (command === "backup" ? backUp : restore)(config, file, values, notify));
  }
  if (!Object.hasOwn(commands, command)) throw new UsageError(`There is no command "${command}".`);
  const storage = await openStorage(config, notify, { isGuest: true });
  try {
    const action = commands[command as keyof typeof commands];
    const given = file === undefined ? values : { ...values, file };
    const host = values.realm ?? (command === "audit verify" ? file : undefined);
    tell(await runOn(storage, config, { command, host, action: action && ((own) => action(own, config, given)) }));
  } finally {
    await storage.close();
  }
}

const parse = (argv: string[]) => parseArgs({ args: argv, options, allowPositionals: true });

type Config = ReturnType<typeof readConfig>;

/** Clients that came back at a start have been answered by then. What no start needs is prepared after it. */
const settledAfterMs = 10_000;

async function serve(config: Config): Promise<void> {
  const server = await startServer(config, (line) => console.log(line));
  setTimeout(prepareEstimates, settledAfterMs).unref();
  announce(config);
  stopOnSignals(server, config.redisUrl === undefined ? 0 : config.drainAnnounceMs);
}

/** One of many: says when it is ready, and ends with its supervisor. */
async function serveAsWorker(config: Config): Promise<void> {
  // A terminal that closes tells everybody; what is to be done about it the supervisor says.
  process.on("SIGHUP", () => {});
  const server = await startServer(config, (line) => console.log(line));
  setTimeout(prepareEstimates, settledAfterMs).unref();
  const stop = stopOnSignals(server);
  // Otherwise node:cluster ends the process at once when the supervisor has gone.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once("disconnect", () => stop());
  process.on("message", ({ kind }: SupervisorMessage) => {
    if (kind === "retire") stop({ answersForMs: retiresForMs, outlivesConnections: true });
  });
  if (process.connected) process.send!({ kind: "ready" } satisfies WorkerMessage);
  else stop();
}

async function supervise(config: Config): Promise<void> {
  const notify = (line: string) => console.log(line);
  const cli = fileURLToPath(new URL("cli.js", import.meta.url));
  const workers = await startWorkers({ config, cli, environment: process.env, notify });
  announce(config);
  // After the workers, and what was killed of them, their PostgreSQL ends.
  stopOnSignals(workers, killsAfterMs + closesWithinMs);
  process.on("SIGHUP", () => {
    workers.roll().then(
      () => console.log("Every worker is a new one."),
      (error: unknown) => console.error(error),
    );
  });
}

function announce(config: Config): void {
  console.log(`Parley serves on ${config.externalUrl}`);
  const addresses = networkAddresses(config);
  if (addresses.length > 0) console.log(`In your network: ${addresses.join(", ")}`);
}

/**
 * Stops in good order when told to, once. Returns how to tell it. Who is told a second time, with less time, ends
 * sooner.
 *
 * @param besidesMs what it does besides answering and closing
 */
function stopOnSignals(
  serving: { stop(options: StopOptions): Promise<void> },
  besidesMs = 0,
): (options?: StopOptions) => void {
  let isStopping = false;
  const stop = (options: StopOptions = {}) => {
    const forMs = options.answersForMs ?? answersForMs;
    // Whatever hangs, the process is gone in time.
    setTimeout(() => process.exit(1), forMs + closesWithinMs + besidesMs).unref();
    if (isStopping) return;
    isStopping = true;
    serving.stop({ ...options, answersForMs: forMs }).then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", () => stop());
  process.on("SIGINT", () => stop());
  return stop;
}

/**
 * Does what the words of a command line say. Ends the process with code 2 for words that mean nothing, and with 1 for
 * what fails.
 */
export async function runCommandLine(words: string[]): Promise<void> {
  // A terminal or a disk that is gone ends no server: what is printed there is for people.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  try {
    await run(words);
  } catch (error) {
    if (error instanceof UsageError) console.error(`${error.message}\n\n${help}`);
    else
      console.error(
        error instanceof ConfigError || (error instanceof Error && error.name !== "TypeError") ? error.message : error,
      );
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
