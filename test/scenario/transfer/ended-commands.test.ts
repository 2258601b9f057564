/** An import, or a look at one, that is told to end leaves nothing of what it unpacked or converted. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ nodeCount: 1 });
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-ended-"));
  await mkdir(join(folder, "tmp"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

it.each(endings)("a preview of Slack's, by %s", async (ending) => {
  // Nobody writes into it, so whoever reads it waits.
  const archive = join(folder, "slack");
  await mkdir(archive);
  await writeFile(join(archive, "channels.json"), "[]");
  execFileSync("mkfifo", [join(archive, "users.json")]);
  await isEnded(["import", "slack", archive, "--dry-run"], ending, "parley-converted-", async () => {});
});

it.each(endings)("an import of Zulip's, by %s", async (ending) => {
  const file = join(import.meta.dirname, "../../data/zulip-export/small.tar.gz");
  const { database } = server;
  await database.transaction(async (sql) => {
    await sql`lock table imports in access exclusive mode`;
    await isEnded(["import", "zulip", file, "--host", "h.example.com"], ending, "parley-import-", () =>
      until("it to wait", async () => {
        const waiting = await database.sql`
          select from pg_locks where relation = 'imports'::regclass and not granted`;
        return waiting.length > 0;
      }),
    );
  });
});

/** Runs a command until it has such a folder and `waits`, ends it, and looks at what is left. */
async function isEnded(
  words: string[],
  ending: NodeJS.Signals,
  prefix: string,
  waits: () => Promise<void>,
): Promise<void> {
  const { databaseUrl, dataDir } = server.server.app.config;
  const child = spawn(process.execPath, [resolve(import.meta.dirname, "../../../dist/http/process/cli.js"), ...words], {
    env: {
      PATH: process.env["PATH"],
      TMPDIR: join(folder, "tmp"),
      DATABASE_URL: databaseUrl,
      PARLEY_DATA_DIR: dataDir,
    },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  const left = () => readdir(join(folder, "tmp"));
  try {
    await until("the folder to be made", async () => (await left()).some((name) => name.startsWith(prefix)));
    await waits();
    child.kill(ending);
    expect(await exited).toEqual([null, ending]);
    expect(await left()).toEqual([]);
  } finally {
    child.kill("SIGKILL");
  }
}
