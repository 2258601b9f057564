/**
 * HAProxy before the PostgreSQLs of one client, which then knows a single address: the form that Patroni documents.
 * https://patroni.readthedocs.io/en/latest/README.html#haproxy
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { until } from "../time/until.ts";

export interface DatabaseFront {
  readonly port: number;
  stop(): Promise<void>;
}

/** A PostgreSQL behind it, and where Patroni says whether it leads. */
interface Backend {
  port: number;
  restPort: number;
}

/** @param folder for its settings */
export async function startDatabaseFront(folder: string, backends: readonly Backend[]): Promise<DatabaseFront> {
  const port = await freePort();
  const file = join(folder, `haproxy-${port}.cfg`);
  await writeFile(file, settings(port, backends));
  const child = spawn("haproxy", ["-f", file, "-db"], { stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()).once("error", () => done()));
  await until("HAProxy to listen", () => isTaken(port));
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const settings = (port: number, backends: readonly Backend[]) => `
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen postgresql
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${backends.map((one, index) => `  server m${index + 1} 127.0.0.1:${one.port} check port ${one.restPort}`).join("\n")}
`;

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
