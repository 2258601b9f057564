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
import { helpOn, seeHelp } from "./commands/help.ts";
import { options } from "./commands/options.ts";
import { type CommandName, commandIn, commandTable, takesPlace, untaken } from "./commands/table.ts";
import { ConfigError, readConfig } from "./config.ts";
import { listOutgoing } from "./console/outgoing.ts";
import { showTop } from "./console/top.ts";
import { checkLdap, syncLdap } from "./directories/ldap.ts";
import { exportRealm, exportUser } from "./export.ts";
import { createHold, endHold, exportCompliance, listHolds } from "./files/compliance.ts";
import { eraseUser } from "./files/erase.ts";
import { checkFiles, moveFiles } from "./files/files.ts";
import { showQuarantine } from "./files/quarantine.ts";
import { moveRealmToDatabase } from "./homes/move-realm.ts";
import { runOn } from "./homes/run-on.ts";
import { openStorage, type RunningStorage, type StopOptions, startServer } from "./main.ts";
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

/** Words that mean nothing. */
class UsageError extends Error {
  /** @param about the words that it is about, as far as they name commands */
  constructor(
    message: string,
    readonly about = "",
  ) {
    super(message);
  }
}

/** Those that run without a database of their own, or open it themselves. */
type Standalone = "serve" | "push-relay" | "backup" | "restore";
type Action = (storage: RunningStorage, config: Config, values: Values) => Promise<AdminResult>;
type Values = Partial<Record<string, string | boolean>>;

/** What each command does in the database. `migrate` does no more than any: it opens it. */
const commands: Readonly<Record<Exclude<CommandName, Standalone>, Action | undefined>> = {
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
  "user erase": eraseUser,
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
  "files quarantine": showQuarantine,
};

/** What words say: the command, what it is about, and its options. */
function read(argv: string[]) {
  const { positionals } = parseArgs({ args: argv, options, allowPositionals: true, strict: false });
  const [first = "", ...behind] = positionals;
  const found = commandIn(positionals);
  const about = found?.name ?? (helpOn(first) === undefined ? "" : first);
  const { values, positionals: words } = strictly(argv, about);
  if (values.version) return "version";
  if (values.help || first === "help" || first === "") {
    const asked = first === "help" ? behind.join(" ") : (found?.name ?? positionals.join(" "));
    const help = helpOn(asked) ?? (about === "" ? undefined : helpOn(about));
    if (help === undefined) throw new UsageError(`There is no command "${asked}".`);
    return { help };
  }
  const command = found && commandTable.get(found.name);
  if (!command) throw new UsageError(`There is no command "${words.join(" ")}".`, about);
  const other = untaken(command, Object.keys(values));
  if (other !== undefined) throw new UsageError(`${found.name} takes no --${other}.`, about);
  const [place, ...others] = words.slice(found.name.split(" ").length);
  const odd = takesPlace(command) ? others[0] : place;
  if (odd !== undefined) throw new UsageError(`${found.name} does not know what to do with "${odd}".`, about);
  return { command: found.name, place, values };
}

function strictly(argv: string[], about: string) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(messageOf(error), about);
  }
}

async function run(argv: string[]): Promise<void> {
  const given = read(argv);
  if (given === "version") return console.log(`parley ${readVersion()}`);
  if ("help" in given) return void process.stdout.write(given.help);
  const { command, place, values } = given;
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
    if (!place) throw new UsageError(`${command} needs the name of a file.`, command);
    return tell(await (command === "backup" ? backUp : restore)(config, place, values, notify));
  }
  const storage = await openStorage(config, notify, { isGuest: true });
  try {
    const action = commands[command];
    const all = place === undefined ? values : { ...values, file: place };
    const host = values.realm ?? (command === "audit verify" ? place : undefined);
    tell(await runOn(storage, config, { command, host, action: action && ((own) => action(own, config, all)) }));
  } finally {
    await storage.close();
  }
}

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
  if (process.connected) process.send?.({ kind: "ready" } satisfies WorkerMessage);
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
    if (error instanceof UsageError) console.error(`${error.message}\n${seeHelp(error.about)}`);
    else
      console.error(
        error instanceof ConfigError || (error instanceof Error && error.name !== "TypeError") ? error.message : error,
      );
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}
