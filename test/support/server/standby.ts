/** Two PostgreSQLs of a test's own: a primary and its streaming standby, to fail over from one to the other. */
import { spawn } from "node:child_process";
import { chown, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { postgresAccount, run } from "../../../storage/embedded-postgres/account.ts";
import { preparePostgresBinaries } from "../../../storage/embedded-postgres/binaries.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient } from "../client/api.ts";
import { until } from "../time/until.ts";
import { dataFolder } from "./folder.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** One of both, behind a wire. */
export interface Replica {
  readonly wire: TcpProxy;
  /** As `DATABASE_URL` names a host. */
  readonly host: string;
  /** Asks it past the wire. */
  ask<T extends object>(sql: string): Promise<T[]>;
}

export interface Pair {
  readonly primary: Replica;
  readonly standby: Replica;
  /** The address with both hosts, the primary first. */
  readonly url: string;
  /** Resolves when the standby has all that the primary has, which is to get nothing meanwhile. */
  inStep(): Promise<void>;
  /** Makes the standby a primary, on a timeline of its own. The primary is not told. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** A server over both, and its owner. */
export interface PairServer extends Pair {
  readonly server: ServerProcess;
  readonly owner: ApiClient;
  /** Another process of the server begins, with the same settings, in place of one that was ended. */
  startAgain(): Promise<ServerProcess>;
}

/** Starts both and a server that uses them. `stop` ends all. @param prepare what is set up in between */
export async function startPairServer(
  environment: Record<string, string> = {},
  prepare: (pair: Pair) => Promise<void> = async () => {},
): Promise<PairServer> {
  const [pair, folder] = await Promise.all([startPair(), dataFolder("over-pair")]);
  await prepare(pair);
  const settings = {
    PORT: String(await freePort()),
    PARLEY_DATA_DIR: folder,
    DATABASE_URL: pair.url,
    ...environment,
  };
  const server = await startServerProcess(settings);
  const apiKey = /^key=(.+)$/m.exec(await readFile(join(folder, "owner.zuliprc"), "utf8"))![1]!;
  return {
    ...pair,
    server,
    owner: new ApiClient({ url: server.url, email: "owner@example.com", apiKey }),
    startAgain: () => startServerProcess(settings),
    async stop() {
      await server.stop();
      await pair.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts both, the standby in step with the primary. Nobody needs a password. */
export async function startPair(): Promise<Pair> {
  const folder = await dataFolder("pair");
  const account = await postgresAccount(folder, () => {});
  const binaries = await preparePostgresBinaries(account, folder);
  const owned = join(folder, "owned");
  await mkdir(owned);
  if (account !== undefined) await chown(owned, account.uid, account.gid);
  const stops: (() => Promise<void>)[] = [];

  const start = async (data: string): Promise<{ port: number; stop(): Promise<void> }> => {
    const port = await freePort();
    const settings = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"];
    const child = spawn(binaries.postgres, ["-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
      ...(account && { uid: account.uid, gid: account.gid }),
      cwd: "/",
      stdio: "ignore",
    });
    const ended = new Promise<void>((done) => child.once("exit", () => done()));
    const stop = async () => {
      child.kill("SIGINT");
      await ended;
    };
    await until("PostgreSQL to run", () =>
      ask(port, "select 1").then(
        () => true,
        () => false,
      ),
    );
    return { port, stop };
  };
  const behindWire = async (port: number): Promise<Replica> => {
    const wire = await startTcpProxy(port);
    stops.push(() => wire.stop());
    return { wire, host: `127.0.0.1:${wire.port}`, ask: (sql) => ask(port, sql) };
  };

  const [first, second] = [join(owned, "first"), join(owned, "second")];
  const made = await run(account, binaries.initdb, ["-D", first, "-U", "parley", "--auth=trust", "--no-sync"]);
  if (made.code !== 0) throw new Error(made.stderr);
  const running = await start(first);
  await ask(running.port, "create database parley");
  await running.stop();
  await cp(first, second, { recursive: true });
  const primary = await start(first);
  await writeFile(join(second, "standby.signal"), "");
  await writeFile(
    join(second, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=parley'\n`,
  );
  if (account !== undefined) await run(undefined, "chown", ["-R", `${account.uid}:${account.gid}`, second]);
  const standby = await start(second);
  stops.push(primary.stop, standby.stop);
  const replicas = { primary: await behindWire(primary.port), standby: await behindWire(standby.port) };
  await until("the standby to stream", async () => {
    const [row] = await replicas.primary.ask<{ count: string }>("select count(*) from pg_stat_replication");
    return row!.count === "1";
  });
  return {
    ...replicas,
    url: `postgres://parley@${replicas.primary.host},${replicas.standby.host}/parley`,
    inStep: () =>
      until("the standby to have all", async () => {
        const [row] = await replicas.primary.ask<{ lag: string }>(
          "select pg_current_wal_lsn() - replay_lsn as lag from pg_stat_replication",
        );
        return Number(row?.lag) === 0;
      }),
    async promote() {
      await replicas.standby.ask("select pg_promote()");
    },
    async stop() {
      for (const stop of stops.reverse()) await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ask<T extends object>(port: number, statement: string): Promise<T[]> {
  const sql = postgres(`postgres://parley@127.0.0.1:${port}/postgres`, {
    max: 1,
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    return (await sql.unsafe(statement)) as unknown as T[];
  } finally {
    await sql.end({ timeout: 1 });
  }
}
