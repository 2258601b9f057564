import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeUnfinished, syncFolder, writeDurably } from "../durable-file.ts";
import { messageOf } from "../failures.ts";
import { cleanEnvironment, run } from "./account.ts";
import { type PostgresBinaries, preparePostgresBinaries } from "./binaries.ts";
import { lockDataDir, readText } from "./data-lock.ts";
import { exists, findPostgresHome, type PostgresHome, removeFolder, takeOver } from "./home.ts";
import { endLeftovers } from "./leftovers.ts";
import { freePort } from "./port.ts";
import { PostgresLock } from "./postgres-lock.ts";
import { database, readPassword, readyServer, superuser, urlOf } from "./running.ts";
import { settingsOf } from "./settings.ts";

export { DataDirInUse } from "./data-lock.ts";

/** Parley's own PostgreSQL server, running. */
export interface EmbeddedPostgres {
  /**
   * How to connect: loopback TCP, with a password that only this data folder knows. Good until `stop`, also over a
   * restart.
   */
  readonly url: string;
  /** The folder that holds this server's files: `<dataDir>/postgres`, unless PostgreSQL could not enter that. */
  readonly dataDir: string;
  /** The postmaster's pid; another one after PostgreSQL was killed and started again. */
  readonly pid: number;
  /** Shuts the server down, in at most about 4 s, and gives the data folder back. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Parley's data folder; it is made if it is not there. */
  dataDir: string;
  /** Takes one sentence for the operator, such as where the data is, or that a server was started again. */
  notify(line: string): void;
  /** `false` gives up safety against power loss for speed: for tests, whose data nobody wants back. Default `true`. */
  isDurable?: boolean;
  /** Where data may go that PostgreSQL cannot reach in `dataDir`. Default: `systemDataFolders`. */
  systemFolders?: readonly string[];
}

// A server that has to replay its whole write-ahead log (max_wal_size) may take this long on a slow disk.
const readyWithinMs = 120_000;
const readyPollMs = 10;
const fastShutdownMs = 3_000;
const immediateShutdownMs = 1_000;
// After PostgreSQL died under us: soon again, but no busy loop when it cannot start.
const restartDelaysMs = [0, 100, 500, 1_000, 2_000, 5_000];
const maxLogBytes = 16 * 1024 * 1024;

/**
 * Starts Parley's own PostgreSQL 18 on `dataDir`, and makes the database at the first start (1 to 3 s). If it dies, it
 * is started again on the same URL. What an earlier Parley left after `kill -9` is cleared first. A server that died
 * recovers from its log, one that lives is shut down and started anew.
 * @throws DataDirInUse if another living Parley, whose pid it names, has the folder
 * @throws Error that says in one sentence why PostgreSQL cannot run here
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === "win32") {
    throw new Error("Parley cannot start its own PostgreSQL on Windows. Set DATABASE_URL.");
  }
  const { notify, isDurable = true } = options;
  const home = await findPostgresHome(options.dataDir, notify, options.systemFolders);
  const unlock = await lockDataDir(home.folder);
  try {
    await takeOver(home, notify);
    const server = new Server(
      home,
      await preparePostgresBinaries(home.account, home.folder),
      notify,
      isDurable,
      unlock,
    );
    await server.start();
    return server;
  } catch (error) {
    await unlock();
    throw error;
  }
}

class Server implements EmbeddedPostgres {
  readonly #home: PostgresHome;
  readonly #binaries: PostgresBinaries;
  readonly #notify: (line: string) => void;
  readonly #isDurable: boolean;
  readonly #unlock: () => Promise<void>;
  readonly #data: string;
  #process: ChildProcess | undefined;
  /** Set by `start`. */
  #lock!: PostgresLock;
  #password = "";
  #port = 0;
  #stopped: Promise<void> | undefined;
  /** Without it a Parley that ends on an uncaught error would leave its server behind. */
  readonly #endWithUs = () => void this.#process?.kill("SIGINT");

  constructor(
    home: PostgresHome,
    binaries: PostgresBinaries,
    notify: (line: string) => void,
    isDurable: boolean,
    unlock: () => Promise<void>,
  ) {
    this.#home = home;
    this.#binaries = binaries;
    this.#notify = notify;
    this.#isDurable = isDurable;
    this.#unlock = unlock;
    this.#data = join(home.folder, "data");
  }

  get url(): string {
    return urlOf(this.#password, this.#port);
  }
  get dataDir(): string {
    return this.#home.folder;
  }
  get pid(): number {
    return this.#process?.pid ?? -1;
  }

  async start(): Promise<void> {
    await this.#initialize();
    await this.#checkMajorVersion();
    const leftover = await endLeftovers(this.#data);
    if (leftover !== undefined) {
      this.#notify(
        `The PostgreSQL of a Parley that was killed was still running (process ${leftover}); it starts anew.`,
      );
    }
    this.#lock = await PostgresLock.take(this.#home.folder, leftover);
    try {
      await this.#choosePort();
      this.#password = (await readPassword(this.#home.folder)) ?? (await this.#replacePassword());
      try {
        await this.#launch();
      } catch (error) {
        if (!/could not bind/.test(String(error))) throw error;
        await this.#choosePort(); // Somebody took that port in between.
        await this.#launch();
      }
    } catch (error) {
      await this.#lock.close();
      throw error;
    }
    process.on("exit", this.#endWithUs);
  }

  async #choosePort(): Promise<void> {
    this.#port = await freePort();
    await this.#lock.announce(this.#port);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  async #shutDown(): Promise<void> {
    process.off("exit", this.#endWithUs);
    const child = this.#process;
    if (child !== undefined && isRunning(child)) {
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      child.kill("SIGINT");
      const quit = setTimeout(() => child.kill("SIGQUIT"), fastShutdownMs);
      const kill = setTimeout(() => child.kill("SIGKILL"), fastShutdownMs + immediateShutdownMs);
      await ended;
      clearTimeout(quit);
      clearTimeout(kill);
    }
    await this.#lock.close();
    await this.#unlock();
  }

  /** Makes the database unless it is there, under another name until it is whole: a kill in between leaves none. */
  async #initialize(): Promise<void> {
    const { folder, account } = this.#home;
    for (const name of await readdir(folder)) if (name.startsWith("draft-")) await removeFolder(join(folder, name));
    if (await exists(join(this.#data, "PG_VERSION"))) return;
    const passwordFile = join(folder, "password");
    await removeFolder(passwordFile);
    await this.#writePassword(randomBytes(24).toString("hex"));
    const draft = join(folder, `draft-${randomUUID()}`);
    // The collation does not depend on the system, so the files outlive an upgrade of it; full-text search needs to
    // know what a letter is.
    const made = await this.#initdb(draft, passwordFile, "C.UTF-8");
    if (made !== undefined) {
      await removeFolder(draft);
      const problem = await this.#initdb(draft, passwordFile, "C");
      if (problem !== undefined) throw new Error(`PostgreSQL could not make its database in ${folder}: ${problem}`);
    }
    const sql = `CREATE DATABASE ${database}\n`;
    const created = await run(account, this.#binaries.postgres, ["--single", "-D", draft, "postgres"], { input: sql });
    if (created.code !== 0) throw new Error(`PostgreSQL could not make its database in ${folder}: ${created.stderr}`);
    await rename(draft, this.#data);
    await syncFolder(folder);
    await syncFolder(dirname(folder));
  }

  /** @throws Error that says what to do about files of another major version, which PostgreSQL refuses */
  async #checkMajorVersion(): Promise<void> {
    const { folder } = this.#home;
    const found = (await readText(join(this.#data, "PG_VERSION")))?.trim();
    const { major } = this.#binaries;
    if (found === String(major)) return;
    throw new Error(
      `${folder} was made by PostgreSQL ${found}, and this Parley brings PostgreSQL ${major}. Write a backup with the Parley ` +
        `that made it (parley backup FILE), move ${folder} away, and put the backup into a new one with this Parley ` +
        "(parley restore FILE).",
    );
  }

  /** Gives the database another password, over its standard input, where nobody is asked for one. */
  async #replacePassword(): Promise<string> {
    const { folder, account } = this.#home;
    const password = randomBytes(24).toString("hex");
    const sql = `ALTER ROLE ${superuser} PASSWORD '${password}'\n`;
    const args = ["--single", "-D", this.#data, "-c", `port=${this.#port}`, "postgres"];
    const changed = await run(account, this.#binaries.postgres, args, { input: sql, lockFd: this.#lock.fd });
    if (changed.code !== 0)
      throw new Error(`The file password in ${folder} is damaged and could not be made anew: ${changed.stderr}`);
    await this.#writePassword(password);
    await removeUnfinished(join(folder, "password"));
    this.#notify(`The file password in ${folder} was not whole; the database has another password now.`);
    return password;
  }

  #writePassword(password: string): Promise<void> {
    const { folder, account } = this.#home;
    return writeDurably(join(folder, "password"), `${password}\n`, { mode: 0o600, owner: account });
  }

  /** Runs initdb. @returns what went wrong, if something did */
  async #initdb(folder: string, passwordFile: string, ctype: string): Promise<string | undefined> {
    const args = [
      `--pgdata=${folder}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      `--lc-ctype=${ctype}`,
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(this.#isDurable ? [] : ["--no-sync"]),
    ];
    // LC_ALL would win over --lc-ctype.
    const { LC_ALL: _, ...environment } = cleanEnvironment;
    const { code, stderr } = await run(this.#home.account, this.#binaries.initdb, args, { environment });
    return code === 0 ? undefined : stderr.trim();
  }

  /** Starts the server and waits until it takes connections. @throws Error with the end of its log if it does not */
  async #launch(): Promise<void> {
    const { account } = this.#home;
    const log = await this.#openLog();
    const { size: logStart } = await log.stat();
    if (this.#stopped !== undefined) throw new Error("PostgreSQL was stopped while it started");
    const child = spawn(this.#binaries.postgres, ["-D", this.#data, ...settingsOf(this.#port, this.#isDurable)], {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: "/",
      env: cleanEnvironment,
      // Its own session: Ctrl-C in Parley's terminal must not stop the database before Parley has drained.
      detached: true,
      stdio: ["ignore", log.fd, log.fd, this.#lock.fd],
    });
    this.#process = child;
    const failed = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message));
      child.once("exit", (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
    });
    try {
      let failure: string | undefined;
      void failed.then((reason) => {
        failure = reason;
      });
      const deadline = performance.now() + readyWithinMs;
      while (!(await this.#isReady(child.pid))) {
        if (failure === undefined && performance.now() > deadline) {
          child.kill("SIGQUIT");
          failure = await failed;
        }
        if (failure !== undefined) {
          throw new Error(`PostgreSQL did not start: ${failure}. Its log says: ${await this.#logSince(logStart)}`);
        }
        await sleep(readyPollMs);
      }
    } finally {
      await log.close();
    }
    void failed.then((reason) => this.#revive(reason));
  }

  /** Starts the server again after it ended by itself, until that succeeds or `stop` is called. */
  async #revive(reason: string): Promise<void> {
    for (let attempt = 0; this.#stopped === undefined; attempt += 1) {
      this.#notify(`PostgreSQL is gone (${reason}); starting it again.`);
      await sleep(restartDelaysMs[attempt] ?? restartDelaysMs.at(-1));
      if (this.#stopped !== undefined) return;
      try {
        const ended = await endLeftovers(this.#data);
        await this.#lock.clear(ended);
        await this.#launch();
        return;
      } catch (error) {
        reason = messageOf(error);
      }
    }
  }

  /** Whether the server that runs as `pid` has said in its pid file that it takes connections. */
  async #isReady(pid: number | undefined): Promise<boolean> {
    return pid !== undefined && (await readyServer(this.#data))?.pid === pid;
  }

  /** Opens `postgres.log` for appending; one that has grown large becomes `postgres.log.1` first. */
  async #openLog() {
    const path = join(this.#home.folder, "postgres.log");
    if (((await stat(path).catch(() => undefined))?.size ?? 0) > maxLogBytes) await rename(path, `${path}.1`);
    // The folder belongs to a less privileged account, which must not lead root elsewhere by a link.
    const log = await open(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    );
    const { account } = this.#home;
    if (account !== undefined) await log.chown(account.uid, account.gid);
    return log;
  }

  async #logSince(start: number): Promise<string> {
    const log = await this.#openLog();
    try {
      const { size } = await log.stat();
      const from = Math.max(start, size - 2_000);
      const { buffer, bytesRead } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
      return buffer.toString("utf8", 0, bytesRead).trim() || "nothing";
    } finally {
      await log.close();
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
