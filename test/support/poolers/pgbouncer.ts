/** A real PgBouncer in front of a test's PostgreSQL, on loopback. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../time/until.ts";

/** Debian has it where only root looks. */
const program = existsSync("/usr/sbin/pgbouncer") ? "/usr/sbin/pgbouncer" : "pgbouncer";

export const lacksPgbouncer = spawnSync(program, ["--version"]).error !== undefined;

export interface TestPooler {
  /** The database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** @param url the database behind it @param settings more lines of its configuration */
export async function startPgbouncer(url: string, mode: "session" | "transaction", settings = ""): Promise<TestPooler> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pgbouncer-"));
  const { hostname, port: behind, username, password, pathname } = new URL(url);
  const name = pathname.slice(1);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${behind} dbname=${name} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 40
${settings}
`,
  );
  // It does not run as root, and has to read its file.
  await chmod(folder, 0o755);
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, ["-q", file], { ...asNobody, stdio: ["ignore", "ignore", "pipe"] });
  let complaints = "";
  child.stderr.on("data", (text) => {
    complaints += text;
  });
  const ended = new Promise((done) => child.once("close", done));
  await until("PgBouncer to serve", async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${complaints}`);
    return isTaken(port);
  });
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return {
    url: through.href,
    async stop() {
      child.kill("SIGQUIT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** Whether somebody listens on a port. */
const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(true));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(false)));
  });
