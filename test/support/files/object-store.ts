/** An object store of its own for tests: `versitygw` on a folder. `.ci/install-s3` installs it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { StoredFile } from "../../../storage/files/file-store.ts";
import { S3Connection, type S3Settings } from "../../../storage/files/s3-connection.ts";
import { S3Objects } from "../../../storage/files/s3-objects.ts";
import { dataFolder } from "../server/folder.ts";
import { until } from "../time/until.ts";

/** Whether there is one on this machine. */
export const hasObjectStore =
  spawnSync("sh", ["-c", "command -v versitygw"], { encoding: "utf8" }).stdout.trim() !== "";

export interface ObjectStore {
  settings: S3Settings;
  /** The same, for a server. */
  environment: Record<string, string>;
  /** What is in it, files that came in part too. */
  list(begins: string): AsyncIterable<StoredFile>;
  stop(): Promise<void>;
}

export async function startObjectStore(bucket = "parley"): Promise<ObjectStore> {
  const folder = await dataFolder("s3");
  const port = await freePort();
  const [files, about] = [join(folder, "files"), join(folder, "about")];
  for (const path of [files, about]) await mkdir(path);
  const keys = { accessKeyId: "tester", secretAccessKey: "a secret of tests" };
  const words = ["--port", `127.0.0.1:${port}`, "--quiet", "--keep-alive", "posix", "--sidecar", about, files];
  const child = spawn("versitygw", words, {
    env: {
      PATH: process.env["PATH"],
      ROOT_ACCESS_KEY_ID: keys.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    stdio: "ignore",
  });
  const settings: S3Settings = {
    ...keys,
    bucket,
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    prefix: "chat/files",
    style: undefined,
    encryption: undefined,
    kmsKey: undefined,
    sessionToken: undefined,
    credentialsFile: undefined,
    metadataUrl: "http://127.0.0.1:1",
    timeoutMs: 10_000,
    addressSecs: undefined,
    addressEndpoint: undefined,
  };
  const makeBucket = () => new S3Connection(settings).ask({ method: "PUT", alsoGood: [409] });
  await until("the object store has a bucket", async () => (await makeBucket().catch(() => undefined)) !== undefined);
  return {
    settings,
    environment: {
      PARLEY_S3_BUCKET: bucket,
      PARLEY_S3_ENDPOINT: settings.endpoint!,
      PARLEY_S3_PREFIX: settings.prefix,
      PARLEY_S3_ACCESS_KEY_ID: keys.accessKeyId,
      PARLEY_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
    list: (begins) => new S3Objects(new S3Connection(settings)).list(begins),
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
