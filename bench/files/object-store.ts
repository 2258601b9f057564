/** An S3 store for a bench: `versitygw` on a folder, where that program is on PATH. */
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../harness/postgres.ts";
import type { Setup } from "../harness/setup.ts";

const program = "versitygw";
const keys = { id: "bench", secret: "a secret of benches" };
const startMs = 20_000;

/** Settings of a Parley that keeps its files in it. Undefined: the program is not there. */
export async function startObjectStore(setup: Setup): Promise<Record<string, string> | undefined> {
  if (!isOnPath()) return undefined;
  const port = await freePort();
  const [files, about] = [join(setup.folder, "s3", "files"), join(setup.folder, "s3", "about")];
  // A bucket is a folder.
  for (const folder of [join(files, "parley"), about]) mkdirSync(folder, { recursive: true });
  const words = ["--port", `127.0.0.1:${port}`, "--quiet", "--keep-alive", "posix", "--sidecar", about, files];
  const env = { PATH: process.env["PATH"], ROOT_ACCESS_KEY_ID: keys.id, ROOT_SECRET_ACCESS_KEY: keys.secret };
  const child = spawn(program, words, { env, stdio: "ignore" });
  setup.atEnd(() => void child.kill());
  for (const since = performance.now(); !(await answers(port)); await sleep(20))
    if (performance.now() - since > startMs) throw new Error(`${program} did not start`);
  return {
    PARLEY_S3_BUCKET: "parley",
    PARLEY_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    PARLEY_S3_ACCESS_KEY_ID: keys.id,
    PARLEY_S3_SECRET_ACCESS_KEY: keys.secret,
  };
}

function isOnPath(): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
