/** `tus-js-client`, on which Zulip's web client is built, over a server that is killed and started again. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";

const mebibyte = 1024 * 1024;
const bytes = Buffer.from(Array.from({ length: 8 * mebibyte }, (_, index) => (index * 31 + (index >> 11)) % 256));
let database: TestDatabase;
let server: ServerProcess;
let environment: Record<string, string>;
let authorization: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const dataDir = await dataFolder("tus");
  environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: dataDir, DATABASE_URL: database.url };
  server = await startServerProcess(environment);
  const key = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
  authorization = `Basic ${Buffer.from(`owner@example.com:${key}`).toString("base64")}`;
});
afterAll(async () => {
  await server.kill();
  await database.drop();
  await rm(environment["PARLEY_DATA_DIR"]!, { recursive: true, force: true });
});

it("goes on where it was, and the file is whole", async () => {
  let answer = "";
  let restarts = 0;
  let restarted: Promise<void> | undefined;
  const offsets: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${server.url}/api/v1/tus/`,
      chunkSize: mebibyte,
      // Ten minutes without a server.
      retryDelays: Array.from({ length: 3000 }, () => 200),
      headers: { authorization },
      metadata: { filename: "film.bin", filetype: "application/octet-stream" },
      onChunkComplete(_size, accepted) {
        offsets.push(accepted);
        if (restarts < 2 && accepted >= (restarts + 1) * 2 * mebibyte) {
          restarts++;
          restarted = server.kill().then(async () => {
            server = await startServerProcess(environment);
          });
        }
      },
      onAfterResponse: (_request, response) => void (answer = response.getBody()),
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
  await restarted;
  expect(restarts).toBe(2);
  // Nothing was sent a second time that had come.
  expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
  const { url, filename } = JSON.parse(answer) as { url: string; filename: string };
  expect(filename).toBe("film.bin");
  const read = await fetch(server.url + url, { headers: { authorization } });
  expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
});
