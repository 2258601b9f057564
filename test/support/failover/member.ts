/** One of Patroni's PostgreSQLs, as processes that can be killed and stopped, behind wires that can be cut. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import type { Account } from "../../../storage/embedded-postgres/account.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { startTcpProxy, type TcpProxy } from "../server/tcp-proxy.ts";

/** Where Debian has PostgreSQL's commands, the newest version first. */
const debian = "/usr/lib/postgresql";
const binaries = existsSync(debian)
  ? join(debian, readdirSync(debian).sort((a, b) => Number(b) - Number(a))[0]!, "bin")
  : spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim();

const lacks = (program: string) => spawnSync(program, ["--version"]).error !== undefined;
/** Why no cluster can be started here. Undefined: it can. */
export const lacksPatroni = ["patroni", "etcd"].find(lacks) ?? (binaries ? undefined : "PostgreSQL's own commands");

export interface MemberOptions {
  name: string;
  folder: string;
  account: Account | undefined;
  etcdPort: number;
  isStrict: boolean;
}

/** A cluster's settings: a leader that is gone is followed as soon as Patroni allows. */
const dynamic = (isStrict: boolean) => ({
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  primary_start_timeout: 0,
  synchronous_mode: "quorum",
  synchronous_mode_strict: isStrict,
  postgresql: {
    use_pg_rewind: true,
    parameters: { max_connections: 150, wal_log_hints: "on", wal_keep_size: "256MB", shared_buffers: "32MB" },
  },
});

export class Member {
  readonly name: string;
  #patroni: ChildProcess | undefined;
  #storing: postgres.Sql | undefined;
  output = "";
  /** How often its data were wound back to where another leader's began. */
  rewinds = 0;

  private constructor(
    private readonly options: MemberOptions,
    /** PostgreSQL's own, and that of Patroni's HTTP. */
    readonly port: number,
    readonly restPort: number,
    /** How it reaches etcd, and how the other members reach it. */
    readonly etcd: TcpProxy,
    readonly peers: TcpProxy,
  ) {
    this.name = options.name;
  }

  static async start(options: MemberOptions): Promise<Member> {
    const port = await freePort();
    const wires = [await startTcpProxy(options.etcdPort), await startTcpProxy(port)] as const;
    const member = new Member(options, port, await freePort(), ...wires);
    await writeFile(member.#file, JSON.stringify(member.#settings()));
    member.run();
    return member;
  }

  /** Patroni begins, and starts PostgreSQL. */
  run(): void {
    const { account } = this.options;
    const child = spawn("patroni", [this.#file], {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: "/",
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", HOME: this.options.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => this.#hear(text));
    // Another account may not be let into the folder that it is in.
    child.once("error", (error) => this.#hear(`Patroni could not be started: ${error.message}`));
    this.#patroni = child;
  }

  #hear(text: string): void {
    this.output = (this.output + text).slice(-200_000);
    this.rewinds += text.split("running pg_rewind").length - 1;
  }

  /** All of its processes die at once, or PostgreSQL's alone. */
  async kill(what: "PostgreSQL" | "machine"): Promise<void> {
    const patroni = this.#patroni?.pid;
    const running = await this.#postgres();
    if (what === "machine") {
      const ended = new Promise((done) => this.#patroni?.once("exit", done));
      signal([patroni], "SIGKILL");
      await ended;
      this.#patroni = undefined;
    }
    signal(running, "SIGKILL");
  }

  /** All of its processes stop, or go on. */
  async pause(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
    signal([this.#patroni?.pid, ...(await this.#postgres())], name);
  }

  /** Asks it past every wire. @throws while it does not answer */
  async ask<T extends object>(statement: string): Promise<T[]> {
    const sql = postgres(`postgres://postgres@127.0.0.1:${this.port}/postgres`, {
      ...{ max: 1, fetch_types: false, connect_timeout: 2, onnotice: () => {} },
    });
    try {
      return (await sql.unsafe(statement)) as unknown as T[];
    } finally {
      await sql.end({ timeout: 0 });
    }
  }

  /**
   * Has it confirm a commit, over one connection that stays. Resolves when it did, however long that takes.
   * @throws while it does not lead
   */
  async store(): Promise<true> {
    this.#storing ??= postgres(`postgres://postgres@127.0.0.1:${this.port}/postgres`, {
      ...{ max: 1, fetch_types: false, connect_timeout: 2, onnotice: () => {} },
    });
    await this.#storing`select pg_logical_emit_message(true, 'probe', '')`;
    return true;
  }

  async endStoring(): Promise<void> {
    await this.#storing?.end({ timeout: 0 });
    this.#storing = undefined;
  }

  /** What Patroni says over HTTP. @throws while it does not answer */
  async rest(path: string, body?: object, method = "POST"): Promise<{ status: number; text: string }> {
    const init = body && { method, body: JSON.stringify(body) };
    const url = `http://127.0.0.1:${this.restPort}${path}`;
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(body ? 60_000 : 2000) });
    return { status: answer.status, text: await answer.text() };
  }

  async stop(): Promise<void> {
    await this.pause("SIGCONT");
    await this.kill("machine");
    await Promise.all([this.etcd.stop(), this.peers.stop()]);
  }

  /** The postmaster and its children. */
  async #postgres(): Promise<number[]> {
    const file = await readFile(join(this.#data, "postmaster.pid"), "utf8").catch(() => "");
    const postmaster = Number.parseInt(file, 10);
    if (!postmaster || !existsSync(`/proc/${postmaster}`)) return [];
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").catch(() => "");
    return [postmaster, ...children.split(" ").flatMap((pid) => Number(pid) || [])];
  }

  get #data(): string {
    return join(this.options.folder, this.name);
  }

  get #file(): string {
    return join(this.options.folder, `${this.name}.yml`);
  }

  /** Patroni's file: JSON is YAML as well. */
  #settings(): object {
    const { isStrict, folder } = this.options;
    const account = { username: "postgres" };
    return {
      scope: "parley",
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.restPort}`, connect_address: `127.0.0.1:${this.restPort}` },
      // By this way alone: etcd would tell of another, past the wire.
      etcd3: { host: `127.0.0.1:${this.etcd.port}`, use_proxies: true },
      bootstrap: {
        dcs: dynamic(isStrict),
        initdb: [{ encoding: "UTF8" }, { auth: "trust" }, { username: "postgres" }],
      },
      postgresql: {
        listen: `127.0.0.1:${this.port}`,
        connect_address: `127.0.0.1:${this.peers.port}`,
        data_dir: this.#data,
        bin_dir: binaries,
        pgpass: join(folder, `${this.name}.pgpass`),
        authentication: { superuser: account, replication: account, rewind: account },
        pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
        parameters: { unix_socket_directories: folder, fsync: "off" },
      },
      watchdog: { mode: "off" },
    };
  }
}

function signal(pids: readonly (number | undefined)[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid !== undefined) process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}
