/**
 * Two PostgreSQLs on loopback for one bench, a primary and the standby that it waits for with each commit. They change
 * places: the standby is promoted, and what was the primary follows it, or comes back as it was.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type Account, cleanEnvironment, postgresAccount, run } from "../../storage/embedded-postgres/account.ts";
import { type PostgresBinaries, preparePostgresBinaries } from "../../storage/embedded-postgres/binaries.ts";
import { freePort } from "../harness/postgres.ts";
import type { Setup } from "../harness/setup.ts";

const superuser = "parley";
const database = "parley";
const patienceMs = 60_000;
const lookEveryMs = 20;

/** Of a copy these are not part: they belong to the process that runs on the original. */
const notCopied = ["postmaster.pid", "postmaster.opts", "pg_wal/*", "pg_replslot/*"];

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: 200,
  shared_buffers: "64MB",
  wal_keep_size: "256MB",
  // What is measured is not how long PostgreSQL waits before it asks its primary again.
  wal_retrieve_retry_interval: "200ms",
};

export class Pair {
  #primary: Instance;
  #standby: Instance;

  private constructor(primary: Instance, standby: Instance) {
    this.#primary = primary;
    this.#standby = standby;
  }

  static async start(setup: Setup): Promise<Pair> {
    const folder = mkdtempSync(join(tmpdir(), "parley-bench-pair-"));
    setup.atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const account = await postgresAccount(folder, (line) => setup.log(line));
    if (account !== undefined) chownSync(folder, account.uid, account.gid);
    const binaries = await preparePostgresBinaries(account, folder);
    const owned = join(folder, "owned");
    mkdirSync(owned);
    if (account !== undefined) chownSync(owned, account.uid, account.gid);
    const instances = ["first", "second"].map(
      async (name) => new Instance(join(owned, name), await freePort(), account, binaries),
    );
    const [first, second] = (await Promise.all(instances)) as [Instance, Instance];
    setup.atEnd(() => Promise.all([first.end("SIGQUIT"), second.end("SIGQUIT")]).then(() => {}));
    await first.make();
    await first.start();
    await first.ask(`create database ${database}`);
    const pair = new Pair(first, second);
    await pair.copyToStandby();
    return pair;
  }

  /** Both, in an order that does not change: whoever is first is not always the primary. */
  get url(): string {
    const [one, other] = [this.#primary.port, this.#standby.port].sort((a, b) => a - b);
    return `postgres://${superuser}@127.0.0.1:${one},127.0.0.1:${other}/${database}`;
  }

  /** All processes of the primary die at once. */
  killPrimary(): Promise<void> {
    return this.#primary.kill();
  }

  /** The primary ends when its standby has all of it. */
  stopPrimary(): Promise<void> {
    return this.#primary.end("SIGINT");
  }

  /** Both change places. @returns when the new primary could be written to, by `performance.now()` */
  async promote(): Promise<number> {
    const promoted = this.#standby;
    const looking = promoted.whenWritable();
    await promoted.ask("select pg_promote(true)");
    [this.#primary, this.#standby] = [promoted, this.#primary];
    return looking;
  }

  /** What was the primary comes back and takes itself for one. */
  async startReplaced(): Promise<void> {
    await this.#standby.start();
  }

  /** Every connection to the primary is closed, as by a network that lost them. */
  async cutConnections(): Promise<void> {
    await this.#primary.ask(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
  }

  /** What was stopped in order follows the new primary with all that it has. */
  async followAgain(): Promise<void> {
    this.#standby.follow(this.#primary);
    await this.#standby.start();
    await this.#synchronize();
  }

  /** The other one becomes a copy of the primary, and follows it. */
  async copyToStandby(): Promise<void> {
    await this.#standby.end("SIGQUIT");
    await this.#primary.copyTo(this.#standby);
    await this.followAgain();
  }

  /** From here on no commit is confirmed that the standby does not have. */
  async #synchronize(): Promise<void> {
    await becomes("the standby to stream", async () => {
      const rows = await this.#primary.ask("select 1 from pg_stat_replication where state = 'streaming'");
      return rows.length === 1;
    });
    await this.#primary.ask("alter system set synchronous_standby_names = '*'");
    await this.#primary.ask("select pg_reload_conf()");
    await becomes("the standby to be synchronous", async () => {
      const rows = await this.#primary.ask("select 1 from pg_stat_replication where sync_state = 'sync'");
      return rows.length === 1;
    });
  }
}

class Instance {
  #process: ChildProcess | undefined;
  #log = "";

  constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly account: Account | undefined,
    private readonly binaries: PostgresBinaries,
  ) {}

  async make(): Promise<void> {
    const made = await run(this.account, this.binaries.initdb, [
      ...["-D", this.folder, "-U", superuser, "--auth=trust", "--encoding=UTF8", "--locale=C"],
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ]);
    if (made.code !== 0) throw new Error(made.stderr);
  }

  async start(): Promise<void> {
    const flags = Object.entries({ port: this.port, ...settings }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const child = spawn(this.binaries.postgres, ["-D", this.folder, ...flags], {
      ...(this.account && { uid: this.account.uid, gid: this.account.gid }),
      cwd: "/",
      env: cleanEnvironment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#log = (this.#log + text).slice(-4000);
    });
    this.#process = child;
    await becomes("PostgreSQL to run", async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${this.#log}`);
      return (await this.ask("select 1").catch(() => [])).length === 1;
    });
  }

  async kill(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    await this.end("SIGKILL");
    for (const child of children) {
      try {
        process.kill(Number(child), "SIGKILL");
      } catch {
        // It has ended with its parent.
      }
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  async ask(statement: string): Promise<Record<string, unknown>[]> {
    const sql = connect(this.port);
    try {
      return await sql.unsafe(statement);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Resolves when it is no standby any more, and has stored something: with the time. */
  async whenWritable(): Promise<number> {
    const sql = connect(this.port);
    try {
      const givenUpAt = performance.now() + patienceMs;
      while (performance.now() < givenUpAt) {
        const [row] = await sql`select pg_is_in_recovery() as is_standby`;
        if (row?.["is_standby"] === false) {
          await sql`select pg_logical_emit_message(true, 'bench', '')`;
          return performance.now();
        }
        await sleep(1);
      }
      throw new Error(`a standby was not promoted within ${patienceMs} ms`);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  follow({ port }: Instance): void {
    this.#write("standby.signal", "");
    // Its own primary's names go with it: the next primary waits for nobody until somebody follows.
    const conninfo = `host=127.0.0.1 port=${port} user=${superuser}`;
    this.#write("postgresql.auto.conf", `primary_conninfo = '${conninfo}'\n`);
  }

  #write(name: string, text: string): void {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    if (this.account !== undefined) chownSync(file, this.account.uid, this.account.gid);
  }

  /** Copies it as it runs into the folder of another, which is stopped. */
  async copyTo(other: Instance): Promise<void> {
    const sql = connect(this.port);
    try {
      await sql`select pg_backup_start('bench', true)`;
      rmSync(other.folder, { recursive: true, force: true });
      mkdirSync(other.folder, { mode: 0o700 });
      const excluded = notCopied.map((name) => `--exclude=./${name}`).join(" ");
      const script = `tar -C "$1" ${excluded} -cf - . | tar -C "$2" -xpf -`;
      if (this.account !== undefined) chownSync(other.folder, this.account.uid, this.account.gid);
      const copied = await run(this.account, "/bin/sh", ["-c", script, "sh", this.folder, other.folder]);
      if (copied.code !== 0) throw new Error(copied.stderr);
      const [row] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`;
      other.#write("backup_label", row?.label ?? "");
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}

const connect = (port: number): postgres.Sql =>
  postgres(`postgres://${superuser}@127.0.0.1:${port}/postgres`, { max: 1, fetch_types: false, onnotice: () => {} });

async function becomes(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const givenUpAt = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > givenUpAt) throw new Error(`waited ${patienceMs} ms for ${what}`);
    await sleep(lookEveryMs);
  }
}
