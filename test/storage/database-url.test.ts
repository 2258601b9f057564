/** Databases with several hosts and with certificates, as `DATABASE_URL` names them. */
import { execFileSync } from "node:child_process";
import { chmod, chown, copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../http/process/config.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../storage/embedded-postgres/embedded-postgres.ts";
import { connect, type Database, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { runCommand } from "../support/server/command-line.ts";
import { dataFolder } from "../support/server/folder.ts";
import { startTcpProxy, type TcpProxy } from "../support/server/tcp-proxy.ts";
import { until } from "../support/time/until.ts";

const certificate = new URL("../support/server/localhost.pem", import.meta.url).pathname;
const password = "0123456789abcdef";
let servers: EmbeddedPostgres[];
let wires: TcpProxy[];

const start = (dataDir: string) => startEmbeddedPostgres({ dataDir, isDurable: false, notify: () => {} });

/** A PostgreSQL of this test's own that has a certificate, and another one with the same files. */
async function startServers(): Promise<EmbeddedPostgres[]> {
  const [dataDir, copyDir] = await Promise.all([dataFolder("tls"), dataFolder("tls")]);
  const server = await start(dataDir);
  const pem = join(server.dataDir, "data", "server.pem");
  await copyFile(certificate, pem);
  const { uid, gid } = await stat(server.dataDir);
  await chown(pem, uid, gid);
  await chmod(pem, 0o600);
  const database = connect(server.url, { maxConnections: 1 });
  for (const statement of [
    `alter role parley password '${password}'`,
    "alter system set ssl_cert_file = 'server.pem'",
    "alter system set ssl_key_file = 'server.pem'",
    "alter system set ssl = on",
  ])
    await database.sql.unsafe(statement);
  await database.sql`select pg_reload_conf()`;
  await until("TLS to be on", async () => (await database.sql`show ssl`)[0]!["ssl"] === "on");
  await database.close();
  await server.stop();
  // `cp` keeps the owner, which Node's own does not.
  execFileSync("cp", ["-a", `${dataDir}/.`, copyDir]);
  return Promise.all([start(dataDir), start(copyDir)]);
}

beforeAll(async () => {
  servers = await startServers();
  wires = await Promise.all(servers.map(({ url }) => startTcpProxy(Number(new URL(url).port))));
}, 120_000);
afterAll(async () => {
  await Promise.all((wires ?? []).map((wire) => wire.stop()));
  await Promise.all((servers ?? []).map((server) => server.stop()));
});

const portOf = (server: number) => Number(new URL(servers[server]!.url).port);
/** Through the wires of these servers, in this order. */
const address = (order: readonly number[], query = "") =>
  `postgres://parley:${password}@${order.map((server) => `127.0.0.1:${wires[server]!.port}`).join(",")}/parley${query}`;

async function using<T>(url: string, body: (database: Database) => Promise<T>): Promise<T> {
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  const database = connect(url, { maxConnections: 1, patienceMs: 2000 });
  try {
    return await body(database);
  } finally {
    await database.close();
  }
}
const whichPort = async ({ sql }: Database) => Number((await sql`select inet_server_port() as port`)[0]!["port"]);
const isEncrypted = async ({ sql }: Database) =>
  (await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)[0]!["ssl"];

describe("several hosts", () => {
  it("are tried in their order, and the next one takes over from one that goes", async () => {
    await using(address([0, 1]), async (database) => {
      expect(await whichPort(database)).toBe(portOf(0));
      wires[0]!.cut();
      await until("the other one to be used", () =>
        whichPort(database).then(
          (port) => port === portOf(1),
          () => false,
        ),
      );
      wires[0]!.restore();
    });
  });

  it("that take no changes are passed over, unless they are asked for", async () => {
    const alter = (value: string) =>
      using(address([0]), ({ sql }) =>
        sql.unsafe(`alter database parley set default_transaction_read_only = ${value}`),
      );
    await alter("on");
    try {
      expect(await using(address([0, 1]), whichPort)).toBe(portOf(1));
      expect(await using(address([1, 0], "?target_session_attrs=read-only"), whichPort)).toBe(portOf(0));
      expect(await using(address([0, 1], "?target_session_attrs=any"), whichPort)).toBe(portOf(0));
    } finally {
      await using(address([0]), async ({ sql }) => {
        await sql`set default_transaction_read_only = off`;
        await sql`alter database parley reset default_transaction_read_only`;
      });
    }
  });
});

describe("a certificate", () => {
  const byName = (query: string) => `postgres://parley:${password}@localhost:${wires[0]!.port}/parley${query}`;

  it("of a root that is named is trusted, under its own name and address", async () => {
    for (const mode of ["verify-full", "verify-ca", "require"])
      expect(await using(byName(`?sslmode=${mode}&sslrootcert=${certificate}`), isEncrypted)).toBe(true);
    expect(await using(address([0], `?sslmode=verify-full&sslrootcert=${certificate}`), isEncrypted)).toBe(true);
    expect(await using(byName("?sslmode=require"), isEncrypted)).toBe(true);
    expect(await using(byName("?sslmode=disable"), isEncrypted)).toBe(false);
  });

  it("that no root vouches for is refused", async () => {
    await expect(using(byName("?sslmode=verify-full"), isEncrypted)).rejects.toThrow(/self-signed/);
    await expect(using(byName("?sslrootcert=system"), isEncrypted)).rejects.toThrow(/self-signed/);
  });

  it("that is another's is refused where names count", async () => {
    // A name of this machine that the certificate does not have.
    const other = `postgres://parley:${password}@127.0.0.2:${wires[0]!.port}/parley?sslrootcert=${certificate}`;
    // Loopback proxies listen on 127.0.0.1 alone: what counts is what is asked before anything is sent.
    const { ssl } = (await import("../../storage/database-url.ts")).readDatabaseUrl(`${other}&sslmode=verify-full`);
    const check = (ssl as { checkServerIdentity(name: string, certificate: object): Error | undefined })
      .checkServerIdentity;
    const shown = { subject: { CN: "localhost" }, subjectaltname: "DNS:localhost, IP Address:127.0.0.1" };
    // What TLS calls a host that is an address.
    expect(check("localhost", shown)).toBeInstanceOf(Error);
  });
});

it("what is wrong with an address is said in one sentence, without its password", () => {
  const refusal = (url: string) => {
    try {
      readConfig({ DATABASE_URL: url });
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error(`${url} was taken`);
  };
  const wrong = [
    "mysql://parley:secret@db/parley",
    "postgres://parley:secret@db:port/parley",
    "postgres://parley:secret@a,b:99999/parley",
    "postgres://parley:secret@db/parley?sslmode=on",
    "postgres://parley:secret@db/parley?sslrootcert=/nonexistent/root.pem",
    "postgres://parley:secret@a,b/parley?target_session_attrs=writer",
    "postgres://parley:sec%ret@db/parley",
  ];
  for (const url of wrong) {
    expect(refusal(url)).toMatch(/^DATABASE_URL .*\.$/);
    expect(refusal(url)).not.toMatch(/secret|sec%ret/);
  }
  expect(refusal(wrong[4]!)).toContain("/nonexistent/root.pem");
});

describe("a host that is not there", () => {
  it.each(["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED"])(
    "is unavailable, not a bug, when the system says %s",
    (code) => {
      expect(translate(Object.assign(new Error(code), { code }))).toBeInstanceOf(StorageUnavailable);
    },
  );

  it("by a name that cannot be resolved is named with its variable, by the start too", async () => {
    // RFC 6761: nobody has a name that ends so.
    const url = "postgres://parley@database.invalid/parley";
    await expect(using(url, whichPort)).rejects.toThrow(/^DATABASE_URL names the host "database\.invalid"/);
    const environment = { PORT: "0", PARLEY_DATA_DIR: await dataFolder("invalid") };
    const database = await runCommand(["serve"], { ...environment, DATABASE_URL: url });
    expect([database.code, database.stderr]).toEqual([1, expect.stringContaining('"database.invalid"')]);
    const redis = await runCommand(["serve"], {
      ...environment,
      DATABASE_URL: address([0]),
      REDIS_URL: "redis://redis.invalid",
    });
    expect([redis.code, redis.stderr]).toEqual([1, expect.stringMatching(/redis\.invalid.*REDIS_URL/)]);
  });
});
