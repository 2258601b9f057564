/** The PostgreSQL of a Parley that serves, for whoever has business with its database meanwhile. */
import { connect } from "node:net";
import { join } from "node:path";
import { readText } from "./data-lock.ts";
import { findPostgresHome } from "./home.ts";

export const superuser = "parley";
export const database = "parley";
const passwordPattern = /^[0-9a-f]{48}$/;

/** How to connect to the embedded PostgreSQL that listens on this loopback port. */
export function urlOf(password: string, port: number): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;
}

/** The password; undefined when its file is not whole, as the power's end may leave what was just made. */
export async function readPassword(folder: string): Promise<string | undefined> {
  const password = (await readText(join(folder, "password")))?.trim();
  return password !== undefined && passwordPattern.test(password) ? password : undefined;
}

/** What a server says of itself in its pid file; undefined when there is none, or it takes no connections. */
export async function readyServer(data: string): Promise<{ pid: number; port: number } | undefined> {
  // Source: PostgreSQL src/include/utils/pidfile.h: the pid is line 1, the port 4, LOCK_FILE_LINE_PM_STATUS 8.
  const lines = (await readText(join(data, "postmaster.pid")))?.split("\n");
  if (lines?.[7]?.trim() !== "ready") return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3]) };
}

/**
 * How to connect to the PostgreSQL that another Parley runs on `dataDir`; undefined where none takes connections from
 * here.
 */
export async function findRunningPostgres(
  dataDir: string,
  systemFolders?: readonly string[],
): Promise<string | undefined> {
  const { folder } = await findPostgresHome(dataDir, () => {}, systemFolders);
  const server = await readyServer(join(folder, "data"));
  const password = await readPassword(folder);
  if (server === undefined || password === undefined) return undefined;
  // Whoever holds the folder from another machine or container listens on a loopback of its own.
  return (await listens(server.port)) ? urlOf(password, server.port) : undefined;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const tell = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => tell(true));
    socket.once("error", () => tell(false));
  });
}
